/**
 * Walks one B+tree of an LMDB file from its root and proves that it is one: every page sound and used once,
 * leaves all on the same level, keys strictly ascending and within what the parents promise, counts as recorded.
 *
 * Each level of the tree has one page in memory, for a parent's keys are the bounds of its children. A page never
 * is younger than its parent, because changing a page copies the way to it: a page that came back from an earlier
 * transaction or that belongs elsewhere shows by that. The walk ends on any input: no page is visited twice.
 */
import {
  INTEGER_BYTES,
  MAX_DEPTH,
  mostNodeBytes,
  NO_PAGE,
  NODE_HEADER_BYTES,
  OVERFLOW_NODE,
  TREE_RECORD_BYTES,
  type TreeRecord,
} from './lmdb-format.ts';
import { compareIntegerKeys, type KeyOrder } from './lmdb-key-order.ts';
import { LmdbOverflow } from './lmdb-overflow.ts';
import { LmdbPage } from './lmdb-page.ts';
import type { PageUse } from './page-use.ts';

/** Called for each entry in key order. The next entry overwrites the arrays: copy what must stay. */
export type VisitEntry = (key: Uint8Array, value: Uint8Array, flags: number, page: LmdbPage) => void;

export type Tree = Readonly<{
  record: TreeRecord;
  /** The page that holds the record, and the transaction that wrote that page. */
  recordPage: number;
  transaction: number;
  /** All flags that an entry may have. */
  entryFlags: number;
  /** 2, but LMDB lets a branch of the free list have a single child. */
  leastChildren: number;
  keyOrder: KeyOrder;
  visit: VisitEntry;
}>;

type Key = Readonly<{ page: LmdbPage; index: number }>;

/**
 * Proves the tree and visits its entries.
 * @throws DamagedFileError at the first thing amiss
 */
export function walkTree(use: PageUse, tree: Tree): void {
  new TreeWalk(use, tree).run();
}

class TreeWalk {
  readonly #use: PageUse;
  readonly #tree: Tree;
  readonly #mostNodeBytes: number;
  readonly #overflow: LmdbOverflow;
  readonly #levels: LmdbPage[] = [];
  #branchPages = 0;
  #leafPages = 0;
  #overflowPages = 0;
  #entries = 0;

  constructor(use: PageUse, tree: Tree) {
    this.#use = use;
    this.#tree = tree;
    this.#mostNodeBytes = mostNodeBytes(use.pageBytes);
    this.#overflow = new LmdbOverflow(use);
  }

  run(): void {
    const { record, recordPage, transaction } = this.#tree;
    const isDepthLegal = record.root === NO_PAGE ? record.depth === 0 : record.depth >= 1;
    if (!isDepthLegal || record.depth > MAX_DEPTH) {
      throw this.#use.file.damaged(recordPage, `tree of depth ${record.depth} with root ${record.root}`);
    }
    if (record.root !== NO_PAGE) this.#walk(record.root, 1, recordPage, transaction, undefined, undefined);
    this.#proveCount('branch pages', this.#branchPages, record.branchPages);
    this.#proveCount('leaf pages', this.#leafPages, record.leafPages);
    this.#proveCount('overflow pages', this.#overflowPages, record.overflowPages);
    this.#proveCount('entries', this.#entries, record.entries);
  }

  /** Every key under the page must be `low` or above it, and below `high`. */
  #walk(number: number, level: number, from: number, youngest: number, low?: Key, high?: Key): void {
    this.#use.markLive(number, 1, from);
    const page = this.#pageOfLevel(level);
    page.load(number);
    if (page.transaction > youngest) {
      throw page.damaged(`is of transaction ${page.transaction}, but its parent of ${youngest}`);
    }
    if (page.isLeaf !== (level === this.#tree.record.depth)) {
      throw page.damaged(
        `${page.isLeaf ? 'leaf' : 'branch'} on level ${level} of ${this.#tree.record.depth}`,
      );
    }
    this.#proveKeys(page, low, high);
    if (page.isLeaf) this.#visitEntries(page);
    else this.#walkChildren(page, level, low, high);
  }

