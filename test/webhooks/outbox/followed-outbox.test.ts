/**
 * An outbox that others follow: what a round writes is in the log before it is in the leader's folder, so after a crash
 * both folders come to the same rows from the log alone, and either goes on; each event reaches its receiver under one id.
 */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Fact } from '../../../src/engine/fact.ts';
import { createEnvironment } from '../../../src/persistence/lmdb/lmdb-environment.ts';
import { OutboxRows } from '../../../src/persistence/webhooks/followed-outbox.ts';
import { OUTBOX_FILE, OUTBOX_TABLES, openOutboxFile } from '../../../src/persistence/webhooks/outbox-file.ts';
import { type AllRows, allRows, inSmallParts } from '../../persistence/shipping/shipped-parts.ts';
import { type Random, randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { OK, OutboxScene, REFUSED } from './outbox-scene.ts';
import { account, placed, START_MS, stockAdded, webhookRemoved, webhookSet } from './shop-facts.ts';

const ACCOUNTS = [1, 2, 3];
const STEPS = roundsOr(40);

/** A folder's `webhooks.mdb` that follows a log. */
class Follower {
  readonly folder: string;
  /** So many parts of the log are applied, up to the end of a set. */
  applied = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async begin(folder: string): Promise<Follower> {
    mkdirSync(folder, { recursive: true });
    await createEnvironment(join(folder, OUTBOX_FILE), OUTBOX_TABLES);
    return new Follower(folder);
  }

  /** The folder of another, which had so much of the log. */
  static copyOf(file: string, folder: string, applied: number): Follower {
    mkdirSync(folder, { recursive: true });
    copyFileSync(file, join(folder, OUTBOX_FILE));
    const follower = new Follower(folder);
    follower.applied = applied;
    return follower;
  }

  async follow(log: readonly Buffer[]): Promise<AllRows> {
    const rows = OutboxRows.open(this.folder);
    let end = this.applied;
    // One part, or some together.
    for (let begin = end; begin < log.length; begin = end) {
      end = Math.min(begin + 1 + (begin % 5), log.length);
      if (await rows.apply(log.slice(begin, end))) this.applied = end;
    }
    await rows.close();
    const { environment, tables } = openOutboxFile(this.folder);
    const all = allRows(tables);
    await environment.close();
    return all;
  }
}

async function begin(t: TestContext, random: Random) {
  const log: Buffer[] = [];
  const boundaries = [0];
  const scene = await OutboxScene.open({
    places: random.between(1, 8),
    windowMs: random.pick([0, 500]),
    ship: (parts) => {
      boundaries.push(log.push(...inSmallParts(parts, random.pick([50, 1_000, 100_000]))));
    },
  });
  const folder = await createTemporaryFolder('followed-outbox');
  t.after(async () => {
    await scene.close();
    await folder.remove();
  });
  return { scene, log, boundaries, path: (name: string) => join(folder.path, name) };
}

test('both folders come to the same rows after each crash, and either goes on', async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const { scene, log, boundaries, path } = await begin(t, random);
  const follower = await Follower.begin(path('follower'));
  scene.receiver = () => (random.chance(0.1) ? new Promise(() => {}) : random.pick([OK, OK, REFUSED]));
  await scene.happen(
    ...ACCOUNTS.map((id) => account(id, random.between(1, 4))),
    ...ACCOUNTS.map((id) => webhookSet(id)),
  );
  const sold = new Set<number>();
  let crashes = 0;
  for (let step = 0; step < STEPS; step += 1) {
    await scene.append(someFacts(random, scene.passedMs, sold));
    if (random.chance(0.7)) scene.outbox.round();
    if (random.chance(0.4)) await scene.pass(random.between(0, 90_000));
    if (random.chance(0.3)) await follower.follow(log);
    if (random.chance(0.2)) await crash();
  }
  scene.receiver = () => OK;
  await crash();
  await scene.pass(8 * 3_600_000);

  const bodies = new Map(scene.sent.map(({ eventId, body }) => [eventId, body]));
  for (const { eventId, body } of scene.sent) assert.equal(body, bodies.get(eventId), 'one id, one body');
  const told = new Set(
    scene.sent.flatMap(({ data }) => (data.orderId === undefined ? [] : [Number(data.orderId)])),
  );
  assert.deepEqual(
    [...sold].filter((orderId) => !told.has(orderId)),
    [],
    'no event is missing',
  );

  /** The other node takes over, or this one comes back; the log may lack the end of a round that no node has taken. */
  async function crash(): Promise<void> {
    crashes += 1;
    const { isShipping } = scene.outbox.writer;
    // What is being shipped is not in the leader's file yet.
    const written = isShipping ? boundaries.slice(0, -1) : boundaries;
    const begun = written.at(-1) ?? 0;
    if (isShipping && follower.applied <= begun && random.chance(0.5)) {
      log.length = random.between(begun, log.length - 1);
      boundaries.pop();
    }
    const earlier = random.pick(written);
    const file = scene.keepProgress();
    const old = Follower.copyOf(file, path(`old-${crashes}`), earlier);
    assert.deepEqual(await old.follow(log), await follower.follow(log), 'the same rows');
    await scene.restart(join(random.pick([old, follower]).folder, OUTBOX_FILE));
  }
});

function someFacts(random: Random, passedMs: number, sold: Set<number>): Fact[] {
  const atMs = START_MS + passedMs;
  return Array.from({ length: random.between(1, 10) }, () => {
    const accountId = random.pick(ACCOUNTS);
    if (random.chance(0.3)) return stockAdded(random.between(1, 20), atMs);
    sold.add(sold.size + 1);
    return placed(sold.size, { accountId }, atMs);
  });
}

test('nothing is written, and nothing begins, before other nodes have it', async (t) => {
  const { scene, log } = await begin(t, randomFromEnvironment());
  await scene.happen(account(1, 1), webhookSet(1));
  await scene.append([placed(1)]);
  scene.outbox.round();
  scene.outbox.round();
  const { position } = scene.outbox;
  assert.equal(scene.outbox.writer.isShipping, true);
  await scene.append([placed(2)]);
  scene.outbox.round();
  scene.outbox.dispatch();
  assert.equal(scene.outbox.position, position);
  const parts = log.length;
  scene.outbox.writer.shipped();
  scene.outbox.round();
  assert.ok(scene.outbox.position > position);
  assert.equal(log.length, parts, 'the next round ships what was read since');
  await scene.happen(webhookRemoved(1));
  assert.ok(log.length > parts);
});
