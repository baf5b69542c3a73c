/**
 * Rows as bytes: a block of a run file. Rows ascend by key, and of a key only the bytes that differ from the one before
 * are kept.
 *
 * A block has no checksum of its own. The block above it, or the end of the file, names it, with its place, its length
 * and its checksum, so a block that lies where another one belongs is found like one that is damaged.
 */
import { BrokenInvariantError } from '../../engine/apply/broken-invariant.ts';
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';

export interface Row {
  readonly key: Buffer;
  /** Empty: a tombstone (`tiered-table.ts`). */
  readonly value: Buffer;
}

const NO_KEY: Buffer = Buffer.alloc(0);
const FIRST_KEY_BYTES = 64;

/** A row as parts of other bytes, which may be overwritten when it has been taken. A merge moves millions of them. */
export interface RawRow {
  /** Bytes whose first `keyLength` are the key. */
  readonly key: Buffer;
  readonly keyLength: number;
  /** Has the value, from `valueStart` on and before `valueEnd`. */
  readonly bytes: Uint8Array;
  readonly valueStart: number;
  readonly valueEnd: number;
}

export function rawRow(key: Buffer, value: Uint8Array): RawRow {
  return { key, keyLength: key.length, bytes: value, valueStart: 0, valueEnd: value.length };
}

export class BlockWriter {
  readonly #bytes = new ByteWriter(16 * 1024);
  #first = NO_KEY;
  #last = Buffer.alloc(FIRST_KEY_BYTES);
  /** The length of the last key; below 0 when there was none. */
  #lastLength = -1;

  get length(): number {
    return this.#bytes.length;
  }

  /** The key of its first row; valid after `clear`, too. */
  get first(): Buffer {
    return this.#first;
  }

  /** The key of its last row; valid after `clear`, too, until the next `add`. */
  get last(): Buffer {
    return this.#last.subarray(0, this.#lastLength);
  }

  /** Adds a row, whose key is above the last one, also of what was cleared. */
  add({ key, keyLength, bytes, valueStart, valueEnd }: RawRow): void {
    const isFirst = this.#bytes.length === 0;
    const common = this.#commonBytes(key, keyLength);
    const shared = isFirst ? 0 : common;
    if (isFirst) this.#first = Buffer.from(key.subarray(0, keyLength));
    this.#bytes.varint(shared);
    this.#bytes.varint(keyLength - shared);
    this.#bytes.varint(valueEnd - valueStart);
    this.#bytes.part(key, shared, keyLength);
    this.#bytes.part(bytes, valueStart, valueEnd);
    if (keyLength > this.#last.length) this.#last = Buffer.concat([this.#last], keyLength * 2);
    for (let at = common; at < keyLength; at += 1) this.#last[at] = key[at] ?? 0;
    this.#lastLength = keyLength;
  }

  /** How many bytes the key has in common with the last one, which must be below. */
  #commonBytes(key: Uint8Array, keyLength: number): number {
    const last = this.#last;
    const lastLength = this.#lastLength;
    let at = 0;
    while (at < lastLength && at < keyLength && last[at] === key[at]) at += 1;
    const isBelow = at === keyLength ? lastLength < at : at >= lastLength || (last[at] ?? 0) < (key[at] ?? 0);
    if (!isBelow) throw new BrokenInvariantError('a row of a run is out of order');
    return at;
  }

  /** Valid until the next `add`. */
  view(): Buffer {
    return this.#bytes.view();
  }

  clear(): void {
    this.#bytes.reset();
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

/**
 * The value of the row with this key; undefined when there is none. Makes nothing of the rows before it: a block may have
 * hundreds. Throws `DamagedDataError`.
 *
 * Keys ascend, so where a key goes on differently from the one before, it does so with a higher byte. How many bytes the
 * last key had in common with `key`, which is above it, then tells most others by how many bytes they share with it.
 */
export function valueUnder(bytes: Buffer, key: Buffer): Buffer | undefined {
  const input = new ByteReader(bytes);
  let common = 0;
  while (!input.isAtEnd) {
    const shared = input.varint();
    const rest = input.varint();
    const length = input.varint();
    const at = input.offset;
    input.skip(rest + length);
    if (shared < common) return undefined;
    if (shared > common) continue;
    let same = 0;
    while (same < rest && common + same < key.length && bytes[at + same] === key[common + same]) same += 1;
    common += same;
    if (same < rest) {
      // A key that goes on where the other one ends is above it.
      if ((bytes[at + same] ?? 0) > (key[common] ?? -1)) return undefined;
    } else if (common === key.length) {
      return bytes.subarray(at + rest, at + rest + length);
    }
  }
  return undefined;
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
