/** The list of orders: every order once, newest first, as it is now, wherever it lies and whatever the pages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../../src/engine/apply.ts';
import type { Fact } from '../../../src/engine/fact.ts';
import { NO_ITEM, type Order } from '../../../src/engine/orders.ts';
import { State } from '../../../src/engine/state.ts';
import { pageOfOrders, parseOrderFilter } from '../../../src/http/operator/order-list.ts';
import { NOW_MS, worldFacts } from '../../engine/commands.ts';
import { FactHistory } from '../../engine/fact-history.ts';

const ORDERS = 5_000;
const EXAMINED_AT_MOST = 2_048;

function opened(orderId: number): Order {
  return {
    orderId,
    accountId: (orderId % 2) + 1,
    idempotencyKey: '',
    productId: (orderId % 3) + 1,
    quantity: 1,
    expectedPriceUsdt: 0,
    recipientUsername: null,
    requestNumber: 0,
    status: 'processing',
    totalMicros: 2_000_000,
    balanceAfterMicros: 0,
    firstItem: NO_ITEM,
    fileId: null,
    textCount: 0,
    adjustments: [],
    createdAtMs: NOW_MS,
  };
}

/** Orders of which the first 4,000 are in the checkpoint, every hundredth failed, before or after that. */
function scene() {
  const facts: Fact[] = worldFacts({ accounts: 2, products: 3, balanceMicros: 0, stock: 0 });
  const state = new State();
  for (const fact of facts) apply(state, fact);
  const add = (fact: Fact) => {
    apply(state, fact);
    facts.push(fact);
  };
  const cancel = (orderId: number) =>
    add({ kind: 'OrderCancelled', order: { ...opened(orderId), status: 'failed' }, atMs: NOW_MS });
  for (let orderId = 1; orderId <= ORDERS; orderId += 1) {
    add({ kind: 'OrderOpened', order: opened(orderId), atMs: NOW_MS });
    if (orderId % 200 === 0) cancel(orderId);
    if (orderId === 4_000) {
      state.cut();
      state.dropOlder();
    }
  }
  const history = new FactHistory(facts.slice(0, facts.findIndex(isLater)));
  for (let orderId = 100; orderId <= ORDERS; orderId += 200) cancel(orderId);
  return { state, history };
}

function isLater(fact: Fact): boolean {
  return fact.kind === 'OrderOpened' && fact.order.orderId > 4_000;
}

const { state, history } = scene();

const queries: [query: string, fits: (order: number) => boolean][] = [
  ['', () => true],
  ['limit=7', () => true],
  ['accountId=2', (orderId) => orderId % 2 === 1],
  ['productId=1&limit=500', (orderId) => orderId % 3 === 0],
  ['status=failed', (orderId) => orderId % 100 === 0],
  ['status=processing&accountId=1', (orderId) => orderId % 100 !== 0 && orderId % 2 === 0],
  ['status=completed', () => false],
];
for (const [query, fits] of queries) {
  test(`GET /orders?${query}`, () => {
    const found: number[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const filter = parseOrderFilter(new URLSearchParams(`${query}${cursor && `&cursor=${cursor}`}`));
      assert.ok(!('error' in filter));
      const { orders, nextCursor } = pageOfOrders(state, history, filter);
      assert.ok(orders.length <= filter.limit);
      const last = orders.at(-1)?.orderId;
      if (last !== undefined) assert.ok((orders[0]?.orderId ?? 0) - last < EXAMINED_AT_MOST);
      found.push(...orders.map(({ orderId }) => orderId));
      cursor = nextCursor.nextCursor;
    }
    const all = Array.from({ length: ORDERS }, (_, index) => ORDERS - index);
    assert.deepEqual(found, all.filter(fits));
  });
}

test('an empty node has an empty list, and a cursor beyond the newest starts there', () => {
  const filter = parseOrderFilter(new URLSearchParams('cursor=999999'));
  assert.ok(!('error' in filter));
  assert.deepEqual(pageOfOrders(new State(), history, filter), { orders: [], nextCursor: {} });
  assert.equal(pageOfOrders(state, history, filter).orders[0]?.orderId, ORDERS);
});
