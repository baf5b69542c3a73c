/**
 * Recovered orders by the traits that they are found by: they come in any order of numbers and items, long after their
 * neighbours, which neither the packed lists (`packed-lists.ts`) nor the runs of recipients take. A row for each order
 * and trait; there are few of them, and none in a folder that was never restored.
 */
import type { Fact, FactOf } from '../../engine/fact.ts';
import { numbersKey, readNumberKey } from '../codec/number-key.ts';
import { seal, unseal } from '../codec/sealed-row.ts';
import type { Table } from '../lmdb/lmdb-environment.ts';
import { recipientHash } from './order-recipients.ts';

const NAME = 'recoveredOrders';
const ID_OFFSET = 8;
const NUMBER_OFFSET = 16;

/** The first number of a key. Never changes its meaning. */
export const RECOVERED = {
  /** All of them, under `NO_OWNER`. */
  all: 1,
  accounts: 2,
  products: 3,
  /** By product: the first item of a range, how many there are, and the order. */
  items: 4,
  /** By the hash of the name (`order-recipients.ts`). */
  recipients: 5,
} as const;
export type RecoveredList = keyof typeof RECOVERED;

const NO_OWNER = 0;

export interface RecoveredEntry {
  readonly list: RecoveredList;
  readonly id: number;
  readonly number: number;
  /** How many items the range has, in `items`; else 0. */
  readonly count: number;
  readonly orderId: number;
}

/** None for nearly all facts. An order that was opened before the gap is in the packed lists, too. */
export function recoveredEntries(fact: Fact): readonly RecoveredEntry[] {
  if (fact.kind === 'OrderAmended') return itemEntries(fact);
  if (fact.kind !== 'OrderRecovered') return [];
  const { orderId, accountId, productId, recipientUsername } = fact.order;
  const whole = { number: orderId, count: 0, orderId };
  return [
    { list: 'all', id: NO_OWNER, ...whole },
    { list: 'accounts', id: accountId, ...whole },
    { list: 'products', id: productId, ...whole },
    ...(recipientUsername === null
      ? []
      : [{ list: 'recipients', id: recipientHash(recipientUsername), ...whole } as const]),
    ...itemEntries(fact),
  ];
}

function itemEntries({ order, items }: FactOf<'OrderRecovered' | 'OrderAmended'>): RecoveredEntry[] {
  const { orderId, productId } = order;
  return items.map(({ firstItem, count }) => {
    return { list: 'items', id: productId, number: firstItem, count, orderId };
  });
}

export class RecoveredOrders {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Inside a transaction. */
  take(fact: Fact): void {
    for (const { list, id, number, count, orderId } of recoveredEntries(fact)) {
      const key = keyOf(list, id, number);
      this.#table.put(key, seal(key, numbersKey(count, orderId)));
    }
  }

  /** All has been put. */
  flush(): void {}
}

/** A walk of `order-index.ts`: the orders of an account, a product or a recipient, or all of them. */
export class RecoveredWalk {
  readonly #table: Table;
  readonly #list: Exclude<RecoveredList, 'items'>;
  readonly #id: number;

  constructor(table: Table, list: Exclude<RecoveredList, 'items'>, id = NO_OWNER) {
    this.#table = table;
    this.#list = list;
    this.#id = id;
  }

  atMost(orderId: number): number {
    return rangeAtOrBelow(this.#table, this.#list, this.#id, orderId)?.number ?? 0;
  }
}

/** The range of recovered items that has the item; undefined when no recovered order has it. */
export function recoveredItemsWith(
  table: Table,
  productId: number,
  item: number,
): RecoveredEntry | undefined {
  const found = rangeAtOrBelow(table, 'items', productId, item);
  return found !== undefined && item < found.number + found.count ? found : undefined;
}

/** Ranges that have an item from `firstItem` to `lastItem`, ascending. Not beyond this turn of the event loop. */
export function* recoveredItemsIn(
  table: Table,
  productId: number,
  firstItem: number,
  lastItem: number,
): IterableIterator<RecoveredEntry> {
  const first = recoveredItemsWith(table, productId, firstItem)?.number ?? firstItem;
  const range = { start: keyOf('items', productId, first), end: keyOf('items', productId, lastItem + 1) };
  for (const { key, value } of table.getRange(range)) yield entryOf(key, value);
}

/** Every entry. Throws `DamagedDataError`. */
export function* allRecovered(table: Table): IterableIterator<RecoveredEntry> {
  for (const { key, value } of table.getRange()) yield entryOf(key, value);
}

/** Whether there is none: then nobody needs to look. */
export function isEmpty(table: Table): boolean {
  return table.size === 0;
}

function rangeAtOrBelow(
  table: Table,
  list: RecoveredList,
  id: number,
  number: number,
): RecoveredEntry | undefined {
  const start = keyOf(list, id, number);
  for (const { key, value } of table.getRange({ start, reverse: true, limit: 1 })) {
    const isOfList = readNumberKey(key) === RECOVERED[list] && readNumberKey(key, ID_OFFSET) === id;
    return isOfList ? entryOf(key, value) : undefined;
  }
  return undefined;
}

function entryOf(key: Buffer, value: Buffer): RecoveredEntry {
  const payload = unseal(NAME, key, value);
  const tag = readNumberKey(key);
  const list = (Object.keys(RECOVERED) as RecoveredList[]).find((name) => RECOVERED[name] === tag) ?? 'all';
  return {
    list,
    id: readNumberKey(key, ID_OFFSET),
    number: readNumberKey(key, NUMBER_OFFSET),
    count: readNumberKey(payload),
    orderId: readNumberKey(payload, 8),
  };
}

function keyOf(list: RecoveredList, id: number, number: number): Buffer {
  return numbersKey(RECOVERED[list], id, number);
}
