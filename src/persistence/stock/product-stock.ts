/** A product's own stock, as the engine's state has it and the thread that writes texts must know it. */
import type { Engine } from '../../engine/engine.ts';
import type { State } from '../../engine/state.ts';
import type { WithdrawnRange } from '../../engine/stock.ts';

/** It crosses to the other thread: ten thousand ranges cost a copy of bytes, not of objects. */
export interface ProductStock {
  readonly productId: number;
  /** One past the number of its last item. */
  readonly end: number;
  /** First item and count of each withdrawn range, one behind the other; oldest first, which is ascending. */
  readonly withdrawn: Float64Array;
}

export function productStock(
  productId: number,
  end: number,
  ranges: readonly WithdrawnRange[] = [],
): ProductStock {
  const withdrawn = new Float64Array(ranges.length * 2);
  let at = 0;
  for (const { firstItem, count } of ranges) {
    withdrawn[at] = firstItem;
    withdrawn[at + 1] = count;
    at += 2;
  }
  return { productId, end, withdrawn };
}

/** Of now, durable or not. */
export function productStockOf({ stock }: State, productId: number): ProductStock {
  return productStock(productId, stock.of(productId).end, stock.withdrawn(productId));
}

/**
 * What texts are compared with: only what is withdrawn for good is left out, because a full disk takes facts back, and
 * what they withdrew is for sale again. Items count at once: they are on disk before their fact. Waits for a commit,
 * if anything was ever withdrawn.
 */
export async function durableStockOf(engine: Engine, productId: number): Promise<ProductStock> {
  for (;;) {
    const stock = productStockOf(engine.state, productId);
    if (stock.withdrawn.length === 0) return stock;
    const isDurable = await new Promise<boolean>((resolve) => engine.whenDurable(resolve));
    // An upload that has ended meanwhile is known by the end alone.
    if (isDurable) return { ...stock, end: engine.state.stock.of(productId).end };
  }
}

/** Whether an item is in one of the ranges of a `ProductStock`. */
export function isWithdrawn(withdrawn: Float64Array, item: number): boolean {
  let low = 0;
  let high = withdrawn.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const firstItem = withdrawn[middle * 2] ?? 0;
    const count = withdrawn[middle * 2 + 1] ?? 0;
    if (item < firstItem) high = middle;
    else if (item >= firstItem + count) low = middle + 1;
    else return true;
  }
  return false;
}
