/**
 * How long the first page of GET /orders takes on a node with many orders, by each filter: `npm run bench -- listings`.
 *
 * The orders are written as facts and folded, as a node would; then the pages are read where a node reads them, without
 * HTTP. The folder is on the disk that is measured, and its pages are mostly in the system's memory, for they were just
 * written.
 */
import { mkdirSync } from 'node:fs';
import type { Fact } from '../../src/engine/fact.ts';
import { requestIdOf } from '../../src/engine/request-number.ts';
import { parseOrderFilter } from '../../src/http/operator/orders/order-filter.ts';
import { pageOfOrders } from '../../src/http/operator/orders/order-list.ts';
import { checkpointIn, loadState } from '../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../src/persistence/checkpoint/checkpoint-fold.ts';
import { ItemOrders } from '../../src/persistence/checkpoint/item-orders.ts';
import { OrderIndex } from '../../src/persistence/checkpoint/order-index.ts';
import { openLogReader } from '../../src/persistence/journal/open-log.ts';
import { JournalFolder } from '../../test/persistence/journal/journal-folder.ts';
import { accountOf, keyOf, PlacedOrders, requestNumberOfOrder, timeOf } from '../shop/placed-orders.ts';

const ACCOUNTS = 500;
const PRODUCTS = 200;
const GROUP = 5_000;
const FOLD_EVERY = 250_000;
const REFUND_EVERY = 100;
const TIMES = 20;
const ITEMS = 1_000;

/** `folder` is empty. */
export async function measureListings(folder: string, orders: number): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const node = await JournalFolder.open(folder);
  try {
    const builtMs = await build(node, folder, orders);
    const rows = [`${orders} orders, written and folded in ${Math.round(builtMs / 1000)} s`];
    const sources = await sourcesOf(node);
    for (const [name, query] of queriesOf(orders)) rows.push(await measure(name, query, sources));
    rows.push(measureItems(sources.itemOrders, orders));
    return `${rows.join('\n')}\n`;
  } finally {
    await node.close();
  }
}

type Sources = Awaited<ReturnType<typeof sourcesOf>>;

async function sourcesOf({ history, checkpoint }: JournalFolder) {
  await history.refresh();
  const engine = { state: loadState(checkpoint) };
  const itemOrders = new ItemOrders(engine, checkpoint);
  return { engine, history, orderIndex: new OrderIndex(checkpoint), itemOrders };
}

async function measure(name: string, query: string, sources: Sources): Promise<string> {
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

function measureItems(itemOrders: ItemOrders, orders: number): string {
  const items = orders / PRODUCTS;
  const startMs = performance.now();
  let found = 0;
  for (let item = 0; item < ITEMS; item += 1) {
    const product = (item % PRODUCTS) + 1;
    if (itemOrders.orderOf(product, Math.floor((item / ITEMS) * items)) !== undefined) found += 1;
  }
  const eachUs = ((performance.now() - startMs) * 1_000) / ITEMS;
  return `the order of an item: ${found} of ${ITEMS} found, ${eachUs.toFixed(1)} µs each`;
}

function queriesOf(orders: number): [name: string, query: string][] {
  const middle = Math.floor(orders / 2);
  const middleMs = timeOf(middle);
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
    ['a recipient with one order', `recipient=user_${middle - (middle % 100)}`],
    ['a recipient with many orders', 'recipient=@gift_bot'],
    ['nobody', 'recipient=@nobody_here'],
    ['a request id', `requestId=${requestIdOf(requestNumberOfOrder(middle))}`],
    ['a request id of which nothing came', `requestId=${requestIdOf(requestNumberOfOrder(middle) + 1_000)}`],
    [
      'an idempotency key of an account',
      `accountId=${accountOf(middle, ACCOUNTS)}&idempotencyKey=${keyOf(middle)}`,
    ],
    ['a page behind the middle', `cursor=${middle}`],
  ];
}

async function build(node: JournalFolder, folder: string, orders: number): Promise<number> {
  const startMs = performance.now();
  const placed = new PlacedOrders({ accounts: ACCOUNTS, products: PRODUCTS, recipientOf });
  await node.append([...placed.setup]);
  const fold = new CheckpointFold(checkpointIn(folder), openLogReader(folder));
  let facts: Fact[] = [];
  for (let orderId = 1; orderId <= orders; orderId += 1) {
    const fact = placed.place();
    facts.push(fact);
    if (orderId % REFUND_EVERY === 0) facts.push(placed.refund(fact.order));
    if (facts.length >= GROUP || orderId === orders) {
      await node.append(facts);
      facts = [];
    }
    if (orderId % FOLD_EVERY === 0 || orderId === orders) {
      fold.foldThrough(node.log.head.position);
      while (fold.mergePart());
    }
  }
  await fold.close();
  return performance.now() - startMs;
}

/** Every tenth order has one, and every hundredth the same. */
function recipientOf(orderId: number): string | null {
  if (orderId % 10 !== 0) return null;
  return orderId % 100 === 10 ? '@gift_bot' : `@user_${orderId}`;
}
