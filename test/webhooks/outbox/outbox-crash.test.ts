/**
 * Random facts, random answers, and crashes between any two steps, on the disk that the last commit left: every
 * event that the facts give reaches its receiver, none that they don't, each under one id, first attempts in
 * order; and what waits when its webhook is deleted is cancelled. `PURSER_TEST_SEED` repeats the choices.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Fact } from '../../../src/engine/fact.ts';
import { isLongRun, type Random, randomFromEnvironment } from '../../support/random.ts';
import { BUSY, OK, OutboxScene, REFUSED } from './outbox-scene.ts';
import { account, placed, START_MS, stockAdded, webhookRemoved, webhookSet } from './shop-facts.ts';

const ACCOUNTS = [1, 2, 3];
const RUNS = isLongRun() ? 6 : 2;
const STEPS = 60;

async function openRandomScene(t: TestContext): Promise<{ random: Random; scene: OutboxScene }> {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const scene = await OutboxScene.open({ places: random.between(1, 8), windowMs: random.pick([0, 500]) });
  t.after(() => scene.close());
  scene.receiver = () => {
    if (random.chance(0.1)) return new Promise(() => {});
    return random.pick([OK, OK, OK, REFUSED, BUSY]);
  };
  return { random, scene };
}

for (let run = 1; run <= RUNS; run += 1) {
  test(`crashes between any two steps, run ${run}`, async (t) => {
    const { random, scene } = await openRandomScene(t);
    await scene.happen(...ACCOUNTS.flatMap((id) => [account(id, random.between(1, 4)), webhookSet(id)]));
    const sold: { accountId: number; orderId: number }[] = [];
    const restocked = new Set<number>();
    for (let step = 0; step < STEPS; step += 1) {
      await scene.append(someFacts(random, scene.passedMs, sold, restocked));
      if (random.chance(0.7)) scene.outbox.round();
      if (random.chance(0.4)) await scene.pass(random.between(0, 90_000));
      if (random.chance(0.3)) await scene.restart();
    }
    // Attempts that hang keep their places: a last restart lets go of them.
    await scene.restart();
    scene.receiver = () => OK;
    await scene.pass(8 * 3_600_000);

    const ids = new Map(scene.sent.map(({ eventId, body }) => [eventId, body]));
    for (const { eventId, body } of scene.sent) assert.equal(body, ids.get(eventId), 'one id, one body');
    for (const accountId of ACCOUNTS) {
      const told = scene.sent.filter((sent) => sent.accountId === accountId);
      const orders = told.flatMap(({ data }) => (data.orderId === undefined ? [] : Number(data.orderId)));
      const expected = sold.filter((order) => order.accountId === accountId).map(({ orderId }) => orderId);
      assert.deepEqual([...new Set(orders)], expected, 'all orders, first attempts in order');
      const events = new Set(told.map(({ eventId }) => eventId));
      const orderEvents = told.filter(({ data }) => data.orderId !== undefined);
      assert.equal(new Set(orderEvents.map(({ eventId }) => eventId)).size, expected.length);
      const products = told.flatMap(({ data }) => (data.productIds ?? []) as number[]);
      assert.deepEqual(new Set(products), restocked, 'every change of stock');
      const history = await scene.history(accountId, 10_000);
      assert.equal(history.length, events.size, 'nothing is stored that was never sent');
      assert.ok(history.every(({ status }) => status === 'delivered' || status === 'discarded'));
    }
  });
}

function someFacts(
  random: Random,
  passedMs: number,
  sold: { accountId: number; orderId: number }[],
  restocked: Set<number>,
): Fact[] {
  const atMs = START_MS + passedMs;
  return Array.from({ length: random.between(1, 10) }, () => {
    if (random.chance(0.3)) {
      const productId = random.between(1, 20);
      restocked.add(productId);
      return stockAdded(productId, atMs);
    }
    const order = { accountId: random.pick(ACCOUNTS), orderId: sold.length + 1 };
    sold.push(order);
    return placed(order.orderId, { accountId: order.accountId }, atMs);
  });
}

interface Sold {
  readonly accountId: number;
  readonly orderId: number;
  /** Since the account's webhook was deleted for the last time. */
  isCancelled: boolean;
}

for (let run = 1; run <= RUNS; run += 1) {
  test(`webhooks that come and go between crashes, run ${run}`, async (t) => {
    const { random, scene } = await openRandomScene(t);
    await scene.happen(...ACCOUNTS.map((id) => account(id, random.between(1, 4))));
    const subscribed = new Set<number>();
    const sold: Sold[] = [];
    const fact = (): Fact => {
      const accountId = random.pick(ACCOUNTS);
      const atMs = START_MS + scene.passedMs;
      if (random.chance(0.1) || !subscribed.has(accountId)) {
        subscribed.add(accountId);
        return webhookSet(accountId);
      }
      if (random.chance(0.1)) {
        subscribed.delete(accountId);
        for (const order of sold) if (order.accountId === accountId) order.isCancelled = true;
        return webhookRemoved(accountId);
      }
      if (random.chance(0.1)) return stockAdded(random.between(1, 20), atMs);
      const orderId = sold.push({ accountId, orderId: sold.length + 1, isCancelled: false });
      return placed(orderId, { accountId }, atMs);
    };
    for (let step = 0; step < STEPS; step += 1) {
      await scene.append(Array.from({ length: random.between(1, 10) }, fact));
      if (random.chance(0.7)) scene.outbox.round();
      if (random.chance(0.3)) await scene.pass(random.between(0, 90_000));
      if (random.chance(0.3)) await scene.restart();
    }
    for (const accountId of ACCOUNTS)
      if (!subscribed.has(accountId)) await scene.append([webhookSet(accountId)]);
    await scene.restart();
    scene.receiver = () => OK;
    await scene.pass(8 * 3_600_000);

    assert.equal(scene.outbox.counters.pending, 0);
    for (const accountId of ACCOUNTS) {
      const told = scene.sent.filter((sent) => sent.accountId === accountId);
      const orders = told.flatMap(({ data }) => (data.orderId === undefined ? [] : Number(data.orderId)));
      const firsts = [...new Set(orders)];
      const own = sold.filter((order) => order.accountId === accountId);
      const due = own.filter(({ isCancelled }) => !isCancelled).map(({ orderId }) => orderId);
      assert.deepEqual(firsts.slice(firsts.length - due.length), due, 'all that was not cancelled');
      assert.deepEqual(
        firsts,
        own.map(({ orderId }) => orderId).filter((id) => firsts.includes(id)),
        'in order',
      );
      const history = await scene.history(accountId, 10_000);
      const kept = new Set(history.map(({ number }) => number));
      assert.equal(kept.size, history.length);
      assert.ok(history.every(({ status }) => status !== 'pending'));
      assert.ok(
        new Set(told.map(({ eventId }) => eventId)).size <= history.length,
        'all that was sent is kept',
      );
    }
  });
}
