/**
 * Random facts, random answers, and crashes between any two steps and behind any commit, on the disk that it left: every
 * event that the facts give reaches its receiver, none that they don't, each under one id, first attempts in
 * order; and what waits when its webhook is deleted is cancelled. `PURSER_TEST_SEED` repeats the choices.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '../../../src/engine/fact.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
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

for (const comeAndGo of [false, true]) {
  test(`webhooks that ${comeAndGo ? 'come and go' : 'stay'}, and crashes at any moment`, async (t) => {
    const random = randomFromEnvironment();
    t.diagnostic(`seed ${random.seed}`);
    const scene = await OutboxScene.open({ places: random.between(1, 8), windowMs: random.pick([0, 500]) });
    t.after(() => scene.close());
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
      if (random.chance(0.7)) await scene.roundWithCrashes(() => random.chance(0.2));
      if (random.chance(0.4)) await scene.pass(random.between(0, 90_000));
      if (random.chance(0.3)) await scene.restart();
    }
    for (const accountId of ACCOUNTS)
      if (!subscribed.has(accountId)) await scene.append([webhookSet(accountId)]);
    // Attempts that hang keep their places: a last restart lets go of them.
    await scene.restart();
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
