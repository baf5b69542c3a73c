/** Without a file descriptor no run file is written: texts are taken in as before, and move when there are some again. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);
const child = join(import.meta.dirname, 'starved-stock-child.js');

test('texts are taken in while no descriptor is left, and become run files later', async (t) => {
  const folder = await createTemporaryFolder('starved-stock');
  t.after(() => folder.remove());
  const script = `ulimit -n 256; exec '${process.execPath}' '${child}' '${folder.path}'`;
  const { stdout } = await run('/bin/sh', ['-c', script], { timeout: 60_000 });
  assert.deepEqual(JSON.parse(stdout), { fatal: [], isWhole: true, texts: 4_030 });
});
