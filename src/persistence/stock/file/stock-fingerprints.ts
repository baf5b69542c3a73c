/**
 * Which items of a product had a text, or which orders were delivered with it without its being an item, found without
 * reading them: by a hash of the text, keyed with a secret so that the file doesn't tell who can guess a text
 * whether it is there.
 *
 * The first one that has a text gets the row under its fingerprint. Every further order or item gets a row of its own
 * behind it, under the fingerprint and its number: an item may be withdrawn, and an order may end without its texts, while
 * another keeps what it had. So a text that nobody had costs one look-up, and what is found leads to all.
 *
 * A row is a hint and nothing more. Uploads that came to nothing leave rows behind whose numbers later go to
 * other texts, and clearing them up would need a record of what is left. So whoever reads a hint compares
 * the text that the number really has. The checksum tells a damaged row from such a leftover.
 */
import { hash } from 'node:crypto';
import { MAX_ITEMS_PER_PRODUCT } from '../../../engine/limits.ts';
import { rowChecksum } from '../../codec/row-checksum.ts';
import { DamagedRowError } from '../stock-errors.ts';
import { MAX_ITEM_BYTES } from './stock-block.ts';
import type { StockFile } from './stock-file.ts';

/** Rows are small, because their pages count as the node's memory while a large upload runs. */
const PRODUCT_BYTES = 4;
const FINGERPRINT_BYTES = 10;
export const FINGERPRINT_KEY_BYTES = PRODUCT_BYTES + FINGERPRINT_BYTES;
export const HINT_BYTES = 6;
const KEY_BYTES = FINGERPRINT_KEY_BYTES;
const NUMBER_BYTES = HINT_BYTES;
const FURTHER_KEY_BYTES = KEY_BYTES + NUMBER_BYTES;
const ROW_BYTES = NUMBER_BYTES + 4;
/** Numbers up from here name orders: there are fewer items of a product than that. */
const FIRST_ORDER = 2 ** 40;
/** Further items have their rows behind those of further orders, whose numbers are lower. */
const FIRST_FURTHER_ITEM = 2 ** 47;
const END_OF_NUMBERS = 2 ** (8 * NUMBER_BYTES) - 1;

/** What the row of a text names that an order has, instead of an item. */
export function hintOfOrder(orderId: number): number {
  return FIRST_ORDER + orderId;
}

/** Undefined when the row names an item. */
export function orderOfHint(hint: number): number | undefined {
  return hint < FIRST_ORDER ? undefined : hint - FIRST_ORDER;
}

export class Fingerprints {
  readonly #file: StockFile;
  /** The fingerprint key, and behind it room for the longest text. */
  readonly #hashed: Buffer;
  readonly #row = Buffer.alloc(ROW_BYTES);

  constructor(file: StockFile) {
    this.#file = file;
    this.#hashed = Buffer.alloc(file.fingerprintKey.length + MAX_ITEM_BYTES);
    this.#hashed.set(file.fingerprintKey);
  }

  /** The key of a text's row. */
  keyOf(productId: number, text: Uint8Array): Buffer {
    const start = this.#file.fingerprintKey.length;
    this.#hashed.set(text, start);
    const digest = hash('sha256', this.#hashed.subarray(0, start + text.length), 'buffer');
    const key = Buffer.allocUnsafe(KEY_BYTES);
    key.writeUInt32BE(productId, 0);
    digest.copy(key, PRODUCT_BYTES, 0, FINGERPRINT_BYTES);
    return key;
  }

  /** The number of an item, or one that `orderOfHint` knows. Throws `DamagedRowError`. */
  get(key: Buffer): number | undefined {
    const row = this.#file.fingerprints.get(key);
    if (row === undefined) return undefined;
    checkFingerprintRow(key, row);
    return row.readUIntBE(0, NUMBER_BYTES);
  }

  /** Orders beside what `get` names; none when it names nothing. Throws `DamagedRowError`. */
  *furtherOrders(key: Buffer): IterableIterator<number> {
    const range = { start: furtherKey(key, 0), end: furtherKey(key, FIRST_FURTHER_ITEM) };
    for (const { key: rowKey, value } of this.#file.fingerprints.getRange(range)) {
      checkFingerprintRow(rowKey, value);
      yield value.readUIntBE(0, NUMBER_BYTES) - FIRST_ORDER;
    }
  }

  /** The first item beside what `get` names that has this number or a higher one. Throws `DamagedRowError`. */
  furtherItem(key: Buffer, from: number): number | undefined {
    const start = furtherKey(key, FIRST_FURTHER_ITEM + from);
    const range = { start, end: furtherKey(key, END_OF_NUMBERS), limit: 1 };
    for (const { key: rowKey, value } of this.#file.fingerprints.getRange(range)) {
      checkFingerprintRow(rowKey, value);
      return value.readUIntBE(0, NUMBER_BYTES);
    }
    return undefined;
  }

  /** All beside what `get` names, at most `limit`, as it names them. Throws `DamagedRowError`. */
  furtherHints(key: Buffer, limit: number): number[] {
    const range = { start: furtherKey(key, 0), end: furtherKey(key, END_OF_NUMBERS), limit };
    return Array.from(this.#file.fingerprints.getRange(range), ({ key: rowKey, value }) => {
      checkFingerprintRow(rowKey, value);
      return value.readUIntBE(0, NUMBER_BYTES);
    });
  }

