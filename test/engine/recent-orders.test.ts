/** Orders younger than the checkpoint come out as they went in, whatever they hold, and as they are now. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Adjustment } from '../../src/engine/adjustments.ts';
import { NO_KEY, ORDER_STATUSES, type Order } from '../../src/engine/orders.ts';
import { PRICE_RULES } from '../../src/engine/pricing/price-rule.ts';
import { costOf, type OrderCost } from '../../src/engine/recent/order-columns.ts';
import { RecentOrders } from '../../src/engine/recent/recent-orders.ts';

const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const adjustments: fc.Arbitrary<Adjustment[]> = fc.array(
  fc.record({
    kind: fc.constant('refund' as const),
    part: fc.constantFrom('rest' as const, 'items' as const),
    key: fc.string(),
    atMs: amount,
    amountMicros: amount,
    items: fc.array(fc.nat(), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 2 },
);
const contents: fc.Arbitrary<Omit<Order, 'orderId'>> = fc.record({
  accountId: fc.constantFrom(1, 2, 1_000_000),
  idempotencyKey: fc
    .array(fc.integer({ min: 1, max: 0xd7ff }), { maxLength: 128 })
    .map((units) => String.fromCharCode(...units)),
  productId: fc.integer({ min: 1, max: 1_000_000 }),
  quantity: fc.integer({ min: 1, max: 10_000 }),
  expectedPriceUsdt: fc.double({ noNaN: true }),
  recipientUsername: fc.option(fc.string({ minLength: 1 })),
  requestNumber: fc.nat(),
  status: fc.constantFrom(...ORDER_STATUSES),
  totalMicros: amount,
  balanceAfterMicros: amount,
  firstItem: fc.integer({ min: -1, max: 2 ** 40 }),
  fileId: fc.option(fc.string({ minLength: 1 })),
  textCount: fc.integer({ min: 0, max: 10_000 }),
  createdAtMs: amount,
  adjustments: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, adjustments),
  priceRule: fc.constantFrom(null, ...PRICE_RULES),
  priceListId: fc.option(fc.integer({ min: 1, max: 1_000 })),
});
/** Steps: an order is added, one is changed or recovered, numbers skip, or a fold begins or ends. */
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ add: contents }) },
    { weight: 1, arbitrary: fc.record({ skip: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 3, arbitrary: fc.record({ change: contents, nth: fc.nat() }) },
    { weight: 1, arbitrary: fc.constant('fold' as const) },
  ),
  { maxLength: 60 },
);

test('recent orders equal a plain map of them', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), steps, (first, steps) => {
      const recent = new RecentOrders();
      let [older, current] = [new Map<number, Order>(), new Map<number, Order>()];
      let next = first;
      let isFolding = false;
      for (const step of steps) {
        if (step === 'fold') {
          if (isFolding) {
            recent.dropOlder();
            older = new Map();
          } else {
            recent.cut();
            [older, current] = [current, new Map()];
          }
          isFolding = !isFolding;
        } else if ('skip' in step) {
          next += step.skip;
        } else if ('add' in step) {
          const order = { orderId: next, ...step.add };
          next += 1;
          recent.add(order);
          current.set(order.orderId, order);
        } else if (next > first) {
          const orderId = first + (step.nth % (next - first));
          const { idempotencyKey, accountId } = current.get(orderId) ?? older.get(orderId) ?? step.change;
          const order = { orderId, ...step.change, idempotencyKey, accountId };
          recent.change(order);
          current.set(order.orderId, order);
        }
        for (let orderId = first - 1; orderId <= next; orderId += 1) {
          assert.deepEqual(recent.get(orderId), current.get(orderId) ?? older.get(orderId));
        }
      }
      assert.deepEqual(byNumber(recent.values()), byNumber([...older.values(), ...current.values()]));
      const now = [...new Map([...older, ...current]).values()];
      for (const accountId of new Set(now.map((order) => order.accountId))) {
        const costs: string[] = [];
        recent.eachCost(accountId, (cost) => costs.push(costText(cost)));
        const own = now.filter((order) => order.accountId === accountId);
        assert.deepEqual(costs.sort(), own.map((order) => costText(costOf(order))).sort());
      }
    }),
    { numRuns: 50 },
  );
});

test('a skip over a thousand million numbers takes no room, and orders on both sides of it are found', () => {
  const recent = new RecentOrders();
  const ids = [1, 2, 1e9, 1e9 + 1, 3e9];
  for (const orderId of ids) recent.add(orderOf(orderId));
  recent.change({ ...orderOf(5e8), idempotencyKey: 'recovered' });
  recent.change({ ...orderOf(2), status: 'refunded' });
  assert.deepEqual(
    Array.from(recent.values(), ({ orderId }) => orderId),
    [...ids, 5e8],
  );
  for (const orderId of [0, 3, 5e8 + 1, 1e9 + 2, 3e9 + 1]) assert.equal(recent.get(orderId), undefined);
  assert.equal(recent.get(2)?.status, 'refunded');
  assert.equal(recent.isOf(5e8, orderOf(5e8).accountId, 'recovered'), true);
  assert.equal(recent.first, 1);
});

test('generations of all sizes follow each other, in the same room', () => {
  const recent = new RecentOrders();
  let last = 0;
  for (const count of [0, 3, 5_000, 0, 1, 2, 2, 2, 3_000, 3_000, 0, 0, 700]) {
    const orders = Array.from({ length: count }, (_, index): Order => {
      const order = orderOf(last + 1 + index);
      // In others' places there was something else.
      if (index % 7 === 0)
        return { ...order, recipientUsername: `@buyer${index}`, idempotencyKey: 'k'.repeat(90) };
      return index % 5 === 0 ? { ...order, fileId: `file ${index}` } : order;
    });
    last += count;
    for (const order of orders) recent.add(order);
    recent.dropOlder();
    recent.cut();
    assert.deepEqual([...recent.values()], orders);
    assert.equal(recent.unkeyed, orders.filter(({ idempotencyKey }) => idempotencyKey === NO_KEY).length);
  }
});

function orderOf(orderId: number): Order {
  return {
    orderId,
    accountId: orderId % 7,
    idempotencyKey: `key ${orderId}`,
    productId: orderId % 5,
    quantity: 1,
    expectedPriceUsdt: orderId / 100,
    recipientUsername: null,
    requestNumber: 0,
    status: 'completed',
    totalMicros: orderId * 10_000,
    balanceAfterMicros: 0,
    firstItem: orderId,
    fileId: null,
    textCount: 0,
    createdAtMs: 1_700_000_000_000 + orderId,
    adjustments: [],
    priceRule: 'product',
    priceListId: null,
  };
}

function costText({ orderId, isKeyed, status, totalMicros, ...cost }: OrderCost): string {
  const { createdAtMs, paidAtMs, adjustments } = cost;
  return JSON.stringify([orderId, isKeyed, status, totalMicros, createdAtMs, paidAtMs, adjustments]);
}

/** A changed order comes after those that are as they were; by number, and as it came among its like. */
function byNumber(orders: Iterable<Order>): Order[] {
  return [...orders].sort((a, b) => a.orderId - b.orderId);
}
