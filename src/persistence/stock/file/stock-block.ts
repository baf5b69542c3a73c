/**
 * 128 neighbouring items of a product as one value. Blocks, because sealing and storing each item by itself
 * would cost more bytes than most items have; aligned, so that an item's block follows from its number.
 *
 * Purchases of a product come from one block until it is sold, and to open one costs much the same with 64 short
 * texts in it as with 128 or 256. Rejected: 256, which with texts of the greatest length take so long to open, and
 * so much of the caches, that buying a few such products in turn is slower by far more than short ones gain.
 *
 * A block stays bytes until a text is asked for: that is compact, its size is known, and it is nothing for
 * the garbage collector to walk.
 */
import { MAX_ITEMS_PER_PRODUCT } from '../../../engine/limits.ts';
import { writeNumberKey } from '../../codec/number-key.ts';
import { damagedRow } from '../stock-errors.ts';

export const ITEMS_PER_BLOCK = 128;
/** Longest text of one item, in UTF-8. */
export const MAX_ITEM_BYTES = 16 * 1024;
export const BLOCK_KEY_BYTES = 16;

const BLOCKS_PER_PRODUCT = Math.floor(MAX_ITEMS_PER_PRODUCT / ITEMS_PER_BLOCK) + 1;
const LENGTH_BYTES = 4;
/** Bytes that a block costs in memory besides its texts, roughly; and each of these. */
const OBJECT_BYTES = 300;
const START_BYTES = 8;
/** `memoryBytes` of a full block whose texts are of the greatest length. */
export const MAX_BLOCK_BYTES =
  OBJECT_BYTES + START_BYTES + ITEMS_PER_BLOCK * (LENGTH_BYTES + MAX_ITEM_BYTES + START_BYTES);

export function blockOf(item: number): number {
  return Math.floor(item / ITEMS_PER_BLOCK);
}

/** One number for a product's block: found faster than a text, or in a map of maps. A product's are next to each other. */
export function placeOf(productId: number, block: number): number {
  return productId * BLOCKS_PER_PRODUCT + block;
}

export function blockKey(productId: number, block: number): Buffer {
  const key = Buffer.allocUnsafe(BLOCK_KEY_BYTES);
  writeNumberKey(key, productId, 0);
  writeNumberKey(key, block, 8);
  return key;
}

/** Length of what `encodeBlock` makes of these texts. */
export function encodedLength(texts: readonly (string | Uint8Array)[]): number {
  return texts.reduce((length, text) => length + LENGTH_BYTES + Buffer.byteLength(text), 0);
}

/** Each text behind its length in bytes. */
export function encodeBlock(texts: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafe(encodedLength(texts));
  let offset = 0;
  for (const text of texts) {
    offset = bytes.writeUInt32BE(text.length, offset);
    bytes.set(text, offset);
    offset += text.length;
  }
  return bytes;
}

export class ItemBlock {
  readonly #bytes: Buffer;
  /** Where each text starts, and one past the last one's length. */
  readonly #starts: number[];

  private constructor(bytes: Buffer, starts: number[]) {
    this.#bytes = bytes;
    this.#starts = starts;
  }

  /** The first `limit` texts. Throws `damaged`, which names the `row`, when the bytes aren't a block. */
  static decode(row: string, bytes: Buffer, limit: number): ItemBlock {
    const starts: number[] = [LENGTH_BYTES];
    let offset = 0;
    while (offset < bytes.length && starts.length <= limit) {
      const isWhole = offset + LENGTH_BYTES <= bytes.length;
      offset += LENGTH_BYTES + (isWhole ? bytes.readUInt32BE(offset) : 0);
      if (offset > bytes.length) throw damagedRow(row, 'its texts have wrong lengths');
      starts.push(offset + LENGTH_BYTES);
    }
    return new ItemBlock(withMemoryOfItsOwn(bytes.subarray(0, offset)), starts);
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  get memoryBytes(): number {
    return this.#bytes.length + OBJECT_BYTES + this.#starts.length * START_BYTES;
  }

  /** `index` is below `count`. */
  textAt(index: number): string {
    const start = this.#starts[index];
    const next = this.#starts[index + 1];
    if (start === undefined || next === undefined) throw new RangeError(`no item ${index} in a block`);
    return this.#bytes.toString('utf8', start, next - LENGTH_BYTES);
  }

  texts(): string[] {
    return Array.from({ length: this.count }, (_, index) => this.textAt(index));
  }

  bytesAt(index: number): Buffer {
    const start = this.#starts[index];
    const next = this.#starts[index + 1];
    if (start === undefined || next === undefined) throw new RangeError(`no item ${index} in a block`);
    return this.#bytes.subarray(start, next - LENGTH_BYTES);
  }
}

/**
 * A part that is kept would keep the whole, or the pool that node has put it in, which is 64 KiB large from Node 24 on:
 * memory that nobody counts.
 */
function withMemoryOfItsOwn(bytes: Buffer): Buffer {
  if (bytes.byteLength === bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.byteLength);
  own.set(bytes);
  return own;
}
