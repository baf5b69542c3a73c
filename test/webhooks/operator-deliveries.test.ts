/** Deliveries that operators see and replay: never older than the webhook, and in bounded steps. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Fact } from '../../src/engine/fact.ts';
import { FIRST_EPOCH } from '../../src/engine/recovery/epochs.ts';
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
const ONLY_ORDERS = { events: ['order.completed'] } as const;
const ENDED = ['delivered', 'discarded'] as const;

async function begin(t: TestContext, thread: { neededPosition?: () => number } = {}) {
  const scene = await OutboxScene.open();
  const deliveries = new OperatorDeliveries(
    scene.folder,
    {
      neededPosition: () => 0,
      replay: async (accountId: number, numbers: readonly number[]) =>
        numbers.filter((number) => scene.outbox.replay(accountId, number)).length,
      test: () => assert.fail('nothing is tested'),
      failingAbove: () => assert.fail('nobody asks who fails'),
      reports: () => assert.fail('nobody asks how it goes'),
      ...thread,
    },
    () => START_MS,
  );
  t.after(async () => {
    await deliveries.close();
    await scene.close();
  });
  await scene.happen(webhookSet(1, ONLY_ORDERS), webhookSet(2, ONLY_ORDERS));
  /** Purchases from 1 to `count`, some of them a group. */
  const purchases = async (
    count: number,
    atMs: (orderId: number) => number,
    more: (first: number) => Fact[] = () => [],
  ) => {
    for (let first = 1; first <= count; first += PER_GROUP) {
      const orders = Array.from({ length: PER_GROUP }, (_, index) => first + index);
      await scene.happen(...orders.map((orderId) => placed(orderId, {}, atMs(orderId))), ...more(first));
    }
  };
  return { scene, deliveries, purchases };
}

test('replays of all since a time are steps that take each event once, oldest first', async (t) => {
  const { scene, deliveries, purchases } = await begin(t);
  const step = async (sinceMs: number, from: number) =>
    (await deliveries.replaySince(1, sinceMs, from, ENDED)) ?? assert.fail('too many replays');
  const second = (count: number) => START_MS + count * 1_000;
  // One event a second, and now and then one of a neighbour's in between.
  await purchases(EVENTS, second, (first) => [placed(100_000 + first, { accountId: 2 }, second(first))]);

  const [newest] = (await deliveries.page(1, 1)) ?? [];
  const never = Number.POSITIVE_INFINITY;
  for (const [fromMs, toMs, before, seconds] of [
    [second(3), second(6), undefined, [5, 4]],
    [0, second(1), undefined, []],
    [second(EVENTS), never, undefined, [EVENTS]],
    [second(EVENTS - 1), never, newest?.number, [EVENTS - 1]],
  ] as const) {
    const page = await deliveries.page(1, 2, before, { fromMs, toMs });
    assert.deepEqual(
      page?.map(({ createdAtMs }) => (createdAtMs - START_MS) / 1_000),
      [...seconds],
    );
  }

  const skipped = 7;
  const sinceMs = second(skipped + 1);
  const count = EVENTS - skipped;
  assert.deepEqual(await deliveries.countSince(1, sinceMs, 0, ENDED), { count, next: undefined });
  assert.deepEqual(await deliveries.countSince(1, sinceMs, 0, ['discarded']), { count: 0, next: undefined });
  const counts: number[] = [];
  let from: number | undefined = 0;
  let last = 0;
  while (from !== undefined) {
    last = from;
    const replayed = await step(sinceMs, from);
    counts.push(replayed.count);
    from = replayed.next;
  }
  assert.deepEqual(counts, [MAX_REPLAYED_AT_ONCE, MAX_REPLAYED_AT_ONCE, count - 2 * MAX_REPLAYED_AT_ONCE]);

  // They are pending on disk once the outbox has had its pass, and then there is nothing to replay.
  scene.receiver = () => new Promise(() => {});
  await scene.work();
  const statuses = Array.from(scene.store.events(1, 0), ({ status }) => status);
  assert.ok(statuses.slice(0, skipped).every((status) => status === 'delivered'));
  assert.equal(statuses.filter((status) => status === 'pending').length, count);
  assert.deepEqual(await step(sinceMs, last), { count: 0, next: undefined });
});

test('an event of an order is found by its fact, or among the first of its millisecond', async (t) => {
  const { scene, deliveries, purchases } = await begin(t);
  const before = scene.position;
  const count = Math.ceil((MAX_EVENTS_OF_A_MOMENT + 1) / PER_GROUP) * PER_GROUP;
  await purchases(count, () => START_MS);
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
  const events = await deliveries.ofFacts(1, [before, before + count, before + 3]);
  const numbers = events?.map(({ number }) => number);
  assert.deepEqual(numbers, [numberOf(count), numberOf(3)], 'the registration told nothing');
});

test('nobody is shown what was before the webhook changed, and few wait for the thread to read so far', async (t) => {
  let needed = Number.MAX_SAFE_INTEGER;
  const { scene, deliveries } = await begin(t, { neededPosition: () => needed });
  await scene.happen(placed(1));
  const pages = Array.from({ length: 17 }, () => deliveries.page(1, 10));
  let told = 0;
  for (const page of pages.slice(0, 16)) void page.then(() => (told += 1));
  assert.equal(await pages[16], undefined);
  assert.equal(told, 0, 'one too many is told at once');
  assert.deepEqual(await Promise.all(pages), Array(17).fill(undefined));
  needed = 0;
  assert.equal((await deliveries.page(1, 10))?.length, 1);
});
