/** A product's own stock, as the engine's state has it and the thread that writes texts must know it. */

import type { ItemRange } from '../../engine/item-ranges.ts';
import type { Engine } from '../../engine/loop/engine.ts';
import type { State } from '../../engine/state.ts';

/**
 * First item and count of each range, one behind the other, ascending. They cross to the other thread: ten thousand
 * ranges cost a copy of bytes, not of objects.
 */
export type PackedRanges = Float64Array;

export interface ProductStock {
  readonly productId: number;
  /** One past the number of its last item. */
  readonly end: number;
  /** Given back to the operator: their texts may come again, … */
  readonly withdrawn: PackedRanges;
  /** … unless they are here. */
  readonly recalled: PackedRanges;
  /**
   * There when the product's goods are alike: its texts, and those of other such products, may come again whatever became of
   * them, but for recalled ones.
   */
  readonly isAlike?: true;
}

export function productStock(
  productId: number,
  end: number,
  withdrawn: readonly ItemRange[] = [],
  recalled: readonly ItemRange[] = [],
): ProductStock {
  return { productId, end, withdrawn: packed(withdrawn), recalled: packed(recalled) };
}

/**
 * The stock of now, durable or not. Items in quarantine count, because they may have been sold; unless they are about
 * to leave it (`leaves`).
 */
export function productStockOf({ stock, products }: State, productId: number, leaves = false): ProductStock {
  const { end } = stock.of(productId);
  const withdrawn = leaves ? stock.withdrawn(productId) : stock.returnable(productId);
  const isAlike = products.get(productId)?.profile.allowDuplicates === true;
  const of = productStock(productId, end, withdrawn, stock.recalled(productId));
  return isAlike ? { ...of, isAlike } : of;
}

/**
 * The stock that texts are compared with: only items that are withdrawn for good are left out, because a full disk
 * takes facts back, and the items that they withdrew are for sale again. Items count at once: they are on disk before
 * their fact. Waits for a commit, if anything was ever withdrawn.
 */
export async function durableStockOf(
  engine: Pick<Engine, 'state' | 'whenDurable'>,
  productId: number,
  leavesQuarantine = false,
): Promise<ProductStock> {
  for (;;) {
    const stock = productStockOf(engine.state, productId, leavesQuarantine);
    if (stock.withdrawn.length === 0 && stock.recalled.length === 0) return stock;
    const isDurable = await new Promise<boolean>((resolve) => engine.whenDurable(resolve));
    // An upload that has ended meanwhile is known by the end alone.
    if (isDurable) return { ...stock, end: engine.state.stock.of(productId).end };
  }
}

/** Whether an item is in one of the ranges. */
export function isIn(ranges: PackedRanges, item: number): boolean {
  const index = rangeFrom(ranges, item);
  return index * 2 < ranges.length && item >= (ranges[index * 2] ?? 0);
}

/** The first number from `item` on that is in one of the ranges; undefined when none is. */
export function nextIn(ranges: PackedRanges, item: number): number | undefined {
  const index = rangeFrom(ranges, item);
  return index * 2 < ranges.length ? Math.max(item, ranges[index * 2] ?? 0) : undefined;
}

/** The first number from `item` on that is in none of them. */
export function behind(ranges: PackedRanges, item: number): number {
  const index = rangeFrom(ranges, item);
  const first = ranges[index * 2] ?? Number.POSITIVE_INFINITY;
  return first <= item ? first + (ranges[index * 2 + 1] ?? 0) : item;
}

/** How many items the ranges have together. */
export function sizeOf(ranges: PackedRanges): number {
  let size = 0;
  for (let index = 1; index < ranges.length; index += 2) size += ranges[index] ?? 0;
  return size;
}

/** The place of the first range that ends behind `item`. */
function rangeFrom(ranges: PackedRanges, item: number): number {
  let low = 0;
  let high = ranges.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (item >= (ranges[middle * 2] ?? 0) + (ranges[middle * 2 + 1] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function packed(ranges: readonly ItemRange[]): PackedRanges {
  const numbers = new Float64Array(ranges.length * 2);
  for (const [index, { firstItem, count }] of ranges.entries()) {
    numbers[index * 2] = firstItem;
    numbers[index * 2 + 1] = count;
  }
  return numbers;
}
