/** Values too large for a leaf: a run of pages of which only the first has a header. */
import {
  HEADER_BYTES,
  OVERFLOW_PAGE,
  PAGE_COUNT_AT,
  PAGE_FLAGS_AT,
  PAGE_TRANSACTION_AT,
  readUint64,
} from './lmdb-format.ts';
import type { LmdbPage } from './lmdb-page.ts';
import type { PageFile } from './page-file.ts';
import type { PageUse } from './page-use.ts';

/** What a compacting copy writes into references, while it leaves the transaction in the page as it was. */
const COPIED_TRANSACTION = 1;

export class LmdbOverflow {
  readonly #file: PageFile;
  readonly #use: PageUse;
  readonly #pageBytes: number;
  readonly #header = new DataView(new ArrayBuffer(HEADER_BYTES));
  #value = Buffer.alloc(0);

  constructor(file: PageFile, use: PageUse, pageBytes: number) {
    this.#file = file;
    this.#use = use;
    this.#pageBytes = pageBytes;
  }

  /**
   * Proves the pages that a leaf's node refers to, and notes them as live.
   * @returns how many they are
   * @throws DamagedFileError
   */
  prove(leaf: LmdbPage, index: number): number {
    const at = leaf.dataAt(index);
    const number = readUint64(leaf.view, at);
    const transaction = readUint64(leaf.view, at + 8);
    const count = readUint64(leaf.view, at + 16);
    const dataBytes = leaf.dataBytes(index);
    if (count * this.#pageBytes < HEADER_BYTES + dataBytes) {
      throw leaf.damaged(`node ${index} has ${count} pages for ${dataBytes} bytes`);
    }
    this.#use.markLive(number, count, leaf.number);
    this.#proveHeader(number, count, transaction);
    return count;
  }

  /** The value that a proved node refers to, in a buffer that the next call overwrites. */
  read(leaf: LmdbPage, index: number): Uint8Array {
    const dataBytes = leaf.dataBytes(index);
    if (this.#value.length < dataBytes) this.#value = Buffer.allocUnsafeSlow(dataBytes);
    const value = this.#value.subarray(0, dataBytes);
    this.#file.readAt(value, readUint64(leaf.view, leaf.dataAt(index)) * this.#pageBytes + HEADER_BYTES);
    return value;
  }

  #proveHeader(number: number, count: number, transaction: number): void {
    const header = this.#header;
    this.#file.readAt(new Uint8Array(header.buffer), number * this.#pageBytes);
    const flags = header.getUint16(PAGE_FLAGS_AT, true);
    if (readUint64(header, 0) !== number || flags !== OVERFLOW_PAGE) {
      throw this.#file.damaged(number, 'does not begin as the overflow page that is expected there');
    }
    if (header.getUint32(PAGE_COUNT_AT, true) !== count) {
      throw this.#file.damaged(
        number,
        `${header.getUint32(PAGE_COUNT_AT, true)} overflow pages, not ${count}`,
      );
    }
    const written = readUint64(header, PAGE_TRANSACTION_AT);
    if (written !== transaction && transaction !== COPIED_TRANSACTION) {
      throw this.#file.damaged(number, `is of transaction ${written}, not ${transaction}`);
    }
  }
}
