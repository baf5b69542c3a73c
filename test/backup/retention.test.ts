/** What is removed when it is old, and that everything can be restored all the same. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { CleanEndMark } from '../../src/backup/clean-end-mark.ts';
import { recordKeyOf } from '../../src/backup/record.ts';
import { removeOld } from '../../src/backup/retention.ts';
import { TargetError } from '../../src/backup/target/backup-target.ts';
import { MemoryTarget } from '../support/memory-target.ts';
import { BackupContents } from './backup-contents.ts';
import { Process } from './backup-helpers.ts';
import { WrittenFolder } from './written-folder.ts';

const { signal } = new AbortController();

describe('what a target keeps', () => {
  let folder: WrittenFolder;

  before(async () => {
    folder = await WrittenFolder.create('retention');
  });
  // The next test has another target, and all in memory have one name.
  afterEach(() => new CleanEndMark(folder.path).remove());
  after(async () => {
    await folder.close();
    await folder.remove();
  });

  function recordKey() {
    return recordKeyOf(folder.ring.keys.fingerprintKey);
  }

  /** A target where two processes have shipped ten times each. */
  async function used(): Promise<MemoryTarget> {
    const target = new MemoryTarget();
    for (let life = 0; life < 2; life += 1) {
      const process = new Process(folder, target, { baseMs: 5 });
      for (let round = 0; round < 10; round += 1) {
        await folder.sell(2);
        await process.until(() => process.shipped === folder.position);
      }
      await process.stop();
    }
    return target;
  }

  function count(target: MemoryTarget, prefix: string): number {
    return [...target.objects.keys()].filter((name) => name.startsWith(prefix)).length;
  }

  test('nothing that is young is removed', async () => {
    const target = await used();
    const names = [...target.objects.keys()];
    await removeOld({ target, recordKey: recordKey(), epoch: 1, olderThanMs: 1, signal });
    assert.deepEqual([...target.objects.keys()], names);
  });

  test('of what is old, the base, the newest manifest and the end of the log stay; shipping goes on', async () => {
    const target = await used();
    const base = count(target, 'base/');
    await removeOld({ target, recordKey: recordKey(), epoch: 1, olderThanMs: Date.now() + 1_000, signal });
    assert.equal(count(target, 'manifests/'), 1);
    assert.equal(count(target, 'base/'), base);
    assert.ok(count(target, 'log/') < 20);
    (await BackupContents.read(target, folder.ring.keys)).expectAll(folder);
    const process = new Process(folder, target);
    await folder.sell(1);
    await process.until(() => process.shipped === folder.position);
    await process.stop();
    assert.equal(process.failure, undefined);
    (await BackupContents.read(target, folder.ring.keys)).expectAll(folder);
  });

  test('a target that forbids removing loses nothing', async () => {
    const target = await used();
    target.fault = (call) => (call === 'remove' ? 'refused' : undefined);
    await assert.rejects(
      removeOld({ target, recordKey: recordKey(), epoch: 1, olderThanMs: Date.now() + 1_000, signal }),
      TargetError,
    );
    (await BackupContents.read(target, folder.ring.keys)).expectAll(folder);
  });
});
