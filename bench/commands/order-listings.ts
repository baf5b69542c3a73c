/**
 * How long the first page of GET /orders takes on a node with many orders, by each filter: `npm run bench -- listings`.
 *
 * The orders are written as facts and folded, as a node would; then the pages are read where a node reads them, without
 * HTTP. The folder is on the disk that is measured, and its pages are mostly in the system's memory, for they were just
 * written.
 */
import { mkdirSync } from 'node:fs';
import { type Adjustment, NO_ADJUSTMENTS } from '../../src/engine/adjustments.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { NO_KEY, type Order } from '../../src/engine/orders.ts';
import { EPOCH_MS, PER_MS, requestIdOf } from '../../src/engine/request-number.ts';
import { State } from '../../src/engine/state.ts';
import { parseOrderFilter } from '../../src/http/operator/orders/order-filter.ts';
import { pageOfOrders } from '../../src/http/operator/orders/order-list.ts';
import { CheckpointFold } from '../../src/persistence/checkpoint/checkpoint-fold.ts';
import { loadState } from '../../src/persistence/checkpoint/checkpoint-tables.ts';
import { OrderIndex } from '../../src/persistence/checkpoint/order-index.ts';
import { orderOfItem } from '../../src/persistence/checkpoint/product-orders.ts';
import { openLogReader } from '../../src/persistence/journal/open-log.ts';
import { worldFacts } from '../../test/engine/commands.ts';
import { JournalFolder } from '../../test/persistence/journal/journal-folder.ts';
import { Random } from '../../test/support/random.ts';

const ACCOUNTS = 500;
const PRODUCTS = 200;
const GROUP = 5_000;
const FOLD_EVERY = 250_000;
const BALANCE_MICROS = 1e15;
const PRICE_MICROS = 1;
const BEGIN_MS = EPOCH_MS + 1_000_000_000;
const ORDERS_PER_MS = 4;
const TIMES = 20;

/** `folder` is empty. */
export async function measureListings(folder: string, orders: number): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const node = await JournalFolder.open(folder);
  try {
    const builtMs = await build(node, folder, orders);
    const rows = [`${orders} orders, written and folded in ${Math.round(builtMs / 1000)} s`];
    const { sources, items } = sourcesOf(node);
    for (const [name, query] of queriesOf(orders)) rows.push(await measure(name, query, sources));
    rows.push(measureItem(node, items));
    return `${rows.join('\n')}\n`;
  } finally {
    await node.close();
  }
}

function sourcesOf({ history, tables }: JournalFolder) {
  history.refresh();
  const state = new State();
  const last = tables.orders.getKeysCount() * 64;
  let newest = last;
  while (history.order(newest) === undefined) newest -= 1;
  state.lastOrderId = newest;
  return {
    sources: { engine: { state }, history, orderIndex: new OrderIndex(tables) },
    items: newest / PRODUCTS,
  };
}

async function measure(
  name: string,
  query: string,
  sources: ReturnType<typeof sourcesOf>['sources'],
): Promise<string> {
  const filter = parseOrderFilter(new URLSearchParams(query));
  if ('error' in filter) throw new Error(filter.error.message);
  const times: number[] = [];
  let found = 0;
  for (let count = 0; count < TIMES; count += 1) {
    const startMs = performance.now();
    const page = await pageOfOrders(sources, filter);
    times.push(performance.now() - startMs);
    found = page.orders.length;
  }
  const [first = 0] = times;
  times.sort((a, b) => a - b);
  const median = times[TIMES >>> 1] ?? 0;
  return `${name.padEnd(44)} ${String(found).padStart(5)} orders, first ${first.toFixed(1)} ms, then ${median.toFixed(1)} ms`;
}

function measureItem({ tables }: JournalFolder, items: number): string {
  const { orderLists, recoveredOrders } = tables;
  const sources = { orderLists, recoveredOrders, stock: loadState(tables).state.stock };
  const startMs = performance.now();
  let found = 0;
  for (let item = 0; item < 1_000; item += 1) {
    const product = (item % PRODUCTS) + 1;
    if (orderOfItem(sources, product, Math.floor((item / 1_000) * items)) !== undefined) found += 1;
  }
  const eachUs = performance.now() - startMs;
  return `the order of an item: ${found} of 1000 found, ${eachUs.toFixed(1)} µs each`;
}

