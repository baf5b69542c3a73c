/** Replays of all since a time: bounded steps that miss nothing and take nothing twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeliveryHistory } from '../../../src/persistence/webhooks/delivery-history.ts';
import {
  MAX_REPLAYED_AT_ONCE,
  OperatorRequests,
} from '../../../src/webhooks/outbox/thread/operator-requests.ts';
import type { OperatorAnswers } from '../../../src/webhooks/outbox/thread/outbox-messages.ts';
import { OutboxScene } from './outbox-scene.ts';
import { placed, START_MS, webhookSet } from './shop-facts.ts';

const EVENTS = 2 * MAX_REPLAYED_AT_ONCE + 20;
const PER_GROUP = 60;
const ENDED = ['delivered', 'discarded'] as const;

test('replays of all since a time are steps that take each event once, oldest first', async (t) => {
  const scene = await OutboxScene.open();
  t.after(() => scene.close());
  const desk = new OperatorRequests(new DeliveryHistory(scene.store), scene.outbox);
  const step = (sinceMs: number, from: number) => {
    const question = { kind: 'replaySince', accountId: 1, sinceMs, from, statuses: ENDED } as const;
    return desk.answer(question) as OperatorAnswers['replaySince'];
  };

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

  const skipped = 7;
  const sinceMs = START_MS + (skipped + 1) * 1_000;
  const counts: number[] = [];
  let from = 0;
  for (;;) {
    const { count, next } = step(sinceMs, from);
    counts.push(count);
    if (next === undefined) break;
    from = next;
  }
  assert.deepEqual(counts, [MAX_REPLAYED_AT_ONCE, MAX_REPLAYED_AT_ONCE, EVENTS - skipped - 1_000]);

  // They are pending on disk once the outbox has had its turn, and then there is nothing to replay.
  scene.receiver = () => new Promise(() => {});
  await scene.settle();
  const statuses = Array.from(scene.store.events(1, 0), ({ status }) => status);
  assert.ok(statuses.slice(0, skipped).every((status) => status === 'delivered'));
  assert.equal(statuses.filter((status) => status === 'pending').length, EVENTS - skipped);
  assert.deepEqual(step(sinceMs, from), { count: 0, next: undefined });
  for (const sinceLateMs of [START_MS + (EVENTS + 1) * 1_000, Number.MAX_SAFE_INTEGER]) {
    assert.deepEqual(step(sinceLateMs, 0), { count: 0, next: undefined });
  }
});
