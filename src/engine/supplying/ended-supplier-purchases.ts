/**
 * The latest ends of supplier purchases that were unresolved, or that were delivered after their end, for operators to
 * see.
 *
 * A bounded memory in the order of the facts; the journal has all of them.
 */
import type { SupplierPurchase } from './supplier-purchases.ts';

/** Most ends that are remembered; the oldest goes first. */
export const MAX_ENDED_SUPPLIER_PURCHASES = 200;

/**
 * The supplier's last word: `unknown` when it never heard of the purchase. `given-up`: there was none, and an operator
 * ended the wait.
 */
export type EndedResult = 'delivered' | 'failed' | 'unknown' | 'given-up';

export interface EndedSupplierPurchase {
  /** The sequence number of the fact. */
  readonly position: number;
  readonly supplierPurchase: SupplierPurchase;
  readonly result: EndedResult;
  /** How many items the supplier delivered. */
  readonly delivered: number;
  /** The items that entered own stock are `count` from there. */
  readonly firstItem: number;
  readonly count: number;
  readonly endedAtMs: number;
}

export class EndedSupplierPurchases {
  #latest: EndedSupplierPurchase[] = [];

  get size(): number {
    return this.#latest.length;
  }

  /** The latest last. */
  values(): readonly EndedSupplierPurchase[] {
    return this.#latest;
  }

  /** The latest end of the purchase: one that had ended without items may be delivered after all. */
  ofReference(reference: string): EndedSupplierPurchase | undefined {
    return this.#latest.findLast(({ supplierPurchase }) => supplierPurchase.reference === reference);
  }

  add(ended: EndedSupplierPurchase): void {
    this.#latest.push(ended);
    if (this.#latest.length > MAX_ENDED_SUPPLIER_PURCHASES) this.#latest.shift();
  }
}
