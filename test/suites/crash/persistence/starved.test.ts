/** A process that has too few file descriptors left to open a file: it does without, and goes on. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';

const run = promisify(execFile);

/** Runs a program of this folder on an empty one with so many descriptors; what it prints. */
async function starved(context: TestContext, limit: number, program: string, ...args: string[]) {
  const folder = await createTemporaryFolder('starved');
  context.after(() => folder.remove());
  const words = [process.execPath, join(import.meta.dirname, program), folder.path, ...args];
  const script = `ulimit -n ${limit}; exec ${words.map((word) => `'${word}'`).join(' ')}`;
  const { stdout } = await run('/bin/sh', ['-c', script], { timeout: 120_000 });
  return JSON.parse(stdout) as unknown;
}

/** With one or two, LMDB would end the process by a signal. */
for (const left of [0, 1, 2, 3]) {
  test(`with ${left} left, no file is opened, none is closed, and the journal is written and read`, async (t) => {
    assert.deepEqual(await starved(t, 90, 'starved-files-child.js', String(left)), {
      starved: { isRefused: true, position: 0, read: 1 },
      afterwards: { read: 1, segments: 2 },
    });
  });
}

test('texts are taken in while none is left, and move to run files later', async (t) => {
  const said = await starved(t, 256, 'starved-stock-child.js');
  assert.deepEqual(said, { fatal: [], isWhole: true, texts: 4_030 });
});
