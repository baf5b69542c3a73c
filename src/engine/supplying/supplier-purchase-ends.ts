/**
 * How supplier purchases ended, by their numbers: a supplier may say something else later, and what it delivered then
 * must not be lost.
 *
 * In memory are the ends since the last fold; the older ones are in the checkpoint (`History`). The latest unresolved ones are
 * kept for operators, too (`ended-supplier-purchases.ts`).
 */

import { RecentMap } from '../recent/recent-map.ts';
import type { EndedResult } from './ended-supplier-purchases.ts';
import type { SupplierPurchase } from './supplier-purchases.ts';

/** The end of a supplier purchase, as its fact has it. */
export interface SupplierPurchaseOutcome {
  readonly how: EndedResult | 'out_of_stock';
  /** The keyed hash of the delivered items, by which the same ones are known (`delivery-mac.ts`). */
  readonly itemsMac?: string;
}

export interface SupplierPurchaseEnd extends SupplierPurchaseOutcome {
  /** As it was before. */
  readonly supplierPurchase: SupplierPurchase;
}

export class RecentSupplierPurchaseEnds extends RecentMap<number, SupplierPurchaseEnd> {
  /** A new one, or in place of how it had ended before. */
  set(end: SupplierPurchaseEnd): void {
    this.current.set(end.supplierPurchase.supplierPurchaseId, end);
  }
}
