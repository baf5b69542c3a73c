/**
 * A shop that was restored goes on, and is backed up to the same target: a restore of that follows the newest epoch, over
 * its fork, and takes nothing of what the epoch before had behind it.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FolderTarget } from '../../../src/backup/target/folder-target.ts';
import { keysName, positionJson, runName, type StoredObject } from '../../../src/backup/target-layout.ts';
import { GENESIS, type LogHead } from '../../../src/persistence/journal/frame-log.ts';
import { extentOf, frameHash } from '../../../src/persistence/journal/journal-frame.ts';
import { openLogReader } from '../../../src/persistence/journal/open-log.ts';
import { BackupSource } from '../../../src/restore/backup-source.ts';
import { restore } from '../../../src/restore/restore.ts';
import { planRestore, type RestorePoint } from '../../../src/restore/restore-plan.ts';
import { type GivenMasterKey, givenMasterKey } from '../../../src/restore/restored-keys.ts';
import { ok } from '../../support/operator-client.ts';
import { QuietNode } from '../../support/quiet-node.ts';
import { Random, randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { backUpByHand, masterKeyIn } from './hand-made-backup.ts';
import { expectSameShop } from './naive-shop.ts';
import { RandomShop } from './random-shop.ts';

const RUN = { epoch: 2, run: 1 };

describe('a shop that was restored and goes on', { timeout: 120_000 }, () => {
  const { seed } = randomFromEnvironment();
  let folder: TemporaryFolder;
  let random: Random;
  let original: string;
  let key: GivenMasterKey;
  /** The first epoch, whole, and all objects of its base. */
  let first: string;
  let objects: readonly StoredObject[];
  /** The data folder of the second one, and where it forks. */
  let second: string;
  let fork: LogHead;

  before(async () => {
    folder = await createTemporaryFolder('epochs');
    random = new Random(seed);
    const shop = await RandomShop.open(random);
    await shop.live(60);
    await shop.rush(20);
    await shop.live(30);
    await shop.node.stop();
    original = shop.node.folder.path;
    key = givenMasterKey(masterKeyIn(original), { file: 'a file' });
    first = join(folder.path, 'first');
    const target = new FolderTarget(first, { makesFolder: true });
    const backup = await backUpByHand(original, {
      target,
      random,
      base: 0.3,
      hasLog: true,
      hasManifest: true,
    });
    objects = backup.objects;
    second = join(folder.path, 'second');
    const plan = await planned({
      seq: random.between(Math.ceil(backup.head.position * 0.4), backup.head.position - 1),
    });
    fork = plan.position;
    await restore(plan, second, { key, beginsEpoch: true, nowMs: Date.now() });
    await target.close();

    const node = await QuietNode.start({ path: second, remove: async () => {} });
    const { productId = 0 } = await ok(node.operator.createProduct({ name: 'of epoch 2', priceUsdt: 1 }));
    await ok(node.operator.addStock(productId, ['one', 'two', 'three']));
    await node.operator.addStock(1, ['text 1', 'new 1', 'new 2'], { allowDuplicates: true });
    await node.stop();
  });
  after(async () => {
    await folder.remove();
    rmSync(original, { recursive: true });
  });

  const planned = async (at?: RestorePoint) => {
    const target = new FolderTarget(first, { makesFolder: false });
    return planRestore(new BackupSource(target), key, at);
  };

  const cases = [
    { name: 'with chunks of log alone', base: 0, hasLog: true, hasManifest: false, from: 'fork' },
    { name: 'whose first run was cut short', base: 0, hasLog: true, hasManifest: false, from: 'fork' },
    { name: 'with a manifest', base: 1, hasLog: false, hasManifest: true, from: 'base' },
    { name: 'with a manifest and more', base: 0.5, hasLog: true, hasManifest: true, from: 'base' },
  ] as const;
  for (const { name, from, ...shape } of cases) {
    test(`${name}, seed ${seed}`, async () => {
      const copy = new FolderTarget(first, { makesFolder: false });
      const begin = from === 'fork' ? fork : await headOfBase(second);
      await backUpByHand(second, {
        target: copy,
        random,
        ...shape,
        epoch: 2,
        fork: { epoch: 1, position: positionJson(fork) },
        from: begin,
        before: objects,
        runs: name === 'whose first run was cut short' ? 2 : 1,
      });
      if (name === 'whose first run was cut short') cutFirstRun(first);
      const plan = await planned();
      assert.deepEqual([plan.epoch, plan.nextEpoch], [2, 3]);
      const data = join(folder.path, `data of ${name}`);
      await restore(plan, data, { key, beginsEpoch: true, nowMs: Date.now() });
      await expectSameShop(data, second, plan.position.position);

      const early = random.between(1, fork.position);
      const before_ = join(folder.path, `early data of ${name}`);
      await restore(await planned({ seq: early }), before_, { key, beginsEpoch: true, nowMs: Date.now() });
      await expectSameShop(before_, original, early);
      for (const part of [
        'base/000002',
        'log/000002',
        'manifests/000002',
        runName(RUN),
        runName({ ...RUN, run: 2 }),
        keysName(2, 1),
      ]) {
        rmSync(join(first, part), { recursive: true, force: true });
      }
      await copy.close();
    });
  }

  /** Where the base of the first epoch ends. */
  async function headOfBase(data: string): Promise<LogHead> {
    const plan = await planned();
    const end = plan.manifest?.position.seq ?? 0;
    const log = openLogReader(data);
    let head = GENESIS;
    for (const frame of log.read(0)) {
      if (extentOf(frame).last > end) break;
      head = { position: extentOf(frame).last, hash: frameHash(frame) };
    }
    await log.close();
    return head;
  }
});

/** As a target that errs stores it; then the node wrote the next one. */
function cutFirstRun(target: string): void {
  const bytes = readFileSync(join(target, runName(RUN)));
  rmSync(join(target, runName(RUN)));
  writeFileSync(join(target, runName(RUN)), bytes.subarray(0, bytes.length >> 1));
}
