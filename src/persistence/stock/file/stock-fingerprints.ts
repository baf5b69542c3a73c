/**
 * Holders of a text, among all texts that the shop ever had: the items and orders, found without reading them, by a
 * hash of the text's likeness (`../likeness.ts`). The hash is keyed with a secret, so that the file doesn't tell
 * somebody who guesses a text whether it is there. One look-up is for all products, so that no text is sold by two of
 * them.
 *
 * The first one that has a text gets the row under its fingerprint. Every further order or item gets a row of its own
 * behind it, under the fingerprint, its product and its number: an item may be withdrawn, and an order may end without
 * its texts, while another keeps its own. So a text that nobody had costs one look-up, and what is found leads to all.
 *
 * A row is a hint and nothing more. Uploads that came to nothing leave rows behind whose numbers later go to other
 * texts, and clearing them up would need a record of what is left; and texts of one likeness may be different ones. So
 * whoever reads a hint compares the text that the number really has. The checksum tells a damaged row from a leftover.
 */
import { hash } from 'node:crypto';
import { MAX_ITEMS_PER_PRODUCT } from '../../../engine/limits.ts';
import { rowChecksum } from '../../codec/row-checksum.ts';
import { likenessBytes } from '../likeness.ts';
import { damagedRow } from '../stock-errors.ts';
import { MAX_ITEM_BYTES } from './stock-block.ts';
import type { StockFile } from './stock-file.ts';

/** Rows are small, because their pages count as the node's memory while a large upload runs. */
export const FINGERPRINT_BYTES = 12;
const PRODUCT_BYTES = 4;
const NUMBER_BYTES = 6;
/** The length of a holder, in a row and behind the fingerprint in the key of a further row. */
export const HOLDER_BYTES = PRODUCT_BYTES + NUMBER_BYTES;
const FURTHER_KEY_BYTES = FINGERPRINT_BYTES + HOLDER_BYTES;
const ROW_BYTES = HOLDER_BYTES + 4;
/** Numbers up from here name orders: there are fewer items of a product than that. */
const FIRST_ORDER = 2 ** 40;
/** Further items have their rows behind those of further orders of their product, whose numbers are lower. */
const FIRST_FURTHER_ITEM = 2 ** 47;
const END_OF_NUMBERS = 2 ** (8 * NUMBER_BYTES) - 1;
const END_OF_PRODUCTS = 2 ** (8 * PRODUCT_BYTES) - 1;

/** The holder of a text, by its row. */
export interface Holder {
  readonly productId: number;
  /** The number of an item of the product, or one that `orderOfHint` knows. */
  readonly hint: number;
}

/** The number that the row of an order's text has in place of an item's. */
export function hintOfOrder(orderId: number): number {
  return FIRST_ORDER + orderId;
}

/** Undefined when the row names an item. */
export function orderOfHint(hint: number): number | undefined {
  return hint < FIRST_ORDER ? undefined : hint - FIRST_ORDER;
}

export class Fingerprints {
  readonly #file: StockFile;
  readonly #secretBytes: number;
  /** The fingerprint key, and behind it room for the longest text. */
  readonly #hashed: Buffer;
  readonly #row = Buffer.alloc(ROW_BYTES);

  constructor(file: StockFile) {
    this.#file = file;
    this.#secretBytes = file.fingerprintKey.length;
    this.#hashed = Buffer.alloc(this.#secretBytes + MAX_ITEM_BYTES);
    this.#hashed.set(file.fingerprintKey);
  }

  /** The key of a text's row: that of all texts of its likeness. */
  keyOf(text: Uint8Array): Buffer {
    return this.#hash(likenessBytes(text, this.#hashed, this.#secretBytes));
  }

  /** The hash of a text as it is seen. */
  hashOf(visibleForm: string): Buffer {
    const secret = this.#hashed.subarray(0, this.#secretBytes);
    return this.#hash(Buffer.concat([secret, Buffer.from(visibleForm)]));
  }

  /** Throws `damaged`. */
  get(key: Buffer): Holder | undefined {
    const row = this.#file.fingerprints.get(key);
    return row === undefined ? undefined : holderIn(key, row);
  }

  /** The first product from `from` on of which there are rows beside what `get` names. */
  furtherProduct(key: Buffer, from: number): number | undefined {
    const [row] = this.#further(key, { productId: from, number: 0 }, END_OF_PRODUCTS, 1);
    return row?.productId;
  }

  /** Orders of a product beside what `get` names; none when it names nothing. Throws `damaged`. */
  *furtherOrders(key: Buffer, productId: number): IterableIterator<number> {
    const range = {
      start: furtherKey(key, productId, 0),
      end: furtherKey(key, productId, FIRST_FURTHER_ITEM),
    };
    for (const { key: rowKey, value } of this.#file.fingerprints.getRange(range)) {
      yield holderIn(rowKey, value).hint - FIRST_ORDER;
    }
  }

  /** A product's first item beside what `get` names that has this number or a higher one. Throws `damaged`. */
  furtherItem(key: Buffer, productId: number, from: number): number | undefined {
    const [row] = this.#further(key, { productId, number: FIRST_FURTHER_ITEM + from }, productId, 1);
    return row?.hint;
  }

