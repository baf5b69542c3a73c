/** Deliveries by hand that are overdue: one alert for all of them, repeated when there are new ones, but seldom. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_OVERDUE, OverdueWatch } from '../../src/alerts/overdue-watch.ts';
import type { History } from '../../src/engine/history.ts';
import type { OrderStatus } from '../../src/engine/orders.ts';
import { State } from '../../src/engine/state.ts';
import { order } from '../webhooks/outbox/shop-facts.ts';
import { NOT_STOPPED, Watched } from './watched.ts';

const HOUR_MS = 3_600_000;
const LIMIT_MS = 24 * HOUR_MS;

function underTest() {
  const watched = new Watched();
  const state = new State();
  /** What the checkpoint has. */
  const orders = new Map<number, { status: OrderStatus; createdAtMs: number }>();
  const supplied = new Set<number>();
  state.supplierPurchases.ofOrder = ((orderId: number) =>
    supplied.has(orderId) ? {} : undefined) as State['supplierPurchases']['ofOrder'];
  let reads = 0;
  let setMs = 0;
  const history = {
    order: (orderId: number) => {
      reads += 1;
      return { ...order(orderId), ...orders.get(orderId) };
    },
  } as unknown as History;
  function* pendingOrders(from: number): IterableIterator<number> {
    for (const orderId of orders.keys()) if (orderId >= from) yield orderId;
  }
  const watch = new OverdueWatch({
    standing: watched.standing,
    engine: { state },
    history,
    pendingOrders,
    limitMs: LIMIT_MS,
    clock: watched.clock,
    monotonicMs: () => watched.nowMs - setMs,
  });
  return {
    watched,
    orders,
    supplied,
    open: (orderId: number) =>
      orders.set(orderId, { status: 'pending_delivery', createdAtMs: watched.nowMs }),
    look: async (passedMs = HOUR_MS) => {
      watched.nowMs += passedMs;
      reads = 0;
      await watch.look(NOT_STOPPED);
      return watched.told();
    },
    reads: () => reads,
    /** Somebody sets the clock. */
    setClock: (byMs: number) => {
      setMs += byMs;
      watched.nowMs += byMs;
    },
  };
}

function line(state: string, orders: number, oldestOrderId: number | null): string[] {
  return [`DELIVERY_OVERDUE ${state} ${JSON.stringify({ orders, oldestOrderId })}`];
}

test('all are one alert; again when there are more, at most once an hour; over when none is', async () => {
  const { look, open, orders, supplied, watched } = underTest();
  open(3);
  supplied.add(3);
  open(5);
  open(6);
  assert.deepEqual(await look(), [], 'they are new');
  open(9);
  assert.deepEqual(await look(LIMIT_MS - 2 * HOUR_MS), [], 'nearly');
  assert.deepEqual(await look(), line('firing', 2, 5), "a supplier's order is not counted");
  assert.deepEqual(await look(30 * 60_000), [], 'the same');
  assert.deepEqual(await look(29 * 60_000), []);
  assert.deepEqual(await look(60_000), line('firing', 3, 5), 'one more, an hour later');
  assert.deepEqual(await look(), [], 'nothing new');
  orders.delete(5);
  assert.deepEqual(await look(), [], 'fewer are no news');
  orders.set(6, { status: 'completed', createdAtMs: 0 });
  orders.delete(9);
  assert.deepEqual(
    await look(),
    line('resolved', 0, null),
    'the checkpoint does not know yet that 6 is done',
  );
  assert.match(watched.messages[0] ?? '', /overdue: 2, the oldest is order 5\. See purser order list/);
});

test('it is looked once a minute, and no further than orders are overdue', async () => {
  const { look, open, reads, watched } = underTest();
  for (let orderId = 1; orderId <= 5; orderId += 1) open(orderId);
  watched.nowMs += LIMIT_MS;
  for (let orderId = 6; orderId <= 1_000; orderId += 1) open(orderId);
  assert.deepEqual(await look(0), line('firing', 5, 1));
  assert.equal(reads(), 6);
  await look(59_000);
  assert.equal(reads(), 0);
  await look(1_000);
  assert.equal(reads(), 6);
});

test('of very many it counts so many and no more', async () => {
  const { look, open, reads, watched } = underTest();
  for (let orderId = 1; orderId <= MAX_OVERDUE + 500; orderId += 1) open(orderId);
  assert.deepEqual(await look(LIMIT_MS), line('firing', MAX_OVERDUE, 1));
  assert.ok(reads() <= MAX_OVERDUE + 1);
  assert.match(watched.messages[0] ?? '', /1000 or more/);
});

test('a clock that is set back keeps it from looking no longer than otherwise', async () => {
  const { look, open, setClock } = underTest();
  open(1);
  assert.deepEqual(await look(LIMIT_MS), line('firing', 1, 1));
  setClock(-2 * LIMIT_MS);
  assert.deepEqual(await look(60_000), line('resolved', 0, null));
});
