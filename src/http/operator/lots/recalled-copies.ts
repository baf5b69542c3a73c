/**
 * Takes off sale the items with the texts of a recalled lot, in other lots of any product.
 *
 * Invariant: the recall is durable first, so nobody brings these texts again, and at the end no item with such a text
 * is for sale. Whatever interrupts it, a repeated recall goes on with it. Rejected: one fact with the recall, which
 * would have to wait for the search while the lot is sold.
 */
import type { WithdrawalResult } from '../../../engine/decide/command.ts';
import { Rejection } from '../../../engine/decide/rejection.ts';
import { countOf, type ItemRange, ItemRanges } from '../../../engine/item-ranges.ts';
import type { Lot } from '../../../engine/lots.ts';
import type { Origin } from '../../../engine/origin.ts';
import type { Holder } from '../../../persistence/stock/file/stock-fingerprints.ts';
import { productStock } from '../../../persistence/stock/product-stock.ts';
import type { OperatorServices } from '../operator-route.ts';

type Services = Pick<OperatorServices, 'engine' | 'stock'>;

/** Resolves with how many items it took off sale, or with what kept it from that. */
export async function withdrawCopies(
  services: Services,
  { productId, firstItem, count }: Lot,
  origin: Origin,
): Promise<number | Rejection> {
  const to = firstItem + count;
  let withdrawn = 0;
  for (let from = firstItem; from < to; ) {
    const { stock } = services.engine.state;
    const { withdrawn: gone } = productStock(productId, 0, stock.withdrawn(productId));
    const shelves = Float64Array.from([...stock.entries()].flatMap(([of, { next, end }]) => [of, next, end]));
    const copies = await services.stock.copiesForSale({ productId, from, to, withdrawn: gone, shelves });
    from = copies.from;
    for (const [of, ranges] of rangesOf(copies.items)) {
      const result = await withdrawItems(services, of, ranges, origin);
      if (result instanceof Rejection) return result;
      withdrawn += countOf(result.ranges);
    }
  }
  return withdrawn;
}

function withdrawItems(
  { engine }: Services,
  productId: number,
  ranges: readonly ItemRange[],
  origin: Origin,
): Promise<WithdrawalResult | Rejection> {
  return new Promise((resolve) => {
    engine.submit({ kind: 'WithdrawItems', productId, ranges }, resolve, origin);
  });
}

/** The items as ranges, by product. */
function rangesOf(items: readonly Holder[]): ReadonlyMap<number, readonly ItemRange[]> {
  const byProduct = new Map<number, ItemRanges>();
  for (const { productId, hint } of items) {
    const ranges = byProduct.get(productId) ?? new ItemRanges();
    ranges.add({ firstItem: hint, count: 1 });
    byProduct.set(productId, ranges);
  }
  return new Map(Array.from(byProduct, ([productId, { list }]) => [productId, list]));
}
