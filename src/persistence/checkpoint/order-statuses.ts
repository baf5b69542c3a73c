/**
 * Orders that aren't `completed`, by status: a row has a bit for each of 1,024 orders.
 *
 * Orders come into a status and leave it in any order, which a list of differences would not take; a bit is set or
 * cleared where it is. Invariant: a row without any bit is removed, so a walk from above goes from one order to the
 * next. Completed orders have no bit anywhere: they are nearly all, and a purchase writes nothing here.
 */
import type { Fact } from '../../engine/fact.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../engine/orders.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { numbersKey, readNumberKey } from '../codec/number-key.ts';
import { seal, unseal } from '../codec/sealed-row.ts';
import type { Table } from '../lmdb/lmdb-environment.ts';

const ORDERS_PER_ROW = 1_024;
const ROW_BYTES = ORDERS_PER_ROW / 8;

export type ListedStatus = Exclude<OrderStatus, 'completed'>;

/** Statuses that an order leaves, whatever the fact: the others are ends. */
const LEFT: readonly ListedStatus[] = ['processing', 'pending_delivery'];

export function isListed(status: OrderStatus): status is ListedStatus {
  return status !== 'completed';
}

/** Collects changes of orders' statuses by facts, and writes them. */
export class OrderStatuses {
  readonly #table: Table;
  /** Changed rows, by key. */
  readonly #changed = new Map<string, { readonly key: Buffer; readonly bits: Buffer }>();

  constructor(table: Table) {
    this.#table = table;
  }

  /** Inside a transaction, like `flush`. */
  take(fact: Fact): void {
    // A purchase that is completed at once was in no other status before.
    if (!('order' in fact) || (fact.kind === 'OrderPlaced' && fact.order.status === 'completed')) return;
    const { orderId, status } = fact.order;
    for (const left of LEFT) if (left !== status) this.#put(left, orderId, false);
    if (isListed(status)) this.#put(status, orderId, true);
  }

  flush(): void {
    for (const { key, bits } of this.#changed.values()) {
      if (bits.some((byte) => byte !== 0)) this.#table.put(key, seal(key, bits));
      else this.#table.remove(key);
    }
    this.#changed.clear();
  }

  #put(status: ListedStatus, orderId: number, isIn: boolean): void {
    const { bits } = this.#row(keyOf(status, orderId));
    const place = orderId % ORDERS_PER_ROW;
    const bit = 1 << (place & 7);
    const byte = bits[place >>> 3] ?? 0;
    bits[place >>> 3] = isIn ? byte | bit : byte & ~bit;
  }

  #row(key: Buffer): { readonly bits: Buffer } {
    const name = key.toString('latin1');
    let row = this.#changed.get(name);
    if (row === undefined) {
      const stored = this.#table.get(key);
      const bits = stored === undefined ? Buffer.alloc(ROW_BYTES) : Buffer.from(bitsOf(key, stored));
      row = { key, bits };
      this.#changed.set(name, row);
    }
    return row;
  }
}

/** Goes through the orders in a status from above, and reads each row once. */
export class StatusWalk {
  readonly #table: Table;
  readonly #status: ListedStatus;
  /** The row that was read last, and its first order. */
  #bits = Buffer.alloc(ROW_BYTES);
  #first = Number.POSITIVE_INFINITY;

  constructor(table: Table, status: ListedStatus) {
    this.#table = table;
    this.#status = status;
  }

  /** The highest order that isn't above `orderId`; 0 when there is none. Throws `DamagedDataError`. */
  atMost(orderId: number): number {
    let most = orderId;
    const isRead = most >= this.#first && most < this.#first + ORDERS_PER_ROW;
    if (isRead) {
      const found = this.#inRow(most);
      if (found > 0) return found;
      most = this.#first - 1;
    }
    if (most < 0) return 0;
    const start = keyOf(this.#status, most);
    for (const { key, value } of this.#table.getRange({ start, reverse: true })) {
      if (statusOf(key) !== this.#status) return 0;
      this.#first = readNumberKey(key, 8) * ORDERS_PER_ROW;
      this.#bits = Buffer.from(bitsOf(key, value));
      const found = this.#inRow(most);
      if (found > 0) return found;
      most = this.#first - 1;
    }
    return 0;
  }

  /** 0 when there is none. */
  #inRow(most: number): number {
    const place = highestBit(this.#bits, Math.min(most - this.#first, ORDERS_PER_ROW - 1));
    return place >= 0 ? this.#first + place : 0;
  }
}

/** Orders in a status, from `from` on, the lowest first. Not beyond this turn of the event loop. */
export function* ordersInStatus(table: Table, status: ListedStatus, from: number): IterableIterator<number> {
  const range = { start: keyOf(status, from), end: numbersKey(ORDER_STATUSES.indexOf(status) + 1) };
  for (const { key, value } of table.getRange(range)) {
    const bits = bitsOf(key, value);
    const first = readNumberKey(key, 8) * ORDERS_PER_ROW;
    for (let place = Math.max(0, from - first); place < ORDERS_PER_ROW; place += 1) {
      if (hasBit(bits, place)) yield first + place;
    }
  }
}

/** Every order that has a bit. */
export function visitStatuses(table: Table, visit: (status: OrderStatus, orderId: number) => void): void {
  for (const { key, value } of table.getRange()) {
    const status = statusOf(key);
    const bits = bitsOf(key, value);
    const first = readNumberKey(key, 8) * ORDERS_PER_ROW;
    for (let place = 0; place < ORDERS_PER_ROW; place += 1) {
      if (hasBit(bits, place)) visit(status, first + place);
    }
  }
}

function keyOf(status: OrderStatus, orderId: number): Buffer {
  return numbersKey(ORDER_STATUSES.indexOf(status), Math.floor(orderId / ORDERS_PER_ROW));
}

function statusOf(key: Buffer): OrderStatus {
  const status = ORDER_STATUSES[readNumberKey(key)];
  if (status === undefined) throw new DamagedDataError('a row of orders by status has an unknown status');
  return status;
}

function bitsOf(key: Buffer, row: Buffer): Buffer {
  const bits = unseal('orderStatuses', key, row);
  if (bits.length !== ROW_BYTES) throw new DamagedDataError('a row of orders by status has a wrong length');
  return bits;
}

/** The highest bit at `place` or below; -1 when there is none. */
function highestBit(bits: Buffer, place: number): number {
  for (let at = place; at >= 0; at -= 1) {
    if (bits[at >>> 3] === 0) at = at & ~7;
    else if (hasBit(bits, at)) return at;
  }
  return -1;
}

function hasBit(bits: Buffer, place: number): boolean {
  return ((bits[place >>> 3] ?? 0) & (1 << (place & 7))) !== 0;
}
