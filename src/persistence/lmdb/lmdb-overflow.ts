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
import type { PageUse } from './page-use.ts';

/** The transaction that a compacting copy writes into references, while it leaves that in the page as it was. */
const COPIED_TRANSACTION = 1;

export class LmdbOverflow {
  readonly #use: PageUse;
  #run = Buffer.alloc(0);

  constructor(use: PageUse) {
    this.#use = use;
  }

  /**
   * Proves the pages that a leaf's node refers to, and notes them as live.
   * @returns how many they are, and the value, which the next call overwrites
   * @throws DamagedFileError
   */
  read(leaf: LmdbPage, index: number): { readonly count: number; readonly value: Uint8Array } {
    const { file, pageBytes } = this.#use;
    const at = leaf.dataAt(index);
    const number = readUint64(leaf.view, at);
    const transaction = readUint64(leaf.view, at + 8);
    const count = readUint64(leaf.view, at + 16);
    const dataBytes = leaf.dataBytes(index);
    const bytes = HEADER_BYTES + dataBytes;
    if (count * pageBytes < bytes)
      throw leaf.damaged(`node ${index} has ${count} pages for ${dataBytes} bytes`);
    this.#use.markLive(number, count, leaf.number);
    if (this.#run.length < bytes) this.#run = Buffer.allocUnsafeSlow(bytes);
    const run = this.#run.subarray(0, bytes);
    file.readAt(run, number * pageBytes);
    const header = new DataView(run.buffer, 0, HEADER_BYTES);
    if (readUint64(header, 0) !== number || header.getUint16(PAGE_FLAGS_AT, true) !== OVERFLOW_PAGE) {
      throw file.damaged(number, 'does not begin as the overflow page that is expected there');
    }
    const found = header.getUint32(PAGE_COUNT_AT, true);
    if (found !== count) throw file.damaged(number, `${found} overflow pages, not ${count}`);
    const written = readUint64(header, PAGE_TRANSACTION_AT);
    if (written !== transaction && transaction !== COPIED_TRANSACTION) {
      throw file.damaged(number, `is of transaction ${written}, not ${transaction}`);
    }
    return { count, value: run.subarray(HEADER_BYTES) };
  }
}
