/** A new file of the database on a disk that is nearly full: an error, whatever is left, and never the end of the process. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createEnvironment } from '../../src/persistence/lmdb/lmdb-environment.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../crash/small-disk.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

test('a new file is refused while its disk is nearly full, and made when there is room', {
  skip: whyNoSmallDisk() ?? false,
}, async () => {
  const folder = await createTemporaryFolder('new-file');
  const disk = mountSmallDisk(folder.path, 4);
  const file = join(disk.path, 'rows.mdb');
  for (const leftKilobytes of [0, 4, 8, 16, 18, 20, 28, 40, 44, 60, 100]) {
    disk.fill(leftKilobytes * 1_024);
    await assert.rejects(createEnvironment(file, ['rows']), { code: 'ENOSPC' }, `${leftKilobytes} KiB`);
    disk.free();
  }
  assert.deepEqual(readdirSync(disk.path), []);
  await createEnvironment(file, ['rows']);
  disk.unmount();
  await folder.remove();
});
