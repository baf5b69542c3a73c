/**
 * The checkpoint's rows of orders, credits, operators' calls and refusals, sealed by a checksum (`../codec/sealed-row.ts`).
 *
 * Orders are packed 64 to a row: they are written once, in order, and mostly read alone; one row each would
 * cost the fold three times as much. The keys of purchases are in runs of their own (`key-runs.ts`).
 */
import { hash } from 'node:crypto';
import type { Order, StoredRefusal } from '../../engine/orders.ts';
import { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { numberKey, readNumberKey, writeNumberKey } from '../codec/number-key.ts';
import {
  REQUEST_NUMBER_OFFSET,
  readOrder,
  readRefusal,
  writeOrder,
  writeRefusal,
} from '../codec/order-codec.ts';
import { readRow, unseal } from '../codec/sealed-row.ts';
import type { Table } from '../lmdb/lmdb-environment.ts';

const DIGEST_BYTES = 16;
const ORDERS_PER_BLOCK = 64;
/** A row of orders begins with their count; then each has its number, its length, and four bytes of nothing. */
const HEAD_BYTES = 4;
const ENTRY_BYTES = 16;
const LENGTH_OFFSET = 8;
const UNUSED_OFFSET = 12;

/** The 16 bytes under which a credit of an account is found, by its reference. */
export function ownedKey(ownerId: number, text: string): Buffer {
  return Buffer.from(hash('sha256', `${ownerId}/${text}`, 'binary'), 'latin1').subarray(0, DIGEST_BYTES);
}

/** The 16 bytes under which an operator's call is found, by its key. No account has the number 0. */
export function callKey(operatorId: number, key: string): Buffer {
  return ownedKey(0, `call ${operatorId} ${key}`);
}

/** The 16 bytes under which the end of a supplier purchase is found. */
export function endKey(supplierPurchaseId: number): Buffer {
  return ownedKey(0, `supplier purchase ${supplierPurchaseId}`);
}

/** Valid until `scratch` is written to again. */
export function encodeRefusal(scratch: ByteWriter, refusal: StoredRefusal): Buffer {
  scratch.reset();
  writeRefusal(scratch, refusal);
  return scratch.view();
}

export function decodeRefusal(payload: Buffer): StoredRefusal {
  return readRefusal(new ByteReader(payload));
}

export function orderBlockOf(orderId: number): number {
  return Math.floor(orderId / ORDERS_PER_BLOCK);
}

/** One row of orders, whole or the beginning of it: their lengths, then the orders. */
export class OrderBlock {
  /** Orders as they are in the row that was decoded, or as they are to be written. */
  readonly #orders = new Map<number, Buffer | Order>();

  /** Keeps parts of `payload`, which must not change any more. */
  static decode(payload: Buffer): OrderBlock {
    const block = new OrderBlock();
    for (const { orderId, bytes } of orderEntries(payload)) block.#orders.set(orderId, bytes);
    return block;
  }

  set(order: Order): void {
    this.#orders.set(order.orderId, order);
  }

  get(orderId: number): Order | undefined {
    const row = this.#orders.get(orderId);
    return row === undefined ? undefined : orderOf(row);
  }

  /** The orders, by their numbers. */
  *values(): IterableIterator<Order> {
    for (const row of this.#orders.values()) yield orderOf(row);
  }

  /** Valid until `scratch` is written to again. */
  encode(scratch: ByteWriter): Buffer {
    const count = this.#orders.size;
    const lengths: number[] = [];
    scratch.reset();
    scratch.uint32(count);
    scratch.skip(count * ENTRY_BYTES);
    for (const row of this.#orders.values()) {
      const start = scratch.length;
      if (Buffer.isBuffer(row)) scratch.bytes(row);
      else writeOrder(scratch, row);
      lengths.push(scratch.length - start);
    }
    const payload = scratch.view();
    let index = 0;
    for (const orderId of this.#orders.keys()) {
      const entry = HEAD_BYTES + index * ENTRY_BYTES;
      writeNumberKey(payload, orderId, entry);
      payload.writeUInt32LE(lengths[index] ?? 0, entry + LENGTH_OFFSET);
      payload.writeUInt32LE(0, entry + UNUSED_OFFSET);
      index += 1;
    }
    return payload;
  }
}

/** One order, without a look at the others of its row. */
export function readOrderRow(orders: Table, orderId: number): Order | undefined {
  return readRow('orders', orders, numberKey(orderBlockOf(orderId)), (payload) => {
    const bytes = orderBytes(payload, orderId);
    return bytes && orderOf(bytes);
  });
}

/** Orders one by one, of a file that nobody changes meanwhile: the last row is kept, because neighbours share it. */
export class OrderRowReader {
  readonly #orders: Table;
  #number: number | undefined;
  #block: OrderBlock | undefined;

  constructor(orders: Table) {
    this.#orders = orders;
  }

  get(orderId: number): Order | undefined {
    const number = orderBlockOf(orderId);
    if (number !== this.#number) this.#block = readOrderBlock(this.#orders, number);
    this.#number = number;
    return this.#block?.get(orderId);
  }
}

/** The order of a row that this request asked for; undefined when there is none. */
export function orderRequestedBy(orders: Table, block: number, requestNumber: number): Order | undefined {
  return readRow('orders', orders, numberKey(block), (payload) => {
    for (const { bytes } of orderEntries(payload)) {
      if (bytes.readDoubleLE(REQUEST_NUMBER_OFFSET) === requestNumber) return orderOf(bytes);
    }
    return undefined;
  });
}

function* orderEntries(
  payload: Buffer,
): IterableIterator<{ readonly orderId: number; readonly bytes: Buffer }> {
  const count = payload.readUInt32LE(0);
  let offset = HEAD_BYTES + count * ENTRY_BYTES;
  for (let index = 0; index < count; index += 1) {
    const entry = HEAD_BYTES + index * ENTRY_BYTES;
    const length = payload.readUInt32LE(entry + LENGTH_OFFSET);
    yield { orderId: readNumberKey(payload, entry), bytes: payload.subarray(offset, offset + length) };
    offset += length;
  }
}

/** Looks at the lengths of those before it, and at nothing else of them. */
function orderBytes(payload: Buffer, orderId: number): Buffer | undefined {
  const count = payload.readUInt32LE(0);
  const end = HEAD_BYTES + count * ENTRY_BYTES;
  let offset = end;
  for (let entry = HEAD_BYTES; entry < end; entry += ENTRY_BYTES) {
    const length = payload.readUInt32LE(entry + LENGTH_OFFSET);
    if (readNumberKey(payload, entry) === orderId) return payload.subarray(offset, offset + length);
    offset += length;
  }
  return undefined;
}

/** Undefined when there is no such row. */
export function readOrderBlock(orders: Table, block: number): OrderBlock | undefined {
  const key = numberKey(block);
  const row = orders.get(key);
  return row && OrderBlock.decode(unseal('orders', key, row));
}

function orderOf(row: Buffer | Order): Order {
  return Buffer.isBuffer(row) ? readOrder(new ByteReader(row)) : row;
}
