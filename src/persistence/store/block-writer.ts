/**
 * Rows of one table as bytes: a block of a table file. Rows ascend by `a`, then by `b`.
 *
 * A row: how much `a` is above the last one's; `b`, or, with the same `a`, how much it is above the last one's; the
 * value's length and one, 0 for a tombstone; the value. A number or a value that the table hasn't is left out. A block has no checksum:
 * whoever names it has.
 */
import { BrokenInvariantError } from '../../engine/apply/broken-invariant.ts';
import { MAX_VARINT_BYTES, writeVarint } from '../codec/varint.ts';
import { compareKeys, type StoreTable } from './store-table.ts';

const FIRST_BYTES = 64 * 1024;

export class BlockWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;
  #firstA = 0;
  #firstB = 0;
  #lastA = 0;
  #lastB = 0;

  get length(): number {
    return this.#length;
  }

  get firstA(): number {
    return this.#firstA;
  }

  get firstB(): number {
    return this.#firstB;
  }

  get lastA(): number {
    return this.#lastA;
  }

  get lastB(): number {
    return this.#lastB;
  }

  /** The row's value is `bytes` from `start` on and before `end`; it is a tombstone when `end` is below `start`. */
  add(table: StoreTable, a: number, b: number, bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    this.#reserve(3 * MAX_VARINT_BYTES + Math.max(0, length));
    let at = this.#length;
    const isFirst = at === 0;
    if (isFirst) {
      this.#firstA = a;
      this.#firstB = b;
    } else if (compareKeys(this.#lastA, this.#lastB, a, b) >= 0)
      throw new BrokenInvariantError('a row of a table file is out of order');
    const into = this.#bytes;
    const moreA = isFirst ? a : a - this.#lastA;
    if (moreA < 128) into[at++] = moreA;
    else at = writeVarint(into, at, moreA);
    if (table.hasB) {
      const moreB = moreA === 0 && !isFirst ? b - this.#lastB : b;
      if (moreB < 128) into[at++] = moreB;
      else at = writeVarint(into, at, moreB);
    }
    if (table.hasValue) {
      if (length < 127) into[at++] = length < 0 ? 0 : length + 1;
      else at = writeVarint(into, at, length + 1);
      if (length > 64) into.set(bytes.subarray(start, end), at);
      else for (let index = 0; index < length; index += 1) into[at + index] = bytes[start + index] ?? 0;
      if (length > 0) at += length;
    }
    this.#length = at;
    this.#lastA = a;
    this.#lastB = b;
  }

  /** Adds rows as they are encoded behind a row with the last key; their own last key is `a`, `b`. */
  addEncoded(bytes: Uint8Array, start: number, end: number, a: number, b: number): void {
    this.#reserve(end - start);
    this.#bytes.set(bytes.subarray(start, end), this.#length);
    this.#length += end - start;
    this.#lastA = a;
    this.#lastB = b;
  }

  /** Valid until the next `add`. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
