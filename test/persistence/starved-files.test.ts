/** A node that has too few file descriptors left to open a file: it does without, and goes on. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const child = fileURLToPath(new URL('./starved-files-child.js', import.meta.url));

/** With one or two, LMDB would end the process by a signal. */
for (const descriptors of [0, 1, 2, 3]) {
  test(`with ${descriptors} left, no file is opened, none is closed, and the journal is written and read`, async (t) => {
    const folder = await createTemporaryFolder('starved-files');
    t.after(() => folder.remove());
    const script = `ulimit -n 90; exec '${process.execPath}' '${child}' '${folder.path}' ${descriptors}`;
    const { stdout } = await run('/bin/sh', ['-c', script], { timeout: 60_000 });
    assert.deepEqual(JSON.parse(stdout), {
      starved: { isRefused: true, position: 0, read: 1 },
      afterwards: { read: 1, segments: 2 },
    });
  });
}
