/**
 * Reads the lists by which orders are found. Synchronous, like the history: each look-up is a few reads of mapped
 * memory. Its answers are from the checkpoint; younger orders are in the state. Every error is a `DamagedDataError`.
 *
 * A walk says which of its orders is the highest that isn't above a number. So walks can be followed together from
 * above, and a reader that wants the orders of an account and a product reads neither list as a whole, nor any order
 * that isn't in both.
 */
import type { OrderStatus } from '../../engine/orders.ts';
import { type OrderBlock, orderBlockOf, orderRequestedBy, readOrderBlock } from './checkpoint-rows.ts';
import type { CheckpointTables } from './checkpoint-tables.ts';
import { LISTS } from './order-entries.ts';
import { recipientHash, recipientOrders } from './order-recipients.ts';
import { isListed, ordersInStatus, StatusWalk } from './order-statuses.ts';
import { type ListKind, type PackedRow, rowAt, rowsFrom } from './packed-lists.ts';
import { isEmpty, RecoveredWalk } from './recovered-orders.ts';

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

/** Neighbours, which are read together. */
export type OrderRow = Pick<OrderBlock, 'get'>;

export class OrderIndex {
  readonly #tables: CheckpointTables;

  constructor(tables: CheckpointTables) {
    this.#tables = tables;
  }

  /** One for each trait that has a list. A recipient's may have orders of others, too. */
  walks({ accountId, productId, status, recipient }: OrderTraits): OrderWalk[] {
    const tables = this.#tables;
    const { orderLists, orderStatuses, recoveredOrders } = tables;
    const isNoneRecovered = isEmpty(recoveredOrders);
    const withRecovered = (
      walk: OrderWalk,
      list: 'accounts' | 'products' | 'recipients',
      id: number,
    ): OrderWalk => {
      if (isNoneRecovered) return walk;
      const recovered = new RecoveredWalk(recoveredOrders, list, id);
      return { atMost: (orderId) => Math.max(walk.atMost(orderId), recovered.atMost(orderId)) };
    };
    const listWalk = (list: 'accounts' | 'products', id: number): OrderWalk =>
      withRecovered(new ListWalk(orderLists, LISTS[list], id), list, id);
    const walks: OrderWalk[] = [];
    if (recipient !== undefined) {
      const hash = recipientHash(recipient);
      walks.push(withRecovered(new RecipientWalk(tables, hash), 'recipients', hash));
    }
    if (status !== undefined && isListed(status)) {
      walks.push(new StatusWalk(orderStatuses, status));
    }
    if (accountId !== undefined) walks.push(listWalk('accounts', accountId));
    if (productId !== undefined) walks.push(listWalk('products', productId));
    return walks;
  }

  /** The walk of all orders that were recovered. */
  recovered(): OrderWalk {
    return new RecoveredWalk(this.#tables.recoveredOrders, 'all');
  }

  /** Orders that wait for their delivery, from `from` on, the lowest first. Not beyond this turn of the event loop. */
  pending(from: number): IterableIterator<number> {
    return ordersInStatus(this.#tables.orderStatuses, 'pending_delivery', from);
  }

  rowNumber(orderId: number): number {
    return orderBlockOf(orderId);
  }

  row(rowNumber: number): OrderRow | undefined {
    return readOrderBlock(this.#tables.orders, rowNumber);
  }

  /** The order of a request that led to it so late that it isn't found by its time. */
  lateOrder(requestNumber: number): number | undefined {
    return rowAt(this.#tables.orderLists, LISTS.lateRequests, requestNumber, MAX)?.entries[0];
  }

  /** Looks through the rows that have the orders from `first` to `last`, one at each step; ends with the order. */
  *searchRequest(requestNumber: number, first: number, last: number): IterableIterator<number | undefined> {
    for (let block = orderBlockOf(first); block <= orderBlockOf(last); block += 1) {
      yield orderRequestedBy(this.#tables.orders, block, requestNumber)?.orderId;
    }
  }

  /** Positions of the facts about an order, in order: all but that of a purchase from own stock itself. */
  *orderFacts(orderId: number): IterableIterator<number> {
    yield* this.#numbers(LISTS.orderFacts, orderId);
  }

  /** Positions of the facts about a purchase at a supplier that don't have its order, in order. */
  *holdFacts(supplierPurchaseId: number): IterableIterator<number> {
    yield* this.#numbers(LISTS.holdFacts, supplierPurchaseId);
  }

  *#numbers(kind: ListKind, id: number): IterableIterator<number> {
    for (const { entries } of rowsFrom(this.#tables.orderLists, kind, id)) yield* entries;
  }
}

const MAX = Number.MAX_SAFE_INTEGER;

/** Keeps the row that it read last: what was added to a list since lies above all that is asked for. */
class ListWalk implements OrderWalk {
  readonly #table: CheckpointTables['orderLists'];
  readonly #kind: ListKind;
  readonly #id: number;
  #row: PackedRow | undefined;
  /** The order up to which the row's last one is the nearest below. */
  #through = 0;

  constructor(table: CheckpointTables['orderLists'], kind: ListKind, id: number) {
    this.#table = table;
    this.#kind = kind;
    this.#id = id;
  }

  atMost(orderId: number): number {
    if (this.#row === undefined || orderId < this.#row.first || orderId > this.#through) {
      this.#row = rowAt(this.#table, this.#kind, this.#id, orderId);
      this.#through = orderId;
    }
    return this.#row === undefined ? 0 : entryAtMost(this.#row.entries, orderId);
  }
}

/** Looks into all runs at once, so it takes many orders at a time. */
class RecipientWalk implements OrderWalk {
  readonly #tables: CheckpointTables;
  readonly #hash: number;
  /** Orders from `#through` down. */
  #orders: readonly number[] = [];
  #through = 0;
  #at = 0;

  constructor(tables: CheckpointTables, hash: number) {
    this.#tables = tables;
    this.#hash = hash;
  }

  atMost(orderId: number): number {
    if (orderId > this.#through) this.#load(orderId);
    while ((this.#orders[this.#at] ?? 0) > orderId) this.#at += 1;
    const isBeyond = this.#at === this.#orders.length && this.#orders.length === RECIPIENT_ORDERS;
    if (isBeyond) this.#load(orderId);
    return this.#orders[this.#at] ?? 0;
  }

  #load(orderId: number): void {
    this.#orders = recipientOrders(this.#tables, this.#hash, orderId, RECIPIENT_ORDERS);
    this.#through = orderId;
    this.#at = 0;
  }
}

const RECIPIENT_ORDERS = 256;

function entryAtMost(entries: Float64Array, number: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle] ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  return entries[low - 1] ?? 0;
}
