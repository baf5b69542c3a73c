/**
 * Threads that start with the first work for them, when no file descriptor is left by then: that work is refused as
 * work that reached nobody, the process lives, and later work is done.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const child = fileURLToPath(new URL('./starved-threads-child.js', import.meta.url));

/** Left for the threads. With none they can't be made; with some they are, and can't read their programs. */
for (const descriptors of [0, 4]) {
  test(`with ${descriptors} file descriptors left`, async () => {
    const script = `ulimit -n 90; exec '${process.execPath}' '${child}' ${descriptors}`;
    const { stdout } = await run('/bin/sh', ['-c', script], { timeout: 120_000 });
    const { starved, afterwards } = JSON.parse(stdout);
    const { why } = starved.purchase;
    assert.match(why, /can't start.*EMFILE/);
    assert.deepEqual(starved, {
      purchase: { kind: 'unreached', why },
      progress: { kind: 'silent', why },
      delivery: 'busy',
    });
    assert.deepEqual(afterwards, {
      purchase: { kind: 'unreached', why: 'ECONNREFUSED' },
      progress: { kind: 'silent', why: 'ECONNREFUSED' },
      delivery: 'secret',
    });
  });
}
