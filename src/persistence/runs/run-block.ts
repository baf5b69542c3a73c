/**
 * Rows as bytes: a block of a run file. Rows ascend by key, and of a key only what differs from the one before is kept.
 *
 * A block has no checksum of its own. Who names it (a block above it, or the end of the file) has its place, its length
 * and its checksum, so a block that lies where another one belongs is found like one that is damaged.
 */
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';

export interface Row {
  readonly key: Buffer;
  /** Empty: a tombstone (`tiered-table.ts`). */
  readonly value: Buffer;
}

const NO_KEY: Buffer = Buffer.alloc(0);

export class BlockWriter {
  readonly #bytes = new ByteWriter(16 * 1024);
  #first = NO_KEY;
  #last = NO_KEY;

  get length(): number {
    return this.#bytes.length;
  }

  /** The key of its first row; valid after `clear`, too. */
  get first(): Buffer {
    return this.#first;
  }

  /** `key` is above the last one, and nobody changes it afterwards. */
  add(key: Buffer, value: Uint8Array): void {
    if (this.#bytes.length === 0) this.#first = key;
    const shared = commonBytes(this.#last, key);
    this.#bytes.varint(shared);
    this.#bytes.varint(key.length - shared);
    this.#bytes.varint(value.length);
    this.#bytes.bytes(key.subarray(shared));
    this.#bytes.bytes(value);
    this.#last = key;
  }

  /** Valid until the next `add`. */
  view(): Buffer {
    return this.#bytes.view();
  }

  clear(): void {
    this.#bytes.reset();
    this.#last = NO_KEY;
  }
}

/** The rows of a block, in their order. Throws `DamagedDataError`. */
export function decodeBlock(bytes: Buffer): Row[] {
  const input = new ByteReader(bytes);
  const rows: Row[] = [];
  let key = NO_KEY;
  while (!input.isAtEnd) {
    const shared = input.varint();
    const rest = input.varint();
    const length = input.varint();
    if (shared > key.length) throw new DamagedDataError('a row of a block begins like none before it');
    const suffix = input.bytes(rest);
    key = shared === 0 ? suffix : Buffer.concat([key.subarray(0, shared), suffix]);
    rows.push({ key, value: input.bytes(length) });
  }
  return rows;
}

/** A row as it lies in its block. */
export interface FoundRow {
  readonly isExact: boolean;
  readonly value: Buffer;
}

/**
 * The last row whose key is `key` or below, or else the first one. Makes nothing of the rows before it: a block that names
 * blocks has a hundred and more. Throws `DamagedDataError`.
 *
 * Keys ascend, so where a key goes on differently from the one before, it does so with a higher byte. How many bytes the
 * last key had in common with `key`, which is above it, then tells most others by how many bytes they share with it.
 */
export function lastUpTo(bytes: Buffer, key: Buffer): FoundRow {
  const input = new ByteReader(bytes);
  let common = 0;
  let isExact = false;
  let valueAt = -1;
  let valueLength = 0;
  while (!input.isAtEnd && !isExact) {
    const shared = input.varint();
    const rest = input.varint();
    const length = input.varint();
    const at = input.offset;
    input.skip(rest + length);
    const isFirst = valueAt < 0;
    if (isFirst || shared === common) {
      let same = 0;
      while (same < rest && shared + same < key.length && bytes[at + same] === key[shared + same]) same += 1;
      // A key that goes on where the other one ends is above it.
      const isAbove = same < rest && (bytes[at + same] ?? 0) > (key[shared + same] ?? -1);
      if (isAbove && !isFirst) break;
      common = shared + same;
      isExact = same === rest && common === key.length;
      valueAt = at + rest;
      valueLength = length;
      if (isAbove) break;
    } else if (shared < common) {
      break;
    } else {
      valueAt = at + rest;
      valueLength = length;
    }
  }
  if (valueAt < 0) throw new DamagedDataError('a block has no rows');
  return { isExact, value: bytes.subarray(valueAt, valueAt + valueLength) };
}

/** The first row whose key is not below `key`; as many as there are rows when there is none. */
export function firstFrom(rows: readonly { readonly key: Buffer }[], key: Buffer): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.key ?? NO_KEY).compare(key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function commonBytes(left: Buffer, right: Buffer): number {
  const length = Math.min(left.length, right.length);
  let at = 0;
  while (at < length && left[at] === right[at]) at += 1;
  return at;
}
