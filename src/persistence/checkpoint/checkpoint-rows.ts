/**
 * The checkpoint's rows: every value ends with a checksum over key and value, so that a damaged row is found
 * when it is read and never served.
 *
 * Orders are packed 64 to a row: they are written once, in order, and mostly read alone; one row each would
 * cost the fold three times as much. The keys of purchases are in runs of their own (`key-runs.ts`).
 */
import { hash } from 'node:crypto';
import type { CreditOutcome } from '../../engine/idempotency.ts';
import type { Order, StoredRefusal } from '../../engine/orders.ts';
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { readOrder, readRefusal, writeOrder, writeRefusal } from '../codec/order-codec.ts';
import { rowChecksum } from '../codec/row-checksum.ts';
import { readNumberKey, writeNumberKey } from '../lmdb/lmdb-environment.ts';

const CHECKSUM_BYTES = 4;
const DIGEST_BYTES = 16;
const ORDERS_PER_BLOCK = 64;

export function seal(key: Uint8Array, payload: Uint8Array): Buffer {
  const row = Buffer.allocUnsafe(payload.length + CHECKSUM_BYTES);
  row.set(payload);
  row.writeUInt32LE(rowChecksum(key, payload, payload.length), payload.length);
  return row;
}

/** The payload, in place. Throws `DamagedDataError` when key and value don't belong together. */
export function unseal(table: string, key: Uint8Array, row: Uint8Array): Buffer {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.length);
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < 0 || rowChecksum(key, bytes, end) !== bytes.readUInt32LE(end)) {
    throw new DamagedDataError(`a row of ${table} has a wrong checksum`);
  }
  return bytes.subarray(0, end);
}

/** The 16 bytes under which a credit is found. */
export function creditKey(accountId: number, reference: string): Buffer {
  return Buffer.from(hash('sha256', `${accountId}/${reference}`, 'binary'), 'latin1').subarray(
    0,
    DIGEST_BYTES,
  );
}

export function encodeCredit(credit: CreditOutcome): Buffer {
  return Buffer.from(JSON.stringify(credit));
}

export function decodeCredit(payload: Buffer): CreditOutcome {
  return JSON.parse(payload.toString('utf8')) as CreditOutcome;
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
  readonly #orders = new Map<number, Buffer>();

  static decode(payload: Buffer): OrderBlock {
    const block = new OrderBlock();
    const count = payload.readUInt32LE(0);
    let offset = 4 + count * 16;
    for (let index = 0; index < count; index += 1) {
      const orderId = readNumberKey(payload, 4 + index * 16);
      const length = payload.readUInt32LE(12 + index * 16);
      block.#orders.set(orderId, payload.subarray(offset, offset + length));
      offset += length;
    }
    return block;
  }

  set(scratch: ByteWriter, order: Order): void {
    scratch.reset();
    writeOrder(scratch, order);
    // From the pool of small buffers: memory of its own would cost more than the writing.
    this.#orders.set(order.orderId, Buffer.from(scratch.view()));
  }

  get(orderId: number): Order | undefined {
    const bytes = this.#orders.get(orderId);
    return bytes === undefined ? undefined : readOrder(new ByteReader(bytes));
  }

  /** In the order of their numbers. */
  *values(): IterableIterator<Order> {
    for (const bytes of this.#orders.values()) yield readOrder(new ByteReader(bytes));
  }

  encode(): Buffer {
    const head = Buffer.alloc(4 + this.#orders.size * 16);
    head.writeUInt32LE(this.#orders.size, 0);
    let index = 0;
    for (const [orderId, bytes] of this.#orders) {
      writeNumberKey(head, orderId, 4 + index * 16);
      head.writeUInt32LE(bytes.length, 12 + index * 16);
      index += 1;
    }
    return Buffer.concat([head, ...this.#orders.values()]);
  }
}
