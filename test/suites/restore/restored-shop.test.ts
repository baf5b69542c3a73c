/**
 * A shop that is restored is the shop that it was: at random moments, of backups that are cut at random places, it has
 * the state, the orders with all their texts, the texts that may not come again, and the events that a naive reading of
 * the original folder gives. `PURSER_TEST_SEED` repeats the choices.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Retrying } from '../../../src/backup/retrying.ts';
import { backUpFolder } from '../../../src/backup/single-backup.ts';
import { FolderTarget } from '../../../src/backup/target/folder-target.ts';
import { BackupSource } from '../../../src/restore/backup-source.ts';
import { restore } from '../../../src/restore/restore.ts';
import { planRestore, type RestorePoint } from '../../../src/restore/restore-plan.ts';
import { givenMasterKey } from '../../../src/restore/restored-keys.ts';
import { Random, randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { backUpByHand, masterKeyIn } from './hand-made-backup.ts';
import { expectSameShop, NaiveShop, pendingEvents } from './naive-shop.ts';
import { RandomShop } from './random-shop.ts';

const POINTS = roundsOr(30);
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

describe(`a restored shop, at ${POINTS} random points`, { timeout: 30 * 60_000 }, () => {
  const { seed } = randomFromEnvironment();
  let folder: TemporaryFolder;
  before(async () => {
    folder = await createTemporaryFolder('restored');
  });
  after(() => folder.remove());

  for (let shop = 0; shop < POINTS / POINTS_PER_SHOP; shop += 1) {
    test(`shop ${shop}, seed ${seed}`, async (t) => {
      const random = new Random(seed + shop);
      const { node } = await liveShop(random);
      const original = node.folder.path;
      const masterKey = masterKeyIn(original);
      const key = givenMasterKey(masterKey, { file: 'a file' });
      const whole = await NaiveShop.read(original);
      t.diagnostic(`${whole.facts.length} facts, ${whole.events.length} events, ${whole.orders.size} orders`);
      for (let point = 0; point < POINTS_PER_SHOP; point += 1) {
        const path = join(folder.path, `target-${shop}-${point}`);
        const target = new FolderTarget(path, { makesFolder: true });
        const shape = random.pick(SHAPES)(random.between(1, 99) / 100);
        if (shape === undefined) await backUpFolder(original, undefined, shippingTo(target));
        else await backUpByHand(original, { target, random, ...shape });
        const at = randomPoint(random, whole);
        const plan = await planRestore(new BackupSource(target), key, at);
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
      const beside = readdirSync(folder.path).filter((name) => name.includes('.restoring-'));
      assert.deepEqual(beside, [], 'nothing is left beside');
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

/** Nothing was ever delivered. The fact of the new epoch closes the group that was open. */
async function expectPending(
  original: string,
  data: string,
  last: number,
  isNewEpoch: boolean,
  what: string,
) {
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
