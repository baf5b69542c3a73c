/**
 * Nodes whose threads can't be had: the node says so in one sentence and stops, or starts the thread again when it is
 * wanted.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { START_AGAIN_MS } from '../../../src/threads/worker-link.ts';
import { jsonLines } from '../../support/json-lines.ts';
import { PurserExitedError, startPurser } from '../../support/purser-process.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const PRELOAD = new URL('./failing-threads.js', import.meta.url);
const INFO = 30;
const WITHOUT_THREAD = [
  { program: 'checkpoint-thread', name: 'the thread of the checkpoint' },
  { program: 'stock-worker', name: 'the thread that takes in items' },
  { program: 'outbox-thread', name: 'the thread of the webhooks' },
];
async function startWithout(program: string) {
  const folder = await createTemporaryFolder('failing-threads');
  const env = { NODE_OPTIONS: `--import=${PRELOAD}`, FAILING_THREAD: program };
  try {
    return { folder, server: await startPurser({ dataDir: folder.path, env }) };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** The node may say that it is ready before it hears that it has no such thread. */
async function logUntilExit(program: string) {
  try {
    const { folder, server } = await startWithout(program);
    assert.equal((await server.exited).code, 1);
    await folder.remove();
    return warnings(server.output());
  } catch (error) {
    if (!(error instanceof PurserExitedError)) throw error;
    assert.equal(error.code, 1, error.message);
    return warnings(error.stderr);
  }
}

function warnings(output: string) {
  return jsonLines(output).filter(({ level }) => Number(level) > INFO);
}

describe('a thread that can’t be had', { timeout: 120_000 }, () => {
  for (const { program, name } of WITHOUT_THREAD) {
    test(`${program}: the node says so in one sentence, and stops`, async () => {
      const [fatal, ...more] = await logUntilExit(program);
      assert.deepEqual(more, []);
      assert.match(
        String(fatal?.msg),
        new RegExp(`^[^\n]*${name} can't start: Worker initialization failure: EAGAIN[^\n]*$`),
      );
    });
  }

  test('feed-thread: a reader is refused, and the next one, a second later, is given the facts', async () => {
    const { folder, server } = await startWithout('feed-thread');
    try {
      const headers = { authorization: `Bearer ${server.operatorToken}` };
      const refused = await fetch(`${server.operatorUrl}/feed`, { headers });
      assert.equal(refused.status, 500);
      await refused.body?.cancel();
      await delay(START_AGAIN_MS + 100);
      const given = await fetch(`${server.operatorUrl}/feed`, { headers });
      assert.equal(given.status, 200);
      await given.body?.cancel();
      assert.equal(await server.stop(), 0);
    } finally {
      await server.kill();
      await folder.remove();
    }
  });
});
