/**
 * Goes through the rows of a run file in their order. A merge goes through millions of small ones: so no object is made of
 * a row, and keys, which are short, are compared and copied by loops, which take a tenth of what the runtime's calls do.
 */
import { DamagedFileError } from '../lmdb/damaged-file.ts';
import type { RawRow } from './run-block.ts';

const FIRST_KEY_BYTES = 64;
const MORE = 0x80;
const NO_BYTES: Buffer = Buffer.alloc(0);

/** A run file, as far as it is gone through. */
export interface RunBlocks {
  /** The path of the file, for messages. */
  readonly file: string;
  /** All blocks of rows, in their order. */
  blocks(): Iterator<Buffer>;
}

/** The row that it is at; before the first `next`, none. */
export class RunCursor implements RawRow {
  key: Buffer = Buffer.alloc(FIRST_KEY_BYTES);
  keyLength = 0;
  bytes: Buffer = NO_BYTES;
  valueStart = 0;
  valueEnd = 0;
  /** False behind the last row. */
  hasRow = true;
  readonly #file: string;
  readonly #blocks: Iterator<Buffer>;
  /** Where the next number of the block is. */
  #at = 0;

  constructor(file: RunBlocks) {
    this.#file = file.file;
    this.#blocks = file.blocks();
  }

  /** To the next row; false when there is none. Throws `DamagedFileError`. */
  next(): boolean {
    if (this.valueEnd === this.bytes.length && !this.#load()) return false;
    this.#at = this.valueEnd;
    const shared = this.#varint();
    const keyLength = shared + this.#varint();
    const valueLength = this.#varint();
    const at = this.#at;
    const valueStart = at + keyLength - shared;
    if (shared > this.keyLength || valueStart + valueLength > this.bytes.length) throw this.#damage();
    if (keyLength > this.key.length) this.key = Buffer.concat([this.key], keyLength * 2);
    for (let to = shared; to < keyLength; to += 1) this.key[to] = this.bytes[at + to - shared] ?? 0;
    this.keyLength = keyLength;
    this.valueStart = valueStart;
    this.valueEnd = valueStart + valueLength;
    return true;
  }

  #load(): boolean {
    const block = this.#blocks.next();
    this.hasRow = !block.done;
    if (block.done) return false;
    this.bytes = block.value;
    this.keyLength = 0;
    this.valueEnd = 0;
    return true;
  }

  #varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= MORE) {
      const byte = this.bytes[this.#at];
      if (byte === undefined) throw this.#damage();
      this.#at += 1;
      value += (byte % MORE) * factor;
      if (byte < MORE) return value;
    }
  }

  #damage(): DamagedFileError {
    // Its checksum is right, so it was written so.
    return new DamagedFileError(this.#file, "has a block of rows that can't be read");
  }
}

/** Below 0 when `one`'s key is below the other's; 0 when they are equal. */
function compareKeys(one: RunCursor, other: RunCursor): number {
  const left = one.key;
  const right = other.key;
  const length = Math.min(one.keyLength, other.keyLength);
  for (let at = 0; at < length; at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.keyLength - other.keyLength;
}

/** Goes through the rows of several files at once. Among rows with the same key, the first file's counts. */
export class MergeCursor {
  /** The cursors that have a row. */
  #cursors: readonly RunCursor[];
  #lowest: RunCursor | undefined;
  /** Others may have the same key. */
  #hasTwins = false;

  constructor(files: readonly RunBlocks[]) {
    this.#cursors = files.map((file) => new RunCursor(file)).filter((cursor) => cursor.next());
  }

  /** Valid until the next call; undefined behind the last row. Throws `DamagedFileError`. */
  next(): RawRow | undefined {
    if (this.#lowest !== undefined) this.#leave(this.#lowest);
    this.#hasTwins = false;
    let lowest: RunCursor | undefined;
    for (const cursor of this.#cursors) {
      const order = lowest === undefined ? -1 : compareKeys(cursor, lowest);
      if (order < 0) lowest = cursor;
      if (order === 0) this.#hasTwins = true;
    }
    this.#lowest = lowest;
    return lowest;
  }

  #leave(lowest: RunCursor): void {
    let isAtEnd = false;
    // Before the lowest goes on.
    if (this.#hasTwins) {
      for (const cursor of this.#cursors) {
        if (cursor !== lowest && compareKeys(cursor, lowest) === 0 && !cursor.next()) isAtEnd = true;
      }
    }
    if (!lowest.next()) isAtEnd = true;
    if (isAtEnd) this.#cursors = this.#cursors.filter(({ hasRow }) => hasRow);
  }
}
