/** Reads a checkpoint of many orders as a node that just started: what is looked up first, and what many cost then. */
import type { Order } from '../../src/engine/orders.ts';
import { parseOrderFilter } from '../../src/http/operator/orders/order-filter.ts';
import { pageOfOrders } from '../../src/http/operator/orders/order-list.ts';
import type { OrderSources } from '../../src/http/operator/orders/order-numbers.ts';
import { loadState, openCheckpoint } from '../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointHistory } from '../../src/persistence/checkpoint/checkpoint-history.ts';
import { movementsBehind } from '../../src/persistence/checkpoint/movements.ts';
import { OrderIndex } from '../../src/persistence/checkpoint/order-index.ts';
import type { StoreReader } from '../../src/persistence/store/store-reader.ts';
import { ownMebibytes } from '../measure/process-memory.ts';
import { textTable } from '../measure/text-table.ts';
import { accountOf, keyOf } from '../shop/placed-orders.ts';
import { filterMebibytes, loadKeyFilters } from './filters.ts';
import { ORDER_ACCOUNTS } from './fold-orders.ts';
import { LOOK_UP_HEADER, lookUps } from './look-ups.ts';

const OLD_KEYS = 1_000;
const NEW_KEYS = 200_000;
const PAGES = 50;
const STATEMENTS = 10;
const STATEMENT_ROWS = 10_000;

/** `folder`: what `foldOrders` made, with as many orders. */
export async function readOrders(folder: string, orders: number): Promise<string> {
  const before = await ownMebibytes();
  const started = await lookUps('open', 0, () => openCheckpoint(folder).close());
  const store = openCheckpoint(folder);
  const history = new CheckpointHistory(store);
  let sources: OrderSources | undefined;
  const loaded = await lookUps('load the state', 0, () => {
    sources = { engine: { state: loadState(store) }, history, orderIndex: new OrderIndex(store) };
  });
  const rows = [
    started,
    loaded,
    await lookUps('oldest order', 0, () => expectOrder(history.order(1), 1)),
    await lookUps('filters of keys', 0, () => loadKeyFilters(store)),
    ...(await keyRows(history, orders)),
    ...(await pageRows(sources as OrderSources)),
    await statementRow(store, orders),
  ];
  const memory = `${store.files.length} files; filters ${filterMebibytes(store)} MiB; RssAnon ${before} MiB at first, ${await ownMebibytes()} at the end`;
  store.close();
  return `${textTable([`read, ${orders.toLocaleString('en')} orders`, ...LOOK_UP_HEADER.slice(1)], rows)}\n${memory}`;
}

async function keyRows(history: CheckpointHistory, orders: number): Promise<string[][]> {
  const old = await lookUps('oldest key, then others', OLD_KEYS, (index) => {
    const orderId = 1 + Math.floor((index * (orders - 1)) / OLD_KEYS);
    const found = history.purchaseOutcome(accountOf(orderId, ORDER_ACCOUNTS), keyOf(orderId));
    expectOrder(found as Order | undefined, orderId);
  });
  const keys = Array.from({ length: NEW_KEYS + 1 }, (_, index) => keyOf(orders + 1 + index));
  const unknown = await lookUps('key that is nowhere', NEW_KEYS, (index) => {
    if (history.purchaseOutcome(7, keys[index] as string) !== undefined)
      throw new Error(`key ${keys[index]} was found, and nobody has used it`);
  });
  return [old, unknown];
}

async function pageRows(sources: OrderSources): Promise<string[][]> {
  const page = async (query: string) => {
    const filter = parseOrderFilter(new URLSearchParams(`limit=1000&${query}`));
    if ('error' in filter) throw new Error(filter.error.message);
    if ((await pageOfOrders(sources, filter)).orders.length === 0) throw new Error(`${query} has no orders`);
  };
  return [
    await lookUps("newest 1,000 orders of an account, then others'", PAGES, (index) =>
      page(`accountId=${500 + index}`),
    ),
    await lookUps('newest 1,000 orders of a product, then of others', PAGES, (index) =>
      page(`productId=${10 + index}`),
    ),
  ];
}

/** Accounts have fewer movements when there are fewer orders. */
async function statementRow(store: StoreReader, orders: number): Promise<string[]> {
  const count = Math.min(STATEMENT_ROWS, Math.floor((orders / ORDER_ACCOUNTS) * 0.9));
  return await lookUps(
    `${count.toLocaleString('en')} movements of an account, then others'`,
    STATEMENTS,
    (index) => {
      const movements = movementsBehind(store, 300 + index, { atMs: 0, seq: 0 }, Number.POSITIVE_INFINITY);
      let read = 0;
      while (read < count && movements.next().done !== true) read += 1;
      if (read < count) throw new Error(`account ${300 + index} has ${read} movements`);
    },
  );
}

function expectOrder(found: Order | undefined, orderId: number): void {
  if (found?.orderId !== orderId) throw new Error(`order ${orderId} wasn't found`);
}
