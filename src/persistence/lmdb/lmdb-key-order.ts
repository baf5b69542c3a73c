/** The order of keys in an LMDB tree. Both functions are called once or twice for every entry of a file. */
import type { LmdbPage } from './lmdb-page.ts';

export type KeyOrder = (left: LmdbPage, leftIndex: number, right: LmdbPage, rightIndex: number) => number;

/** The order of memcmp; when one key begins with the other, the shorter comes first. */
export const compareByteKeys: KeyOrder = (left, leftIndex, right, rightIndex) => {
  const leftAt = left.keyAt(leftIndex);
  const rightAt = right.keyAt(rightIndex);
  const leftBytes = left.keyBytes(leftIndex);
  const rightBytes = right.keyBytes(rightIndex);
  const common = Math.min(leftBytes, rightBytes);
  let at = 0;
  for (; at + 4 <= common; at += 4) {
    const difference = left.view.getUint32(leftAt + at) - right.view.getUint32(rightAt + at);
    if (difference !== 0) return difference;
  }
  for (; at < common; at += 1) {
    const difference = left.view.getUint8(leftAt + at) - right.view.getUint8(rightAt + at);
    if (difference !== 0) return difference;
  }
  return leftBytes - rightBytes;
};

/** Unsigned integers of 8 bytes in the machine's order: the keys of the free list. */
export const compareIntegerKeys: KeyOrder = (left, leftIndex, right, rightIndex) => {
  const leftAt = left.keyAt(leftIndex);
  const rightAt = right.keyAt(rightIndex);
  const difference = left.view.getUint32(leftAt + 4, true) - right.view.getUint32(rightAt + 4, true);
  if (difference !== 0) return difference;
  return left.view.getUint32(leftAt, true) - right.view.getUint32(rightAt, true);
};
