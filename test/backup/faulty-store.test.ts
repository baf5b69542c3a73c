/** Shipping to a bucket whose store fails in every way that it can: all arrives in the end, and nothing half done counts. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openTarget } from '../../src/backup/target/open-target.ts';
import { startFaultyS3 } from '../support/faulty-s3.ts';
import { MemoryTarget } from '../support/memory-target.ts';
import { randomFromEnvironment } from '../support/random.ts';
import { FAULTS, type FaultName } from '../support/s3-faults.ts';
import { BackupContents } from './backup-contents.ts';
import { Process } from './backup-helpers.ts';
import { WrittenFolder } from './written-folder.ts';

/** So that a store that hangs is given up soon, and one that answers is not, on a busy machine either. */
const PATIENCE = { answerMs: 500, bytesPerSecond: 100 * 1024 * 1024 };

const random = randomFromEnvironment();

describe(`a store that fails (seed ${random.seed})`, () => {
  let folder: WrittenFolder;

  before(async () => {
    folder = await WrittenFolder.create('faulty-store');
    await folder.addStock(200);
  });
  after(async () => {
    await folder.close();
    await folder.remove();
  });

  test('whatever it fails at, in turn', async () => {
    const store = await startFaultyS3();
    const target = openTarget(store.url, store.env, { makesFolder: false, patience: PATIENCE });
    try {
      const process = new Process(folder, target, { baseMs: 50 });
      for (const fault of Object.keys(FAULTS) as FaultName[]) {
        const end = store.fail(fault, { times: random.between(1, 3) });
        await folder.sell(random.between(1, 5));
        await process.until(() => process.shipped === folder.position, fault);
        end();
      }
      await process.stop();
      assert.equal(process.failure, undefined);
      (await BackupContents.read(new MemoryTarget(store.objects), folder.ring.keys)).expectAll(folder);
    } finally {
      await target.close();
      await store.close();
    }
  });
});
