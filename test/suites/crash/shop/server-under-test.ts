import assert from 'node:assert/strict';
import { BuyerClient } from '../../../support/buyer-client.ts';
import { CheckedOperatorClient } from '../../../support/checked-operator-client.ts';
import { jsonLines } from '../../../support/json-lines.ts';
import {
  PurserExitedError,
  type PurserProcess,
  type StartPurserOptions,
  startPurser,
} from '../../../support/nodes/purser-process.ts';
import type { OperatorClient } from '../../../support/operator-client.ts';

/** The exit code of a command line that makes no sense. */
const MISTAKEN = 2;
const STARTING = /"msg":"starting"/;

/** A server that will be mistreated, with the clients that talk to it while it lasts. */
export interface ServerUnderTest {
  readonly process: PurserProcess;
  readonly buyers: BuyerClient;
  readonly operator: OperatorClient;
  /** SIGTERM; throws unless it exits with 0. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export async function startServer(options: StartPurserOptions): Promise<ServerUnderTest> {
  return underTest(await startPurser(options));
}

export function underTest(process: PurserProcess): ServerUnderTest {
  const buyers = new BuyerClient(process.buyerUrl);
  return {
    process,
    buyers,
    operator: new CheckedOperatorClient(process.operatorUrl, process.operatorToken),
    stop: async () => {
      buyers.close();
      const code = await process.stop();
      if (code !== 0) throw new Error(`the server exited with ${code}:\n${process.output()}`);
    },
    kill: async () => {
      await process.kill();
      buyers.close();
    },
  };
}

/**
 * Starts the server, or returns the one line with which it refused. Anything else that isn't a server fails:
 * a signal, exit code 0, a stack trace, several lines, silence. That it was starting is told before.
 */
export async function startOrRefuse(options: StartPurserOptions): Promise<ServerUnderTest | string> {
  try {
    return await startServer(options);
  } catch (error) {
    if (!(error instanceof PurserExitedError)) throw error;
    assert.equal(error.signal, null, `ended by a signal: ${error.message}`);
    assert.notEqual(error.code, 0, error.message);
    assert.doesNotMatch(error.output, /^\s+at .+[:)]/m, `a stack trace: ${error.message}`);
    const lines = error.stderr.split('\n').filter((line) => line.trim() !== '' && !STARTING.test(line));
    assert.equal(lines.length, 1, `not one line on stderr: ${error.message}`);
    if (error.code === MISTAKEN) return lines[0] ?? '';
    const [line] = jsonLines(lines.join('\n'));
    return String(line?.msg);
  }
}

export async function assertRefuses(options: StartPurserOptions): Promise<string> {
  const outcome = await startOrRefuse(options);
  if (typeof outcome === 'string') return outcome;
  await outcome.kill();
  return assert.fail('the server started');
}
