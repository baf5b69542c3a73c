/** A product's own stock, as the engine's state has it and the thread that writes texts must know it. */
import type { State } from '../../engine/state.ts';
import type { WithdrawnRange } from '../../engine/stock.ts';

export interface ProductStock {
  /** One past the number of its last item. */
  readonly end: number;
  /** Oldest first. */
  readonly withdrawn: readonly WithdrawnRange[];
}

/** Of now: `withdrawn` is the state's own, and grows with it. */
export function productStockOf({ stock }: State, productId: number): ProductStock {
  return { end: stock.of(productId).end, withdrawn: stock.withdrawn(productId) };
}

/** The same, as it crosses to the other thread: ten thousand ranges cost a copy of bytes, not of objects. */
export interface SentProductStock {
  readonly productId: number;
  readonly end: number;
  /** First item and count of each, one behind the other. */
  readonly withdrawn: Float64Array;
}

export function sendable(productId: number, { end, withdrawn }: ProductStock): SentProductStock {
  const numbers = new Float64Array(withdrawn.length * 2);
  let at = 0;
  for (const { firstItem, count } of withdrawn) {
    numbers[at] = firstItem;
    numbers[at + 1] = count;
    at += 2;
  }
  return { productId, end, withdrawn: numbers };
}

export function received({ end, withdrawn }: SentProductStock): ProductStock {
  const ranges = Array.from({ length: withdrawn.length / 2 }, (_, index) => ({
    firstItem: withdrawn[index * 2] ?? 0,
    count: withdrawn[index * 2 + 1] ?? 0,
  }));
  return { end, withdrawn: ranges };
}

/** Whether an item is in one of the ranges, which ascend. */
export function isWithdrawn(ranges: readonly WithdrawnRange[], item: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const range = ranges[middle];
    if (range === undefined) break;
    if (item < range.firstItem) high = middle;
    else if (item >= range.firstItem + range.count) low = middle + 1;
    else return true;
  }
  return false;
}
