/**
 * Takes off sale what has the texts of a recalled lot, in other lots of its product.
 *
 * What always holds: the recall is durable first, so nobody brings these texts again, and when this is over nothing with
 * such a text is for sale. Whatever interrupts it, a repeated recall goes on with it. Rejected: one fact with the recall,
 * which would have to wait for the search while the lot is sold.
 */
import type { WithdrawalResult } from '../../engine/command.ts';
import { countOf, type ItemRange, ItemRanges } from '../../engine/item-ranges.ts';
import type { Lot } from '../../engine/lots.ts';
import type { Origin } from '../../engine/origin.ts';
import { Rejection } from '../../engine/rejection.ts';
import { productStockOf } from '../../persistence/stock/product-stock.ts';
import type { OperatorServices } from './operator-route.ts';

type Services = Pick<OperatorServices, 'engine' | 'stock'>;

/** Resolves with how many items it took off sale, or with what kept it from that. */
export async function withdrawCopies(
  { engine, stock }: Services,
  { productId, firstItem, count }: Lot,
  origin: Origin,
): Promise<number | Rejection> {
  const to = firstItem + count;
  let withdrawn = 0;
  for (let from = firstItem; from < to; ) {
    const { state } = engine;
    const { next } = state.stock.of(productId);
    const copies = await stock.copiesForSale({ stock: productStockOf(state, productId), next, from, to });
    from = copies.from;
    if (copies.items.length === 0) continue;
    const result = await new Promise<WithdrawalResult | Rejection>((resolve) => {
      engine.submit({ kind: 'WithdrawItems', productId, ranges: rangesOf(copies.items) }, resolve, origin);
    });
    if (result instanceof Rejection) return result;
    withdrawn += countOf(result.ranges);
  }
  return withdrawn;
}

function rangesOf(items: readonly number[]): readonly ItemRange[] {
  const ranges = new ItemRanges();
  for (const firstItem of items) ranges.add({ firstItem, count: 1 });
  return ranges.list;
}
