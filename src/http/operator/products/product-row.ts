/** A product as operators see it: what it is, what is left of it, and how fast it sells. */
import type { SalesPace } from '../../../alerts/sales-pace.ts';
import type { ProductCopy } from '../../../engine/loop/row-copy.ts';
import { type Fields, productView } from '../../../views/operator-views.ts';

/** How fast products sell. */
export interface PaceServices {
  readonly pace: Pick<SalesPace, 'soldLastDay' | 'hoursOfCover'>;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
}

export function productFields(product: ProductCopy, { pace, monotonicMs }: PaceServices): Fields {
  const { productId, profile, file, createdAtMs, availableStock } = product;
  const hoursOfCover = pace.hoursOfCover(monotonicMs(), productId);
  return {
    ...productView(productId, profile),
    ...(file === null ? {} : { file }),
    createdAt: createdAtMs,
    availableStock,
    soldLastDay: pace.soldLastDay(productId),
    ...(hoursOfCover === null ? {} : { hoursOfCover }),
  };
}
