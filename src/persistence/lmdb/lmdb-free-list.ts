/**
 * The records of LMDB's free list, as lmdb-js writes them: a count of words, then 64-bit words of which a
 * positive one is a page number, a negative one the length of a run whose first page is in the next word, and
 * zero nothing. Room that a record has past its count is left from earlier. LMDB reads a record without looking
 * at its limits, so a damaged one would make it overwrite live pages.
 */
import { INTEGER_BYTES } from './lmdb-format.ts';
import type { LmdbPage } from './lmdb-page.ts';
import type { PageUse } from './page-use.ts';

/**
 * Notes the pages of one record as free.
 * @param lastTransaction the newest of the file: no page can have been freed later
 * @throws DamagedFileError
 */
export function markFreePages(
  use: PageUse,
  lastTransaction: number,
  key: Uint8Array,
  value: Uint8Array,
  page: LmdbPage,
): void {
  const freedBy = viewOf(key).getBigUint64(0, true);
  if (freedBy < 1n || freedBy > BigInt(lastTransaction)) {
    throw page.damaged(`pages freed by transaction ${freedBy} of ${lastTransaction}`);
  }
  const words = viewOf(value);
  const room = value.length / INTEGER_BYTES - 1;
  const count = room >= 0 ? words.getBigInt64(0, true) : -1n;
  if (!Number.isInteger(room) || count < 0n || count > BigInt(room)) {
    throw page.damaged(`free list record of ${value.length} bytes with ${count} words`);
  }
  for (let word = 1; word <= Number(count); word += 1) {
    const first = Number(words.getBigInt64(word * INTEGER_BYTES, true));
    if (first > 0) use.markFree(first, 1, page.number);
    if (first >= 0) continue;
    word += 1;
    if (word > Number(count)) throw page.damaged('free list record that ends inside a run');
    use.markFree(Number(words.getBigInt64(word * INTEGER_BYTES, true)), -first, page.number);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
