/** A process that exits, or whose thread dies, while that thread is inside a write transaction. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('./exit-inside-transaction-child.js', import.meta.url));

const EXITS = [
  { how: 'ends', says: 'waits for the write transaction of its thread', status: 5, stdout: 'state 2\n' },
  { how: 'hangs', says: 'kills itself when that transaction hangs', signal: 'SIGKILL' },
  {
    how: 'heap',
    says: 'hears that its thread ran out of heap inside a write transaction, and exits',
    status: 6,
    stdout: 'the thread of the test failed: ERR_WORKER_OUT_OF_MEMORY\n',
  },
];
for (const { how, says, status = null, signal = null, stdout = '' } of EXITS) {
  test(`a process that exits ${says}`, () => {
    const args = ['--max-old-space-size=32', CHILD, how];
    const child = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 50_000 });
    assert.deepEqual([child.status, child.signal], [status, signal], child.stderr);
    // V8 says on both streams how it ran out of heap.
    assert.ok(child.stdout.endsWith(stdout), child.stdout);
    const words = how === 'hangs' ? 'killing the process: a write transaction does not end\n' : '';
    if (how !== 'heap') assert.equal(child.stderr, words);
  });
}
