/** Deliveries by hand that are overdue: one alert for all of them, repeated when there are new ones, but seldom. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OverdueWatch } from '../../src/alerts/overdue-watch.ts';
import type { History } from '../../src/engine/decide/history.ts';
import type { OrderStatus } from '../../src/engine/orders.ts';
import { State } from '../../src/engine/state.ts';
import { order } from '../webhooks/outbox/shop-facts.ts';
import { NOT_STOPPED, Watched } from './watched.ts';

const HOUR_MS = 3_600_000;
const LIMIT_MS = 24 * HOUR_MS;

function underTest() {
  const watched = new Watched();
  const state = new State();
  /** The orders in the checkpoint. */
  const orders = new Map<number, { status: OrderStatus; createdAtMs: number }>();
  const supplied = new Set<number>();
  state.supplierPurchases.ofOrder = ((orderId: number) =>
    supplied.has(orderId) ? {} : undefined) as State['supplierPurchases']['ofOrder'];
  const history = {
    order: (orderId: number) => ({ ...order(orderId), ...orders.get(orderId) }),
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
    monotonicMs: watched.clock,
  });
  return {
    watched,
    orders,
    supplied,
    open: (orderId: number) =>
      orders.set(orderId, { status: 'pending_delivery', createdAtMs: watched.nowMs }),
    look: async (passedMs = HOUR_MS) => {
      watched.nowMs += passedMs;
      await watch.look(NOT_STOPPED);
      return watched.told();
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
