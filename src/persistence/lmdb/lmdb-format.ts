/**
 * The layout of an LMDB data file, as lmdb-js 2.9 writes it on 64-bit little-endian machines.
 *
 * The layout is not quite the published one of LMDB 0.9 (data version 1): a page header has 24 bytes, for each page
 * carries the transaction that wrote it, and every offset inside a page counts from the end of that header. The facts
 * were taken from the library's C source and hold for files it wrote; nothing here is negotiable at run time, so they
 * are constants.
 */

/** Page header: number (8), transaction (8), unused (2), flags (2), lower (2) + upper (2) or page count (4). */
export const HEADER_BYTES = 24;
export const PAGE_TRANSACTION_AT = 8;
export const PAGE_FLAGS_AT = 18;
export const PAGE_LOWER_AT = 20;
export const PAGE_UPPER_AT = 22;
export const PAGE_COUNT_AT = 20;

export const BRANCH_PAGE = 0x01;
export const LEAF_PAGE = 0x02;
export const OVERFLOW_PAGE = 0x04;
export const META_PAGE = 0x08;

/** Node: 4 bytes of data size (leaf) or 6 of page number (branch), flags (leaf only), key size, key, data. */
export const NODE_HEADER_BYTES = 8;
export const NODE_FLAGS_AT = 4;
export const NODE_KEY_SIZE_AT = 6;

/** The node holds page number, transaction and page count of overflow pages instead of the data. */
export const OVERFLOW_NODE = 0x01;
/** The node's data is the record of a named database. */
export const DATABASE_NODE = 0x02;
export const OVERFLOW_REFERENCE_BYTES = 24;

/** Keys are unsigned integers, not byte strings. In Purser's files the free list alone has such keys. */
export const INTEGER_KEYS = 0x08;
export const INTEGER_BYTES = 8;

/** LMDB's cursors hold no deeper tree. */
export const MAX_DEPTH = 32;

/** Stands for "no page": the root of an empty tree. */
export const NO_PAGE = -1;

export const TREE_RECORD_BYTES = 48;

/** The record that LMDB keeps of one B+tree, in a meta page or in a node of the main tree. */
export type TreeRecord = Readonly<{
  flags: number;
  /** Levels of the tree; 0 when it is empty, 1 when its root is a leaf. */
  depth: number;
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
  /** Page number of the root, or `NO_PAGE`. */
  root: number;
}>;

/** Values past 2^53 come out rounded: still far outside every range they are compared with. */
export function readUint64(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 0x1_0000_0000 + view.getUint32(at, true);
}

export function readTreeRecord(view: DataView, at: number): TreeRecord {
  const root = view.getBigInt64(at + 40, true) === -1n ? NO_PAGE : readUint64(view, at + 40);
  return {
    flags: view.getUint16(at + 4, true),
    depth: view.getUint16(at + 6, true),
    branchPages: readUint64(view, at + 8),
    leafPages: readUint64(view, at + 16),
    overflowPages: readUint64(view, at + 24),
    entries: readUint64(view, at + 32),
    root,
  };
}

/** A leaf's node of more bytes keeps its data on overflow pages: two nodes must fit a page. */
export function mostNodeBytes(pageBytes: number): number {
  return 2 * Math.floor((pageBytes - HEADER_BYTES) / 4) - 2;
}
