/**
 * The checkpoint's rows: every value ends with a checksum over key and value, so that a damaged row is found
 * when it is read and never served.
 *
 * Orders are packed 64 to a row: they are written once, in order, and mostly read alone; one row each would
 * cost the fold three times as much. Keys and references are rows of 16-byte digests, because random keys of
 * their full length would touch more pages with every fold.
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
export const DIGEST_BYTES = 16;
const ORDERS_PER_BLOCK = 64;

const OUTCOME_ORDER = 1;
const OUTCOME_REFUSAL = 2;
const OUTCOME_CREDIT = 3;

/**
 * What a key led to: for an order its number, because the order has a row of its own. A purchase's row begins
 * with the key's hash, from which the filter of keys is filled when a node starts.
 */
export type OutcomeRow =
  | { readonly keyHash: number; readonly orderId: number }
  | { readonly keyHash: number; readonly refusal: StoredRefusal }
  | { readonly credit: CreditOutcome };

export type OutcomeKind = 'purchase' | 'credit';

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
    throw new DamagedDataError(`a row of ${table} in the checkpoint has a wrong checksum`);
  }
  return bytes.subarray(0, end);
}

/** Writes the 16 bytes under which a key's outcome is found. */
export function writeOutcomeDigest(
  target: Buffer,
  offset: number,
  kind: OutcomeKind,
  accountId: number,
  key: string,
): void {
  target.write(hash('sha256', `${kind}/${accountId}/${key}`, 'binary'), offset, DIGEST_BYTES, 'latin1');
}

/** Valid until `scratch` is written to again. */
export function encodeOutcome(scratch: ByteWriter, outcome: OutcomeRow): Buffer {
  scratch.reset();
  if ('orderId' in outcome) {
    scratch.byte(OUTCOME_ORDER);
    scratch.number(outcome.keyHash);
    scratch.number(outcome.orderId);
  } else if ('refusal' in outcome) {
    scratch.byte(OUTCOME_REFUSAL);
    scratch.number(outcome.keyHash);
    writeRefusal(scratch, outcome.refusal);
  } else {
    scratch.byte(OUTCOME_CREDIT);
    scratch.text(JSON.stringify(outcome.credit));
  }
  return scratch.view();
}

export function decodeOutcome(payload: Buffer): OutcomeRow {
  const reader = new ByteReader(payload);
  const kind = reader.byte();
  switch (kind) {
    case OUTCOME_ORDER:
      return { keyHash: reader.number(), orderId: reader.number() };
    case OUTCOME_REFUSAL:
      return { keyHash: reader.number(), refusal: readRefusal(reader) };
    case OUTCOME_CREDIT:
      return { credit: JSON.parse(reader.text()) as CreditOutcome };
    default:
      throw new DamagedDataError(`a row of keys in the checkpoint has an unknown kind, ${kind}`);
  }
}

/** The key's hash of a purchase's row; undefined for a credit's. */
export function keyHashOf(payload: Buffer): number | undefined {
  return payload[0] === OUTCOME_CREDIT ? undefined : payload.readDoubleLE(1);
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
    this.#orders.set(order.orderId, scratch.copy());
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
