/** Walks the rows of a block (`block-writer.ts`) without making anything of them. */
import { DamagedDataError } from '../codec/byte-reader.ts';
import type { StoreTable } from './store-table.ts';

const NOTHING = Buffer.alloc(0);

export class BlockCursor {
  bytes: Uint8Array = NOTHING;
  a = 0;
  b = 0;
  /** The value of a row; `valueEnd` is below `valueStart` when it is a tombstone. */
  valueStart = 0;
  valueEnd = 0;
  /** Where the row ends, and the next one begins. */
  rowEnd = 0;
  #hasB = false;
  #hasValue = false;
  #at = 0;

  /** Before the first row of a block. */
  open(table: StoreTable, bytes: Uint8Array): void {
    this.bytes = bytes;
    this.#hasB = table.hasB;
    this.#hasValue = table.hasValue;
    this.#at = 0;
    this.rowEnd = 0;
    this.a = 0;
    this.b = 0;
    // What the table hasn't stays so.
    this.valueStart = 0;
    this.valueEnd = 0;
  }

  get isAtEnd(): boolean {
    return this.rowEnd === this.bytes.length;
  }

  /** Goes to the next row; false when there is none. Throws `DamagedDataError`. */
  next(): boolean {
    const { bytes } = this;
    let at = this.rowEnd;
    if (at >= bytes.length) return false;
    let byte = bytes[at] ?? 0;
    let more = byte;
    if (byte < 128) at += 1;
    else {
      more = this.#long(at);
      at = this.#at;
    }
    this.a += more;
    if (this.#hasB) {
      byte = bytes[at] ?? 0;
      let moreB = byte;
      if (byte < 128) at += 1;
      else {
        moreB = this.#long(at);
        at = this.#at;
      }
      this.b = more === 0 ? this.b + moreB : moreB;
    }
    if (this.#hasValue) {
      byte = bytes[at] ?? 0;
      let length = byte;
      if (byte < 128) at += 1;
      else {
        length = this.#long(at);
        at = this.#at;
      }
      this.valueStart = at;
      this.valueEnd = at + length - 1;
      if (length > 0) at += length - 1;
    }
    if (at > bytes.length) throw new DamagedDataError('a row of a block ends behind it');
    this.rowEnd = at;
    return true;
  }

  #long(start: number): number {
    const { bytes } = this;
    let value = 0;
    let at = start;
    for (let factor = 1; at < start + 8; factor *= 128) {
      const byte = bytes[at];
      if (byte === undefined) break;
      at += 1;
      value += (byte & 127) * factor;
      if (byte < 128) {
        this.#at = at;
        return value;
      }
    }
    throw new DamagedDataError('a row of a block has a number that does not end');
  }
}
