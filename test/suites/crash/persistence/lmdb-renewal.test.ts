/** A file whose last write of a commit failed is opened anew, though other threads have it open. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { ENOSPC, FailingWrites, whyNoFailingWrites } from '../disk/failing-writes.ts';

const skip = whyNoFailingWrites() ?? false;
/** A commit's pages, its sync, its meta page. */
const WRITES_OF_A_COMMIT = 3;

for (const way of ['a transaction', 'a write that is left to the library'] as const) {
  test(`after each failed write of ${way}, it is written by one thread and read by three`, {
    skip,
  }, async () => {
    const folder = await createTemporaryFolder('renewal');
    const writes = FailingWrites.make(folder.path);
    const program = join(import.meta.dirname, 'lmdb-renewal-child.js');
    for (let pass = 0; pass < WRITES_OF_A_COMMIT; pass += 1) {
      const file = join(folder.path, `${pass}-rows.mdb`);
      const child = spawn(process.execPath, [program, file, way === 'a transaction' ? 'now' : 'later'], {
        env: { ...process.env, ...writes.env },
        // The library tells there of writes that were left to it.
        stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
      });
      const exited = once(child, 'exit');
      const answer = async () => (await Promise.race([once(child, 'message'), exited]))[0];
      assert.equal(await answer(), 'ready');
      writes.begin({ pathPart: 'rows.mdb', errno: ENOSPC, pass, times: 1 });
      child.send('write');
      assert.deepEqual(await once(child, 'message'), [
        { code: ENOSPC, here: 2, there: [2, 2, 2] },
        undefined,
      ]);
      assert.equal(writes.failed, 1);
      writes.end();
      child.send('end');
      assert.deepEqual(await exited, [0, null]);
    }
    await folder.remove();
  });
}