function queriesOf(orders: number): [name: string, query: string][] {
  const middle = Math.floor(orders / 2);
  const middleMs = BEGIN_MS + Math.floor(middle / ORDERS_PER_MS);
  return [
    ['all, 1000 a page', ''],
    ['all, 100 a page', 'limit=100'],
    ['an account', 'accountId=7'],
    ['a product', 'productId=9'],
    ['an account and a product', 'accountId=7&productId=9'],
    ['an account, five minutes in the middle', `accountId=7&from=${middleMs}&to=${middleMs + 300_000}`],
    ['refunded', 'status=refunded'],
    ['refunded, of an account and a product', 'status=refunded&accountId=7&productId=9'],
    ['pending_delivery, none', 'status=pending_delivery'],
    ['completed, of an account', 'status=completed&accountId=7'],
    ['a recipient with one order', `recipient=user_${middle}`],
    ['a recipient with many orders', 'recipient=@gift_bot'],
    ['nobody', 'recipient=@nobody_here'],
    ['a request id', `requestId=${requestIdOf(requestNumberOfOrder(middle))}`],
    ['a request id of which nothing came', `requestId=${requestIdOf(requestNumberOfOrder(middle) + 1_000)}`],
    ['an idempotency key of an account', `accountId=${accountOf(middle)}&idempotencyKey=${keyOf(middle)}`],
    ['a page behind the middle', `cursor=${middle}`],
  ];
}

async function build(node: JournalFolder, folder: string, orders: number): Promise<number> {
  const startMs = performance.now();
  const world = { accounts: ACCOUNTS, products: PRODUCTS, balanceMicros: BALANCE_MICROS, stock: 100_000_000 };
  await node.append(worldFacts(world));
  const random = new Random(1);
  const balances = new Array<number>(ACCOUNTS + 1).fill(BALANCE_MICROS);
  const items = new Array<number>(PRODUCTS + 1).fill(0);
  const reader = openLogReader(folder);
  const fold = new CheckpointFold(node.tables, reader);
  let facts: Fact[] = [];
  for (let orderId = 1; orderId <= orders; orderId += 1) {
    const order = orderOf(orderId, random, balances, items);
    facts.push({ kind: 'OrderPlaced', order, atMs: order.createdAtMs });
    if (orderId % 100 === 0) {
      const balanceMicros = (balances[order.accountId] ?? 0) + PRICE_MICROS;
      balances[order.accountId] = balanceMicros;
      facts.push({
        kind: 'OrderRefunded',
        order: { ...order, status: 'refunded', adjustments: [refundAt(order.createdAtMs)] },
        amountMicros: PRICE_MICROS,
        balanceMicros,
        atMs: order.createdAtMs,
      });
    }
    if (facts.length >= GROUP || orderId === orders) {
      await node.append(facts);
      facts = [];
    }
    if (orderId % FOLD_EVERY === 0 || orderId === orders) {
      fold.foldThrough(node.log.head.position);
      while (fold.compact());
    }
  }
  await fold.close();
  return performance.now() - startMs;
}

function orderOf(orderId: number, random: Random, balances: number[], items: number[]): Order {
  const accountId = accountOf(orderId);
  const productId = random.between(1, PRODUCTS);
  const firstItem = items[productId] ?? 0;
  items[productId] = firstItem + 1;
  const balanceAfterMicros = (balances[accountId] ?? 0) - PRICE_MICROS;
  balances[accountId] = balanceAfterMicros;
  return {
    orderId,
    accountId,
    idempotencyKey: keyOf(orderId),
    productId,
    quantity: 1,
    expectedPriceUsdt: 0.000001,
    recipientUsername: recipientOf(orderId),
    requestNumber: requestNumberOfOrder(orderId),
    status: 'completed',
    totalMicros: PRICE_MICROS,
    balanceAfterMicros,
    firstItem,
    fileId: null,
    textCount: 0,
    adjustments: NO_ADJUSTMENTS,
    createdAtMs: BEGIN_MS + Math.floor(orderId / ORDERS_PER_MS),
  };
}

function refundAt(atMs: number): Adjustment {
  return { kind: 'refund', part: 'rest', key: NO_KEY, atMs, amountMicros: PRICE_MICROS, items: [] };
}

/** Every tenth order has one, and every hundredth the same. */
function recipientOf(orderId: number): string | null {
  if (orderId % 10 !== 0) return null;
  return orderId % 100 === 10 ? '@gift_bot' : `@user_${orderId}`;
}

function accountOf(orderId: number): number {
  return ((Math.imul(orderId, 0x9e3779b1) >>> 8) % ACCOUNTS) + 1;
}

function keyOf(orderId: number): string {
  return `order-${String(orderId).padStart(30, '0')}`;
}

function requestNumberOfOrder(orderId: number): number {
  const ms = BEGIN_MS + Math.floor(orderId / ORDERS_PER_MS) - 5;
  return (ms - EPOCH_MS) * PER_MS + (orderId % ORDERS_PER_MS);
}
