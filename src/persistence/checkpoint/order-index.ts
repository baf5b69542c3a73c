/**
 * Reads the lists by which orders are found. Synchronous, like the history. Its answers are from the checkpoint; younger
 * orders are in the state. Reading throws `DamagedDataError` and `DamagedFileError`.
 *
 * A walk says which of its orders is the highest that isn't above a number. So walks can be followed together from
 * above, and a reader that wants the orders of an account and a product reads neither list as a whole, nor any order
 * that isn't in both.
 */
import type { OrderStatus } from '../../engine/orders.ts';
import type { StoreReader } from '../store/store-reader.ts';
import type { StoreTable } from '../store/store-table.ts';
import { isListed, recipientHash, statusNumber } from './order-entries.ts';
import { readOrderRow } from './order-row.ts';
import { TABLES } from './tables.ts';

export interface OrderWalk {
  /** The highest order of the walk that isn't above `orderId`; 0 when there is none. */
  atMost(orderId: number): number;
}

export interface OrderTraits {
  readonly accountId?: number | undefined;
  readonly productId?: number | undefined;
  readonly status?: OrderStatus | undefined;
  /** The recipient's name with its `@`. */
  readonly recipient?: string | undefined;
}

export class OrderIndex {
  readonly #store: StoreReader;

  constructor(store: StoreReader) {
    this.#store = store;
  }

  /** One for each trait that has a list. A recipient's may have orders of others, too. */
  walks({ accountId, productId, status, recipient }: OrderTraits): OrderWalk[] {
    const walks: OrderWalk[] = [];
    const add = (table: StoreTable, id: number) => walks.push(new ListWalk(this.#store, table, id));
    if (recipient !== undefined) add(TABLES.recipients, recipientHash(recipient));
    if (status !== undefined && isListed(status)) add(TABLES.statuses, statusNumber(status));
    if (accountId !== undefined) add(TABLES.accountOrders, accountId);
    if (productId !== undefined) add(TABLES.productOrders, productId);
    return walks;
  }

  /** The walk of all orders that were recovered. */
  recovered(): OrderWalk {
    return new ListWalk(this.#store, TABLES.recovered, ALL);
  }

  /** Orders that wait for their delivery, from `from` on, the lowest first. Not beyond this turn of the event loop. */
  pending(from: number): IterableIterator<number> {
    return this.#numbers(TABLES.statuses, statusNumber('pending_delivery'), from);
  }

  /** The order of a request that led to it so late that it isn't found by its time. */
  lateOrder(requestNumber: number): number | undefined {
    for (const orderId of this.#numbers(TABLES.lateRequests, requestNumber)) return orderId;
    return undefined;
  }

  /** Looks through the orders from `first` to `last`, one at each step; ends with the order. */
  *searchRequest(requestNumber: number, first: number, last: number): IterableIterator<number | undefined> {
    for (let orderId = first; orderId <= last; orderId += 1) {
      const found = this.#store.get(TABLES.orders, orderId, 0, (row) => readOrderRow(orderId, row));
      yield found?.requestNumber === requestNumber ? orderId : undefined;
    }
  }

  /** Positions of the facts about an order, in order: all but that of a purchase from own stock itself. */
  orderFacts(orderId: number): IterableIterator<number> {
    return this.#numbers(TABLES.orderFacts, orderId);
  }

  /** Positions of the facts about a purchase at a supplier that don't have its order, in order. */
  holdFacts(supplierPurchaseId: number): IterableIterator<number> {
    return this.#numbers(TABLES.holdFacts, supplierPurchaseId);
  }

  *#numbers(table: StoreTable, id: number, from = 0): IterableIterator<number> {
    for (const { b } of this.#store.range(table, { fromA: id, fromB: from, toA: id + 1 })) yield b;
  }
}

/** The id of the one list that a table has. */
const ALL = 0;
/** Orders that a walk reads at once. */
const AHEAD = 256;

/**
 * Reads a list in parts, from above. A part stays good: an order that enters the list, or leaves it, has changed since
 * the checkpoint, and readers ask the state for those.
 */
class ListWalk implements OrderWalk {
  readonly #store: StoreReader;
  readonly #table: StoreTable;
  readonly #id: number;
  /** Orders from `#through` down. */
  readonly #orders: number[] = [];
  #through = 0;
  #at = 0;

  constructor(store: StoreReader, table: StoreTable, id: number) {
    this.#store = store;
    this.#table = table;
    this.#id = id;
  }

  atMost(orderId: number): number {
    const isPart = this.#orders.length === AHEAD;
    const isBelow = isPart && orderId < (this.#orders.at(-1) ?? 0);
    if (orderId > this.#through || isBelow) this.#load(orderId);
    // Asked from above mostly: the place is the last one or the next.
    if ((this.#orders[this.#at - 1] ?? Number.POSITIVE_INFINITY) <= orderId) this.#at = 0;
    while ((this.#orders[this.#at] ?? 0) > orderId) this.#at += 1;
    return this.#orders[this.#at] ?? 0;
  }

  #load(orderId: number): void {
    const { hasB } = this.#table;
    const range = hasB
      ? { fromA: this.#id, fromB: orderId, toA: this.#id, toB: -1 }
      : { fromA: orderId, toA: -1 };
    this.#orders.length = 0;
    this.#through = orderId;
    this.#at = 0;
    for (const { a, b } of this.#store.range(this.#table, { ...range, reverse: true })) {
      this.#orders.push(hasB ? b : a);
      if (this.#orders.length === AHEAD) break;
    }
  }
}
