/** What operators see and replay: never what is older than the webhook, and in bounded steps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_EPOCH } from '../../src/engine/epochs.ts';
import { eventNumber } from '../../src/persistence/webhooks/event-row.ts';
import {
  MAX_EVENTS_OF_A_MOMENT,
  MAX_REPLAYED_AT_ONCE,
  OperatorDeliveries,
} from '../../src/webhooks/operator-deliveries.ts';
import { OutboxScene } from './outbox/outbox-scene.ts';
import { placed, START_MS, webhookSet } from './outbox/shop-facts.ts';

const EVENTS = 2 * MAX_REPLAYED_AT_ONCE + 20;
const PER_GROUP = 60;
const NOBODY_LOOKS = {
  failingAbove: () => assert.fail('nobody asks who fails'),
  reports: () => assert.fail('nobody asks how it goes'),
};
const ENDED = ['delivered', 'discarded'] as const;

test('replays of all since a time are steps that take each event once, oldest first', async (t) => {
  const scene = await OutboxScene.open();
  t.after(() => scene.close());
  const thread = {
    neededPosition: () => 0,
    replay: async (accountId: number, numbers: readonly number[]) =>
      numbers.filter((number) => scene.outbox.replay(accountId, number)).length,
    test: () => assert.fail('nothing is tested'),
    ...NOBODY_LOOKS,
  };
  const deliveries = new OperatorDeliveries(scene.folder, thread, () => START_MS);
  t.after(() => deliveries.close());
  const step = async (sinceMs: number, from: number) =>
    (await deliveries.replaySince(1, sinceMs, from, ENDED)) ?? assert.fail('too many replays');

  // One event a second, and now and then one of a neighbour's in between.
  const only = { events: ['order.completed'] as const };
  await scene.happen(webhookSet(1, only), webhookSet(2, only));
  for (let first = 1; first <= EVENTS; first += PER_GROUP) {
    const orders = Array.from({ length: PER_GROUP }, (_, index) => first + index);
    await scene.happen(
      ...orders.map((orderId) => placed(orderId, {}, START_MS + orderId * 1_000)),
      placed(100_000 + first, { accountId: 2 }, START_MS + first * 1_000),
    );
  }

  const named = async (period: { fromMs: number; toMs: number }, limit: number, before?: number) =>
    (await deliveries.page(1, limit, before, period))?.map(
      ({ createdAtMs }) => (createdAtMs - START_MS) / 1_000,
    );
  const second = (count: number) => START_MS + count * 1_000;
  const never = Number.POSITIVE_INFINITY;
  assert.deepEqual(
    await named({ fromMs: second(3), toMs: second(6) }, 10),
    [5, 4, 3],
    'the end is not in it',
  );
  assert.deepEqual(await named({ fromMs: second(3), toMs: second(6) }, 2), [5, 4]);
  assert.deepEqual(await named({ fromMs: 0, toMs: second(1) }, 10), []);
  assert.deepEqual(await named({ fromMs: second(EVENTS), toMs: never }, 10), [EVENTS]);
  assert.deepEqual(await named({ fromMs: second(EVENTS + 1), toMs: never }, 10), []);
  const [newest] = (await deliveries.page(1, 1)) ?? [];
  assert.deepEqual(await named({ fromMs: second(EVENTS - 1), toMs: never }, 10, newest?.number), [
    EVENTS - 1,
  ]);

  let turns = 0;
  const countTurns = () => {
    turns += 1;
    turn = setImmediate(countTurns);
  };
  let turn = setImmediate(countTurns);
  t.after(() => clearImmediate(turn));

  const skipped = 7;
  const sinceMs = START_MS + (skipped + 1) * 1_000;
  assert.deepEqual(await deliveries.countSince(1, sinceMs, 0, ENDED), {
    count: EVENTS - skipped,
    next: undefined,
  });
  assert.deepEqual(await deliveries.countSince(1, sinceMs, 0, ['discarded']), { count: 0, next: undefined });
  const counts: number[] = [];
  let from = 0;
  for (;;) {
    const turnsBefore = turns;
    const { count, next } = await step(sinceMs, from);
    if (next !== undefined) assert.ok(turns - turnsBefore >= 5, 'others have their turns between its rows');
    counts.push(count);
    if (next === undefined) break;
    from = next;
  }
  assert.deepEqual(counts, [MAX_REPLAYED_AT_ONCE, MAX_REPLAYED_AT_ONCE, EVENTS - skipped - 1_000]);

  // They are pending on disk once the outbox has had its round, and then there is nothing to replay.
  scene.receiver = () => new Promise(() => {});
  await scene.work();
  const statuses = Array.from(scene.store.events(1, 0), ({ status }) => status);
  assert.ok(statuses.slice(0, skipped).every((status) => status === 'delivered'));
  assert.equal(statuses.filter((status) => status === 'pending').length, EVENTS - skipped);
  assert.deepEqual(await step(sinceMs, from), { count: 0, next: undefined });
  for (const sinceLateMs of [START_MS + (EVENTS + 1) * 1_000, Number.MAX_SAFE_INTEGER]) {
    assert.deepEqual(await step(sinceLateMs, 0), { count: 0, next: undefined });
  }
});

test('an event of an order is found by its fact, or among the first of its millisecond', async (t) => {
  const scene = await OutboxScene.open();
  t.after(() => scene.close());
  const thread = {
    neededPosition: () => 0,
    replay: () => assert.fail('nothing is replayed'),
    test: () => assert.fail('nothing is tested'),
    ...NOBODY_LOOKS,
  };
  const deliveries = new OperatorDeliveries(scene.folder, thread, () => START_MS);
  t.after(() => deliveries.close());
  await scene.happen(webhookSet(1, { events: ['order.completed'] as const }));
  const before = scene.position;
  const count = Math.ceil((MAX_EVENTS_OF_A_MOMENT + 1) / PER_GROUP) * PER_GROUP;
  for (let first = 1; first <= count; first += PER_GROUP) {
    const orders = Array.from({ length: PER_GROUP }, (_, index) => first + index);
    await scene.happen(...orders.map((orderId) => placed(orderId, {}, START_MS)));
  }
  await scene.happen(placed(count + 1, {}, START_MS + 1));

  const found = async (orderId: number, atMs = START_MS) => {
    const { delivery, isComplete } =
      (await deliveries.ofPurchase(1, orderId, atMs)) ?? assert.fail('too many');
    return [delivery?.number, isComplete];
  };
  const numberOf = (orderId: number) => eventNumber(before + orderId, 'order.completed', FIRST_EPOCH);
  for (const orderId of [1, 51, MAX_EVENTS_OF_A_MOMENT]) {
    assert.deepEqual(await found(orderId), [numberOf(orderId), true]);
  }
  assert.deepEqual(await found(count), [undefined, false], 'more than are looked at came before it');
  assert.deepEqual(await found(count + 1, START_MS + 1), [numberOf(count + 1), true]);
  assert.deepEqual(await found(count + 2, START_MS + 1), [undefined, true]);
  assert.deepEqual(await found(1, START_MS - 1), [undefined, true]);
  const facts = [before, before + count, before + 3];
  assert.deepEqual(
    (await deliveries.ofFacts(1, facts))?.map(({ number }) => number),
    [numberOf(count), numberOf(3)],
    'the registration told nothing',
  );
});

test('nobody is shown what was before the webhook changed, and few wait for the thread to read so far', async (t) => {
  const scene = await OutboxScene.open();
  t.after(() => scene.close());
  const only = { events: ['order.completed'] as const };
  await scene.happen(webhookSet(1, only), placed(1));
  await scene.work();
  let needed = Number.MAX_SAFE_INTEGER;
  const thread = {
    neededPosition: () => needed,
    replay: () => assert.fail('nothing is replayed'),
    test: () => assert.fail('nothing is tested'),
    ...NOBODY_LOOKS,
  };
  const deliveries = new OperatorDeliveries(scene.folder, thread, () => START_MS);
  t.after(() => deliveries.close());
  const pages = Array.from({ length: 17 }, () => deliveries.page(1, 10));
  let told = 0;
  for (const page of pages.slice(0, 16)) void page.then(() => (told += 1));
  assert.equal(await pages[16], undefined);
  assert.equal(told, 0, 'one too many is told at once');
  assert.deepEqual(await Promise.all(pages), Array(17).fill(undefined));
  needed = 0;
  assert.equal((await deliveries.page(1, 10))?.length, 1);
});