  /** In place of what `get` names, which gets a further row when it is `kept`. Inside a write transaction. */
  setItem(key: Buffer, item: number, kept?: number): void {
    if (kept !== undefined) this.#put(furtherKey(key, numberOfFurther(kept)), kept);
    this.#put(key, item);
  }

  /** Beside what `get` names. Inside a write transaction. */
  addItem(key: Buffer, item: number): void {
    this.#put(furtherKey(key, numberOfFurther(item)), item);
  }

  /** Where `putOrder` puts an order, beside whatever there is. Throws `DamagedRowError`. */
  placeOf(key: Buffer, orderId: number): Buffer {
    const named = this.get(key);
    return named === undefined || named === hintOfOrder(orderId) ? key : furtherKey(key, orderId);
  }

  /** Inside a write transaction. */
  putOrder(place: Buffer, orderId: number): void {
    this.#put(place, hintOfOrder(orderId));
  }

  /**
   * Of a table that is written anew, every holder once: `hint` is an item's number, or `hintOfOrder`. The first one of a
   * key gets the row under it. Inside a write transaction.
   */
  addHolder(key: Buffer, hint: number, isFirst: boolean): void {
    this.#put(isFirst ? key : furtherKey(key, numberOfFurther(hint)), hint);
  }

  #put(key: Buffer, hint: number): void {
    this.#row.writeUIntBE(hint, 0, NUMBER_BYTES);
    this.#row.writeUInt32BE(rowChecksum(key, this.#row, NUMBER_BYTES), NUMBER_BYTES);
    this.#file.put('fingerprints', key, this.#row);
  }
}

/** By which its further row is found. */
function numberOfFurther(hint: number): number {
  return orderOfHint(hint) ?? FIRST_FURTHER_ITEM + hint;
}

function furtherKey(key: Buffer, number: number): Buffer {
  const further = Buffer.allocUnsafe(FURTHER_KEY_BYTES);
  further.set(key);
  further.writeUIntBE(number, KEY_BYTES, NUMBER_BYTES);
  return further;
}

/** Throws `DamagedRowError` when key and row don't belong together, or the row names neither item nor order. */
export function checkFingerprintRow(key: Uint8Array, row: Uint8Array): void {
  const isWhole =
    row.length === ROW_BYTES &&
    numberIn(row, NUMBER_BYTES, ROW_BYTES) === rowChecksum(key, row, NUMBER_BYTES);
  if (!isWhole) throw new DamagedRowError(nameOf(key), 'its checksum is wrong');
  const hint = numberIn(row, 0, NUMBER_BYTES);
  if (hint >= MAX_ITEMS_PER_PRODUCT && hint <= FIRST_ORDER) {
    throw new DamagedRowError(nameOf(key), `${hint} is not the number of an item or an order`);
  }
  if (key.length === KEY_BYTES) return;
  const isFurther = key.length === FURTHER_KEY_BYTES && furtherOf(key) === numberOfFurther(hint);
  if (!isFurther) throw new DamagedRowError(nameOf(key), 'its key and its row name different numbers');
}

function furtherOf(key: Uint8Array): number {
  return numberIn(key, KEY_BYTES, FURTHER_KEY_BYTES);
}

/** Big-endian, at most 48 bits. As a `Buffer` it would have to be made one first, a million times at a start. */
function numberIn(bytes: Uint8Array, start: number, end: number): number {
  let number = 0;
  for (let index = start; index < end; index += 1) number = number * 256 + (bytes[index] ?? 0);
  return number;
}

function nameOf(key: Uint8Array): string {
  return `fingerprint ${Buffer.from(key).toString('hex')}`;
}
