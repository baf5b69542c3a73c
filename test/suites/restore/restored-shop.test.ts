/**
 * A shop that is restored is the shop that it was: at random moments, of backups that are cut at random places, it has
 * the state, the orders with all their texts, the texts that may not come again, and the events that a naive reading of
 * the original folder gives. The shop goes on, is backed up to the same target, and a restore of that follows the
 * newest epoch over its fork, with nothing of what the epoch before had behind it. `PURSER_TEST_SEED` repeats the
 * choices.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Retrying } from '../../../src/backup/retrying.ts';
import { backUpFolder } from '../../../src/backup/shipping/single-backup.ts';
import { FolderTarget } from '../../../src/backup/target/folder-target.ts';
import { positionJson } from '../../../src/backup/target-layout.ts';
import { GENESIS, type LogHead } from '../../../src/persistence/journal/frame-log.ts';
import { extentOf, frameHash } from '../../../src/persistence/journal/journal-frame.ts';
import { openLogReader } from '../../../src/persistence/journal/open-log.ts';
import { BackupSource } from '../../../src/restore/backup-source.ts';
import { restore } from '../../../src/restore/restore.ts';
import { planRestore, type RestorePoint } from '../../../src/restore/restore-plan.ts';
import { givenMasterKey } from '../../../src/restore/restored-keys.ts';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { ok } from '../../support/operator-client.ts';
import { Random, randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { backUpByHand, masterKeyIn } from './hand-made-backup.ts';
import { expectSameShop, NaiveShop, pendingEvents } from './naive-shop.ts';
import { RandomShop } from './random-shop.ts';

const SHOPS = roundsOr(3);
const POINTS_PER_SHOP = 10;
const NOW_MS = Date.UTC(2100, 0, 1);

/** Which parts a backup has, the base up to a part of the facts; the last one is made as `purser backup` makes it. */
const SHAPES = [
  () => ({ base: 1, hasLog: false, hasManifest: true }),
  () => ({ base: 0, hasLog: true, hasManifest: false }),
  (part: number) => ({ base: part, hasLog: true, hasManifest: true }),
  (part: number) => ({ base: part, hasLog: true, hasManifest: true }),
  (part: number) => ({ base: part, hasLog: true, hasManifest: false }),
  () => undefined,
] as const;
/** Shapes of the next epoch: whether its chunks begin at the fork, or where the base of the epoch before ends. */
const LATER_SHAPES = [
  { base: 0, hasLog: true, hasManifest: false, isFromFork: true },
  { base: 1, hasLog: false, hasManifest: true, isFromFork: false },
  { base: 0.5, hasLog: true, hasManifest: true, isFromFork: false },
] as const;

describe(`${SHOPS} shops, restored`, { timeout: 30 * 60_000 }, () => {
  const { seed } = randomFromEnvironment();
  let folder: TemporaryFolder;
  before(async () => {
    folder = await createTemporaryFolder('restored');
  });
  after(() => folder.remove());

  for (let shop = 0; shop < SHOPS; shop += 1) {
    test(`shop ${shop}, seed ${seed}, at ${POINTS_PER_SHOP} random points and in later epochs`, async (t) => {
      const random = new Random(seed + shop);
      const { node } = await liveShop(random);
      const original = node.folder.path;
      const key = givenMasterKey(masterKeyIn(original), { file: 'a file' });
      const whole = await NaiveShop.read(original);
      t.diagnostic(`${whole.facts.length} facts, ${whole.events.length} events, ${whole.orders.size} orders`);
      const planned = (target: FolderTarget, at?: RestorePoint) =>
        planRestore(new BackupSource(target), key, at);

      for (let point = 0; point < POINTS_PER_SHOP; point += 1) {
        const path = join(folder.path, `target-${shop}-${point}`);
        const target = new FolderTarget(path, { makesFolder: true });
        const shape = random.pick(SHAPES)(random.between(1, 99) / 100);
        if (shape === undefined) await backUpFolder(original, undefined, shippingTo(target));
        else await backUpByHand(original, { target, random, ...shape });
        const at = randomPoint(random, whole);
        const plan = await planned(target, at);
        const data = join(folder.path, `data-${shop}-${point}`);
        const beginsEpoch = random.chance(0.5);
        const { head } = await restore(plan, data, { key, beginsEpoch, nowMs: NOW_MS });
        const last = plan.position.position;
        const what = `seed ${seed}, shop ${shop}, ${JSON.stringify(at)}`;
        assert.equal(last, expectedEnd(whole, at), what);
        assert.equal(head.position, beginsEpoch ? last + 1 : last, what);
        await expectSameShop(original, data, last, what);
        await expectPending(original, data, last, beginsEpoch, what);
        assert.ok(!existsSync(join(data, 'fingerprints-0.run')), what);
        await target.close();
        // All of them at once take 200 MB.
        for (const done of [path, data]) await rm(done, { recursive: true });
      }

      for (const [index, { isFromFork, ...shape }] of LATER_SHAPES.entries()) {
        const first = new FolderTarget(join(folder.path, `first-${shop}-${index}`), { makesFolder: true });
        const parts = { base: 0.3, hasLog: true, hasManifest: true };
        const { objects, head } = await backUpByHand(original, { target: first, random, ...parts });
        const seq = random.between(Math.ceil(head.position * 0.4), head.position - 1);
        const { position: fork, manifest } = await planned(first, { seq });
        const path = (name: string) => join(folder.path, `${name}-${shop}-${index}`);
        const restored = async (name: string, at?: RestorePoint) => {
          const plan = await planned(first, at);
          await restore(plan, path(name), { key, beginsEpoch: true, nowMs: Date.now() });
          return plan;
        };
        await restored('second', { seq });
        await goOn(path('second'));
        await backUpByHand(path('second'), {
          target: first,
          random,
          ...shape,
          epoch: 2,
          fork: { epoch: 1, position: positionJson(fork) },
          from: isFromFork ? fork : await headAt(path('second'), manifest?.position.seq ?? 0),
          before: objects,
        });
        const { epoch, nextEpoch, position } = await restored('third');
        assert.deepEqual([epoch, nextEpoch], [2, 3]);
        await expectSameShop(path('second'), path('third'), position.position);
        const early = random.between(1, fork.position);
        await restored('early', { seq: early });
        await expectSameShop(original, path('early'), early);
        await first.close();
        for (const name of ['first', 'second', 'third', 'early']) await rm(path(name), { recursive: true });
      }
      assert.deepEqual(readdirSync(folder.path), [], 'nothing is left beside');
      await whole.close();
      await node.folder.remove();
    });
  }
});

