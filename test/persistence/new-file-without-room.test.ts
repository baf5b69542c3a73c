/**
 * A new file of the database on a disk that is nearly full: an error, whatever is left, and never the end of the
 * process.
 */
import assert from 'node:assert/strict';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createEnvironment, openEnvironment } from '../../src/persistence/lmdb/lmdb-environment.ts';
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const LEFT_KILOBYTES = [0, 4, 8, 16, 18, 20, 28, 40, 44, 60, 100];

describe('while a disk is nearly full', { skip: whyNoSmallDisk() ?? false }, () => {
  let folder: TemporaryFolder;
  let disk: SmallDisk;
  before(async () => {
    folder = await createTemporaryFolder('new-file');
    disk = mountSmallDisk(folder.path, 4);
  });
  after(async () => {
    disk.unmount();
    await folder.remove();
  });

  test('a new file is refused, and made when there is room', async () => {
    const file = join(disk.path, 'rows.mdb');
    for (const leftKilobytes of LEFT_KILOBYTES) {
      disk.fill(leftKilobytes * 1_024);
      await assert.rejects(createEnvironment(file, ['rows']), { code: 'ENOSPC' }, `${leftKilobytes} KiB`);
      disk.free();
    }
    assert.deepEqual(readdirSync(disk.path), []);
    await createEnvironment(file, ['rows']);
  });

  test('a file that was copied without its lock file is not opened, and opened when there is room', async () => {
    const copy = join(disk.path, 'copy.mdb');
    copyFileSync(join(disk.path, 'rows.mdb'), copy);
    for (const leftKilobytes of [0, 4]) {
      disk.fill(leftKilobytes * 1_024);
      assert.throws(() => openEnvironment(copy), { code: 'ENOSPC' }, `${leftKilobytes} KiB`);
      disk.free();
    }
    assert.equal(readdirSync(disk.path).includes('copy.mdb-lock'), false);
    await openEnvironment(copy).close();
  });
});
