import assert from 'node:assert/strict';
import { jsonLines } from '../../support/json-lines.ts';
import { PurserExitedError, type StartPurserOptions } from '../../support/purser-process.ts';
import { type ServerUnderTest, startServer } from './server-under-test.ts';

/** The exit code of a command line that makes no sense. */
const MISTAKEN = 2;
const STARTING = /"msg":"starting"/;

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