function shippingTo(target: FolderTarget) {
  const signal = new AbortController().signal;
  const retrying = new Retrying({ signal, patienceMs: 0, onTrouble: () => {} });
  return { target, retrying, rest: 0, clock: Date.now };
}

async function liveShop(random: Random): Promise<RandomShop> {
  const shop = await RandomShop.open(random);
  for (let round = 0; round < 4; round += 1) {
    await shop.live(40);
    await shop.rush(15);
  }
  await shop.node.stop();
  return shop;
}

/** The next steps of a restored shop, also with texts that it had. */
async function goOn(data: string): Promise<void> {
  const node = await QuietNode.start({ path: data, remove: async () => {} });
  const { operator } = node;
  const { productId = 0 } = await ok(operator.createProduct({ name: 'of epoch 2', priceUsdt: 1 }));
  await ok(operator.addStock(productId, ['one', 'two', 'three']));
  await operator.addStock(1, ['text 1', 'new 1', 'new 2'], { allowDuplicates: true });
  await node.stop();
}

function randomPoint(random: Random, { facts, state }: NaiveShop): RestorePoint | undefined {
  const kind = random.pick(['all', 'seq', 'seq', 'time', 'time'] as const);
  if (kind === 'all') return undefined;
  const seq = random.between(1, state.position);
  if (kind === 'seq') return { seq };
  return { atMs: (facts[seq - 1]?.atMs ?? 0) + random.pick([0, 0, 1]) };
}

function expectedEnd({ facts, state }: NaiveShop, point: RestorePoint | undefined): number {
  if (point === undefined) return state.position;
  if ('seq' in point) return point.seq;
  return facts.findLastIndex(({ atMs }) => atMs <= point.atMs) + 1;
}

/** Where the journal is behind the last frame that ends by this fact. */
async function headAt(data: string, end: number): Promise<LogHead> {
  const log = openLogReader(data);
  let head = GENESIS;
  for (const frame of log.read(0)) {
    if (extentOf(frame).last > end) break;
    head = { position: extentOf(frame).last, hash: frameHash(frame) };
  }
  await log.close();
  return head;
}

/** Nothing was ever delivered. The fact of the new epoch closes the group that was open. */
async function expectPending(
  original: string,
  data: string,
  last: number,
  isNewEpoch: boolean,
  what: string,
): Promise<void> {
  const restored = await NaiveShop.read(data, (seq) => isNewEpoch || seq <= last);
  const pending = await pendingEvents(data);
  const unknown = pending.filter((event) => !restored.events.includes(event));
  assert.deepEqual(unknown, [], what);
  // What a later removal of the webhook cancelled may count as done.
  const cancelled = await NaiveShop.read(original);
  const wanted = restored.events.filter((event) => !cancelled.isCancelled(event));
  const lost = wanted.filter((event) => !pending.includes(event));
  assert.deepEqual(lost, [], what);
  await Promise.all([cancelled.close(), restored.close()]);
}
