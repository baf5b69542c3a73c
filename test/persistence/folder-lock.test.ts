/** The lock of a data folder, as far as one process shows it. `test/suites/crash/persistence/` has many, which are killed. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FolderInUseError, FolderLockError, lockFolder } from '../../src/persistence/folder/folder-lock.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

test('is held once in the process too, released once, and refused where there is no folder', async (context) => {
  const { path, remove } = await createTemporaryFolder('lock');
  context.after(remove);
  const isTold = (error: unknown) =>
    error instanceof FolderInUseError && error.folder === path && error.pid === process.pid;
  const lock = await lockFolder(path);
  await assert.rejects(lockFolder(path), isTold);
  await lock.release();
  const next = await lockFolder(path);
  await lock.release();
  await assert.rejects(lockFolder(path), isTold);
  await next.release();
  assert.deepEqual(await readdir(path), []);
  await assert.rejects(
    lockFolder(join(path, 'missing')),
    (error) => error instanceof FolderLockError && /: there is no such folder$/.test(error.message),
  );
});
