/**
 * Random facts, random answers, and crashes between any two steps and behind any commit, on the disk that it left: every
 * event that the facts give reaches its receiver, none that they don't, each under one id, first attempts in
 * order; and what waits when its webhook is deleted is cancelled. Where another node follows, what a pass writes is in
 * the log before it is in the leader's folder: after a crash both folders come to the same rows from the log alone, and
 * either goes on. `PURSER_TEST_SEED` repeats the choices.
 */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Fact } from '../../../src/engine/fact.ts';
import { createEnvironment } from '../../../src/persistence/lmdb/lmdb-environment.ts';
import { OutboxRows } from '../../../src/persistence/webhooks/followed-outbox.ts';
import { OUTBOX_FILE, OUTBOX_TABLES, openOutboxFile } from '../../../src/persistence/webhooks/outbox-file.ts';
import { type AllRows, allRows, inSmallParts } from '../../persistence/shipping/shipped-parts.ts';
import { type Random, randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { BUSY, OK, OutboxScene, REFUSED } from './outbox-scene.ts';
import { account, placed, START_MS, stockAdded, webhookRemoved, webhookSet } from './shop-facts.ts';

const ACCOUNTS = [1, 2, 3];
const STEPS = roundsOr(40);

interface Sold {
  readonly accountId: number;
  readonly orderId: number;
  /** Since the account's webhook was deleted for the last time. */
  isCancelled: boolean;
}

/** A folder's `webhooks.mdb` that follows a log. */
class Follower {
  readonly folder: string;
  /** So many parts of the log are applied, up to the end of a set. */
  applied: number;

  constructor(folder: string, applied = 0) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.applied = applied;
  }

  get file(): string {
    return join(this.folder, OUTBOX_FILE);
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

/** The log of a leader's outbox, and another node that follows it. */
class FollowedLog {
  readonly log: Buffer[] = [];
  readonly #boundaries = [0];
  readonly #random: Random;
  readonly #path: string;
  readonly #follower: Follower;
  #crashes = 0;

  private constructor(random: Random, path: string) {
    this.#random = random;
    this.#path = path;
    this.#follower = new Follower(join(path, 'follower'));
  }

  static async begin(random: Random, path: string): Promise<FollowedLog> {
    const followed = new FollowedLog(random, path);
    await createEnvironment(followed.#follower.file, OUTBOX_TABLES);
    return followed;
  }

  readonly ship = (parts: readonly Buffer[]): void => {
    const small = inSmallParts(parts, this.#random.pick([50, 1_000, 100_000]));
    this.#boundaries.push(this.log.push(...small));
  };

  follow(): Promise<AllRows> {
    return this.#follower.follow(this.log);
  }

  /** The other node takes over, or this one comes back; the log may lack the end of a pass that no node has taken. */
  async crash(scene: OutboxScene): Promise<void> {
    this.#crashes += 1;
    const { isShipping } = scene.outbox.writer;
    // What is being shipped is not in the leader's file yet.
    const written = isShipping ? this.#boundaries.slice(0, -1) : this.#boundaries;
    const begun = written.at(-1) ?? 0;
    if (isShipping && this.#follower.applied <= begun && this.#random.chance(0.5)) {
      this.log.length = this.#random.between(begun, this.log.length - 1);
      this.#boundaries.pop();
    }
    const old = new Follower(join(this.#path, `old-${this.#crashes}`), this.#random.pick(written));
    copyFileSync(scene.keepProgress(), old.file);
    assert.deepEqual(await old.follow(this.log), await this.follow(), 'the same rows');
    await scene.restart(this.#random.pick([old, this.#follower]).file);
  }
}

for (const [what, comeAndGo, isFollowed] of [
  ['webhooks that stay', false, false],
  ['webhooks that come and go', true, false],
  ['webhooks that stay, on nodes that follow each other', false, true],
] as const) {
  test(`${what}, and crashes at any moment`, async (t) => {
    const random = randomFromEnvironment();
    t.diagnostic(`seed ${random.seed}`);
    const folder = await createTemporaryFolder('outbox-crash');
    const followed = isFollowed ? await FollowedLog.begin(random, folder.path) : undefined;
    const scene = await OutboxScene.open({
      places: random.between(1, 8),
      windowMs: random.pick([0, 500]),
      ...(followed === undefined ? {} : { ship: followed.ship }),
    });
    t.after(async () => {
      await scene.close();
      await folder.remove();
    });
    const crash = () => followed?.crash(scene) ?? scene.restart();
    scene.receiver = () => {
      if (random.chance(0.1)) return new Promise(() => {});
      return random.pick([OK, OK, OK, REFUSED, BUSY]);
    };
    const subscribed = new Set(ACCOUNTS);
    const sold: Sold[] = [];
    const restocked = new Set<number>();
    const fact = (): Fact => {
      const accountId = random.pick(ACCOUNTS);
      const atMs = START_MS + scene.passedMs;
      if (comeAndGo && (random.chance(0.1) || !subscribed.has(accountId))) {
        subscribed.add(accountId);
        return webhookSet(accountId);
      }
      if (comeAndGo && random.chance(0.1)) {
        subscribed.delete(accountId);
        for (const order of sold) if (order.accountId === accountId) order.isCancelled = true;
        return webhookRemoved(accountId);
      }
      if (random.chance(0.2)) {
        const productId = random.between(1, 20);
        restocked.add(productId);
        return stockAdded(productId, atMs);
      }
      const orderId = sold.push({ accountId, orderId: sold.length + 1, isCancelled: false });
      return placed(orderId, { accountId }, atMs);
    };
    await scene.happen(...ACCOUNTS.flatMap((id) => [account(id, random.between(1, 4)), webhookSet(id)]));
    for (let step = 0; step < STEPS; step += 1) {
      await scene.append(Array.from({ length: random.between(1, 10) }, fact));
      if (random.chance(0.7)) await scene.passWithCrashes(() => random.chance(0.2), crash);
      if (random.chance(0.4)) await scene.pass(random.between(0, 90_000));
      if (random.chance(0.3)) await followed?.follow();
      if (random.chance(0.3)) await crash();
    }
    for (const accountId of ACCOUNTS)
      if (!subscribed.has(accountId)) await scene.append([webhookSet(accountId)]);
    // Attempts that hang keep their places: a last restart lets go of them.
    await crash();
    scene.receiver = () => OK;
    await scene.pass(8 * 3_600_000);

    assert.equal(scene.outbox.counters.pending, 0);
    const bodies = new Map(scene.sent.map(({ eventId, body }) => [eventId, body]));
    for (const { eventId, body } of scene.sent) assert.equal(body, bodies.get(eventId), 'one id, one body');
    for (const accountId of ACCOUNTS) {
      const told = scene.sent.filter((sent) => sent.accountId === accountId);
      const ofOrders = told.filter(({ data }) => data.orderId !== undefined);
      const firsts = [...new Set(ofOrders.map(({ data }) => Number(data.orderId)))];
      const own = sold.filter((order) => order.accountId === accountId);
      const due = own.filter(({ isCancelled }) => !isCancelled).map(({ orderId }) => orderId);
      assert.deepEqual(firsts.slice(firsts.length - due.length), due, 'all that was not cancelled');
      const inOrder = own.map(({ orderId }) => orderId).filter((id) => firsts.includes(id));
      assert.deepEqual(firsts, inOrder, 'first attempts in order, and of nobody else');
      assert.equal(new Set(ofOrders.map(({ eventId }) => eventId)).size, firsts.length, 'an id each');
      const history = await scene.history(accountId, 10_000);
      assert.equal(new Set(history.map(({ number }) => number)).size, history.length);
      const events = new Set(told.map(({ eventId }) => eventId)).size;
      if (comeAndGo) {
        assert.ok(events <= history.length, 'all that was sent is kept');
        assert.ok(history.every(({ status }) => status !== 'pending'));
        continue;
      }
      assert.equal(history.length, events, 'nothing is stored that was never sent');
      assert.ok(history.every(({ status }) => status === 'delivered' || status === 'discarded'));
      const products = told.flatMap(({ data }) => (data.productIds ?? []) as number[]);
      assert.deepEqual(new Set(products), restocked, 'every change of stock');
    }
  });
}

test('nothing is written, and nothing begins, before other nodes have it', async (t) => {
  const log: unknown[] = [];
  const scene = await OutboxScene.open({ ship: (parts) => void log.push(...parts) });
  t.after(() => scene.close());
  await scene.happen(account(1, 1), webhookSet(1));
  await scene.append([placed(1)]);
  scene.outbox.pass();
  scene.outbox.pass();
  const { position } = scene.outbox;
  assert.equal(scene.outbox.writer.isShipping, true);
  await scene.append([placed(2)]);
  scene.outbox.pass();
  scene.outbox.dispatch();
  assert.equal(scene.outbox.position, position);
  const parts = log.length;
  scene.outbox.writer.shipped();
  scene.outbox.pass();
  assert.ok(scene.outbox.position > position);
  assert.equal(log.length, parts, 'the next pass ships what was read since');
});
