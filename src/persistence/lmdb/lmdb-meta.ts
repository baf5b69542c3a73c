/**
 * The two meta pages at the head of an LMDB file: which one counts, and whether they can be believed.
 *
 * A commit ends with one write to meta page N % 2, so the pages carry neighbouring transaction numbers and the
 * newer one is the state. LMDB itself checks the magic number of the first page only and trusts the numbers: a
 * flipped bit there would silently bring back an older state. So the parity and the distance of the numbers
 * are checked too, and that the newest transaction did write the trees it is said to have written.
 */
import {
  HEADER_BYTES,
  INTEGER_KEYS,
  META_PAGE,
  NO_PAGE,
  PAGE_FLAGS_AT,
  PAGE_TRANSACTION_AT,
  readTreeRecord,
  readUint64,
  TREE_RECORD_BYTES,
  type TreeRecord,
} from './lmdb-format.ts';
import type { PageFile } from './page-file.ts';

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const MIN_PAGE_BYTES = 512;
const MAX_PAGE_BYTES = 65_536;

const FREE_TREE_AT = HEADER_BYTES + 24;
const MAIN_TREE_AT = FREE_TREE_AT + TREE_RECORD_BYTES;
const LAST_PAGE_AT = MAIN_TREE_AT + TREE_RECORD_BYTES;
const TRANSACTION_AT = LAST_PAGE_AT + 8;
const META_BYTES = TRANSACTION_AT + 16;

/** Environment flags that leave the layout as it is: no subfolder, safe restore, metrics. */
const HARMLESS_FLAGS = 0x4000 | 0x0800 | 0x0400;

export type LmdbMeta = Readonly<{
  /** Number of the meta page, 0 or 1. */
  page: number;
  pageBytes: number;
  freeTree: TreeRecord;
  mainTree: TreeRecord;
  lastPage: number;
  transaction: number;
}>;

/**
 * The meta page that LMDB would go by.
 * @throws DamagedFileError when either is damaged or they do not fit each other
 */
export function readNewestMeta(file: PageFile): LmdbMeta {
  const first = readMeta(file, 0, 0);
  const second = readMeta(file, 1, first.pageBytes);
  if (second.pageBytes !== first.pageBytes) {
    throw file.damaged(1, `page size ${second.pageBytes} instead of ${first.pageBytes}`);
  }
  const [newest, older] = first.transaction >= second.transaction ? [first, second] : [second, first];
  if (!areNeighbours(first, second)) {
    throw file.damaged(
      newest.page,
      `transactions ${first.transaction} and ${second.transaction} side by side`,
    );
  }
  proveNewest(file, newest, older);
  return newest;
}

function readMeta(file: PageFile, page: number, at: number): LmdbMeta {
  const bytes = Buffer.alloc(META_BYTES);
  file.readAt(bytes, at);
  const view = new DataView(bytes.buffer, bytes.byteOffset, META_BYTES);
  if (
    view.getUint32(HEADER_BYTES, true) !== MAGIC ||
    view.getUint32(HEADER_BYTES + 4, true) !== DATA_VERSION
  ) {
    throw file.damaged(page, 'not a meta page as lmdb 2 writes it on a 64-bit little-endian machine');
  }
  const pageBytes = view.getUint32(FREE_TREE_AT, true);
  const isPowerOfTwo = (pageBytes & (pageBytes - 1)) === 0;
  if (!isPowerOfTwo || pageBytes < MIN_PAGE_BYTES || pageBytes > MAX_PAGE_BYTES) {
    throw file.damaged(page, `page size ${pageBytes}`);
  }
  const number = readUint64(view, 0);
  const pageFlags = view.getUint16(PAGE_FLAGS_AT, true);
  if (number !== page || pageFlags !== META_PAGE) {
    throw file.damaged(page, `says it is page ${number} with flags 0x${pageFlags.toString(16)}`);
  }
  const freeTree = readTreeRecord(view, FREE_TREE_AT);
  const mainTree = readTreeRecord(view, MAIN_TREE_AT);
  if ((freeTree.flags & ~HARMLESS_FLAGS) !== INTEGER_KEYS || mainTree.flags !== 0) {
    const flags = `0x${freeTree.flags.toString(16)} and 0x${mainTree.flags.toString(16)}`;
    throw file.damaged(page, `environment flags ${flags}`);
  }
  const lastPage = readUint64(view, LAST_PAGE_AT);
  if (lastPage < 1) throw file.damaged(page, `last page ${lastPage}`);
  return { page, pageBytes, freeTree, mainTree, lastPage, transaction: readUint64(view, TRANSACTION_AT) };
}

function areNeighbours(first: LmdbMeta, second: LmdbMeta): boolean {
  if (second.transaction === 0) return first.transaction === 0;
  const fitPages = first.transaction % 2 === 0 && second.transaction % 2 === 1;
  return fitPages && (Math.abs(first.transaction - second.transaction) === 1 || isCompactCopy(first));
}

/** A compacting copy keeps the transaction number, but has no predecessor and marks every page as written by 1. */
function isCompactCopy(first: LmdbMeta): boolean {
  return first.transaction === 0 && first.mainTree.root === NO_PAGE && first.freeTree.root === NO_PAGE;
}

function proveNewest(file: PageFile, newest: LmdbMeta, older: LmdbMeta): void {
  for (const { root } of [newest.freeTree, newest.mainTree]) {
    if (root > newest.lastPage) throw file.damaged(newest.page, `root ${root} past page ${newest.lastPage}`);
    const isThere = (root + 1) * newest.pageBytes <= file.bytes;
    if (!isThere) throw file.cutShort((newest.lastPage + 1) * newest.pageBytes);
  }
  const written = lastWritten(file, newest);
  const isUnwrittenCopy = newest.page === 1 && isCompactCopy(older) && written <= 1;
  if (written !== newest.transaction && !isUnwrittenCopy) {
    throw file.damaged(newest.page, `transaction ${newest.transaction}, but its trees are of ${written}`);
  }
  // Roots ahead of the page's own number: the number was changed after the commit. When the file has not grown
  // since, it can also be what LMDB puts back after a failed meta write, and then the newest is the right one.
  const isSetBack = lastWritten(file, older) > newest.transaction && older.lastPage > newest.lastPage;
  if (isSetBack) throw file.damaged(older.page, `transaction ${older.transaction}, but its trees are newer`);
}

/** The transaction that wrote the younger of the two roots; 0 when there is none, or none that can be read. */
function lastWritten(file: PageFile, meta: LmdbMeta): number {
  const header = Buffer.alloc(HEADER_BYTES);
  const view = new DataView(header.buffer, header.byteOffset, HEADER_BYTES);
  let latest = 0;
  for (const { root } of [meta.freeTree, meta.mainTree]) {
    const end = (root + 1) * meta.pageBytes;
    if (root === NO_PAGE || end > file.bytes) continue;
    file.readAt(header, end - meta.pageBytes);
    if (readUint64(view, 0) === root) latest = Math.max(latest, readUint64(view, PAGE_TRANSACTION_AT));
  }
  return latest;
}
