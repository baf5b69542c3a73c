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
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { BackupSource } from '../../../src/restore/backup-source.ts';
import { restore } from '../../../src/restore/restore.ts';
import { planRestore, type RestorePoint } from '../../../src/restore/restore-plan.ts';
import { givenMasterKey } from '../../../src/restore/restored-keys.ts';
import { isLongRun, Random, randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { backUpByHand, masterKeyIn } from './hand-made-backup.ts';
import { NaiveShop, pendingEvents } from './naive-shop.ts';
import { RandomShop } from './random-shop.ts';

const POINTS = isLongRun() ? 100 : 20;
const POINTS_PER_SHOP = 10;
const NOW_MS = Date.UTC(2100, 0, 1);

/** Which parts a backup has; the last one is made as `purser backup` makes it. */
const SHAPES = [
  { base: 1, hasLog: false, hasManifest: true },
  { base: 0, hasLog: true, hasManifest: false },
  { base: 0.6, hasLog: true, hasManifest: true },
  { base: 0.6, hasLog: true, hasManifest: false },
  undefined,
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
      t.diagnostic(
        JSON.stringify({ ...countsOf(whole.facts.map(({ kind }) => kind)), events: whole.events.length }),
      );
      t.diagnostic(
        JSON.stringify(countsOf(whole.had().map((line) => line.slice(line.lastIndexOf(' ') + 1)))),
      );
      for (let point = 0; point < POINTS_PER_SHOP; point += 1) {
        const path = join(folder.path, `target-${shop}-${point}`);
        const target = new FolderTarget(path, { makesFolder: true });
        const shape = SHAPES[random.between(0, SHAPES.length - 1)];
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
        await compare(original, data, last, beginsEpoch, what);
        await target.close();
        // All of them at once take 200 MB.
        for (const done of [path, data]) await rm(done, { recursive: true });
      }
      assert.deepEqual(leftBeside(folder.path), [], 'nothing is left beside');
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

/** How often each word is there. */
function countsOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
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

async function compare(
  original: string,
  data: string,
  last: number,
  isNewEpoch: boolean,
  what: string,
): Promise<void> {
  const expected = await NaiveShop.read(original, (seq) => seq <= last);
  const restored = await NaiveShop.read(data, (seq) => seq <= last);
  assert.deepEqual(restored.tables, expected.tables, what);
  assert.deepEqual(restored.sold, expected.sold, what);
  const had = expected.had();
  assert.deepEqual(restored.had(), had, what);
  assert.deepEqual(restored.lookedUp(had), had, what);
  await Promise.all([expected.close(), restored.close()]);

  // Nothing was ever delivered. The fact of the new epoch closes the group that was open.
  const all = isNewEpoch ? await NaiveShop.read(data) : restored;
  const pending = await pendingEvents(data);
  assert.deepEqual(
    pending.filter((event) => !all.events.includes(event)),
    [],
    what,
  );
  // What a later removal of the webhook cancelled may count as done.
  const cancelled = await NaiveShop.read(original);
  const wanted = all.events.filter((event) => !cancelled.isCancelled(event));
  assert.deepEqual(
    wanted.filter((event) => !pending.includes(event)),
    [],
    what,
  );
  await cancelled.close();
  if (isNewEpoch) await all.close();
  const report: string[] = [];
  assert.ok(await verifyDataFolder(data, (line) => report.push(line)), `${what}: ${report.join('\n')}`);
  assert.ok(!report.some((line) => line.includes('not used by any product')), report.join('\n'));
  assert.ok(!existsSync(join(data, 'fingerprints-0.run')), what);
}

function leftBeside(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.includes('.restoring-'));
}