  #pageOfLevel(level: number): LmdbPage {
    const page = this.#levels[level] ?? new LmdbPage(this.#use);
    this.#levels[level] = page;
    return page;
  }

  /** The first key of a branch says nothing: LMDB takes it for lower than all others, whatever it is. */
  #proveKeys(page: LmdbPage, low?: Key, high?: Key): void {
    const first = page.isLeaf ? 0 : 1;
    const last = page.nodeCount - 1;
    if (first > last) return;
    for (let index = first; index <= last; index += 1) {
      this.#proveKeySize(page, index);
      if (index > first && this.#tree.keyOrder(page, index - 1, page, index) >= 0) {
        throw page.damaged(`key ${index} is not above the one before it`);
      }
    }
    const excess = low === undefined ? -1 : this.#tree.keyOrder(low.page, low.index, page, first);
    if (excess > 0 || (excess === 0 && !page.isLeaf)) throw page.damaged('its first key is not in its range');
    if (high !== undefined && this.#tree.keyOrder(page, last, high.page, high.index) >= 0) {
      throw page.damaged('its last key is not in its range');
    }
  }

  #proveKeySize(page: LmdbPage, index: number): void {
    const size = page.keyBytes(index);
    if (size < 1 || size > this.#mostNodeBytes - NODE_HEADER_BYTES - TREE_RECORD_BYTES) {
      throw page.damaged(`key ${index} of ${size} bytes`);
    }
    if (this.#tree.keyOrder === compareIntegerKeys && size !== INTEGER_BYTES) {
      throw page.damaged(`integer key ${index} of ${size} bytes`);
    }
  }

  #walkChildren(page: LmdbPage, level: number, low?: Key, high?: Key): void {
    this.#branchPages += 1;
    const last = page.nodeCount - 1;
    if (page.nodeCount < this.#tree.leastChildren)
      throw page.damaged(`branch with ${page.nodeCount} children`);
    for (let index = 0; index <= last; index += 1) {
      const childLow = index === 0 ? low : { page, index };
      const childHigh = index === last ? high : { page, index: index + 1 };
      this.#walk(page.child(index), level + 1, page.number, page.transaction, childLow, childHigh);
    }
  }

  #visitEntries(page: LmdbPage): void {
    this.#leafPages += 1;
    this.#entries += page.nodeCount;
    const { entryFlags, visit } = this.#tree;
    for (let index = 0; index < page.nodeCount; index += 1) {
      const flags = page.nodeFlags(index);
      if ((flags & ~entryFlags) !== 0) throw page.damaged(`entry ${index} has flags 0x${flags.toString(16)}`);
      const isOverflow = (flags & OVERFLOW_NODE) !== 0;
      const value = isOverflow ? this.#overflowValue(page, index) : this.#valueInLeaf(page, index);
      visit(page.bytes.subarray(page.keyAt(index), page.dataAt(index)), value, flags, page);
    }
  }

  #overflowValue(page: LmdbPage, index: number): Uint8Array {
    const { count, value } = this.#overflow.read(page, index);
    this.#overflowPages += count;
    return value;
  }

  #valueInLeaf(page: LmdbPage, index: number): Uint8Array {
    const at = page.dataAt(index);
    const end = at + page.dataBytes(index);
    const bytes = end - page.nodeAt(index);
    if (bytes > this.#mostNodeBytes)
      throw page.damaged(`entry ${index} of ${bytes} bytes, too large for a leaf`);
    return page.bytes.subarray(at, end);
  }

  #proveCount(of: string, found: number, recorded: number): void {
    if (found === recorded) return;
    throw this.#use.file.damaged(
      this.#tree.recordPage,
      `${recorded} ${of} in the record of a tree that has ${found}`,
    );
  }
}