  /** All beside what `get` names, or one product's, at most `limit`. Throws `damaged`. */
  furtherHolders(key: Buffer, limit: number, productId?: number): Holder[] {
    const first = { productId: productId ?? 0, number: 0 };
    return [...this.#further(key, first, productId ?? END_OF_PRODUCTS, limit)];
  }

  /**
   * Puts an item in place of the holder that `get` names, which gets a further row when it is `kept`. Inside a write
   * transaction.
   */
  setItem(key: Buffer, item: Holder, kept?: Holder): void {
    if (kept !== undefined) this.addItem(key, kept);
    this.#put(key, item);
  }

  /** Puts an item beside the holder that `get` names. Inside a write transaction. */
  addItem(key: Buffer, holder: Holder): void {
    this.#put(furtherKey(key, holder.productId, numberOfFurther(holder.hint)), holder);
  }

  /** Where `putOrder` puts an order, beside whatever there is. Throws `damaged`. */
  placeOf(key: Buffer, productId: number, orderId: number): Buffer {
    const named = this.get(key);
    const isIts = named === undefined || named.hint === hintOfOrder(orderId);
    return isIts ? key : furtherKey(key, productId, orderId);
  }

  /** Inside a write transaction. */
  putOrder(place: Buffer, productId: number, orderId: number): void {
    this.#put(place, { productId, hint: hintOfOrder(orderId) });
  }

  /**
   * Adds every holder once to a table that is written anew. The first one of a key gets the row under it. Inside a
   * write transaction.
   */
  addHolder(key: Buffer, holder: Holder, isFirst: boolean): void {
    if (isFirst) this.#put(key, holder);
    else this.addItem(key, holder);
  }

  #hash(bytes: Uint8Array): Buffer {
    return Buffer.from(hash('sha256', bytes, 'buffer').subarray(0, FINGERPRINT_BYTES));
  }

  *#further(
    key: Buffer,
    { productId, number }: { readonly productId: number; readonly number: number },
    lastProduct: number,
    limit: number,
  ): IterableIterator<Holder> {
    const range = {
      start: furtherKey(key, productId, number),
      end: furtherKey(key, lastProduct, END_OF_NUMBERS),
      limit,
    };
    for (const { key: rowKey, value } of this.#file.fingerprints.getRange(range))
      yield holderIn(rowKey, value);
  }

  #put(key: Buffer, { productId, hint }: Holder): void {
    this.#row.writeUInt32BE(productId, 0);
    this.#row.writeUIntBE(hint, PRODUCT_BYTES, NUMBER_BYTES);
    this.#row.writeUInt32BE(rowChecksum(key, this.#row, HOLDER_BYTES), HOLDER_BYTES);
    this.#file.put('fingerprints', key, this.#row);
  }
}

/** The number by which a holder's further row is found. */
function numberOfFurther(hint: number): number {
  return orderOfHint(hint) ?? FIRST_FURTHER_ITEM + hint;
}

function furtherKey(key: Buffer, productId: number, number: number): Buffer {
  const further = Buffer.allocUnsafe(FURTHER_KEY_BYTES);
  further.set(key);
  further.writeUInt32BE(productId, FINGERPRINT_BYTES);
  further.writeUIntBE(number, FINGERPRINT_BYTES + PRODUCT_BYTES, NUMBER_BYTES);
  return further;
}

/** The fingerprint in the key of a further row; undefined when the key is of another kind. */
export function fingerprintOfFurther(key: Uint8Array): Buffer | undefined {
  if (key.length !== FURTHER_KEY_BYTES) return undefined;
  return Buffer.from(key.buffer, key.byteOffset, FINGERPRINT_BYTES);
}

/** Throws `damaged` when key and row don't belong together, or the row names neither item nor order. */
export function holderIn(key: Uint8Array, row: Uint8Array): Holder {
  const isWhole =
    row.length === ROW_BYTES &&
    numberIn(row, HOLDER_BYTES, ROW_BYTES) === rowChecksum(key, row, HOLDER_BYTES);
  if (!isWhole) throw damagedRow(nameOf(key), 'its checksum is wrong');
  const hint = numberIn(row, PRODUCT_BYTES, HOLDER_BYTES);
  if (hint >= MAX_ITEMS_PER_PRODUCT && hint <= FIRST_ORDER) {
    throw damagedRow(nameOf(key), `${hint} is not the number of an item or an order`);
  }
  const productId = numberIn(row, 0, PRODUCT_BYTES);
  if (key.length === FINGERPRINT_BYTES) return { productId, hint };
  const isFurther =
    key.length === FURTHER_KEY_BYTES &&
    numberIn(key, FINGERPRINT_BYTES, FINGERPRINT_BYTES + PRODUCT_BYTES) === productId &&
    numberIn(key, FINGERPRINT_BYTES + PRODUCT_BYTES, FURTHER_KEY_BYTES) === numberOfFurther(hint);
  if (!isFurther) throw damagedRow(nameOf(key), 'its key and its row name different numbers');
  return { productId, hint };
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
