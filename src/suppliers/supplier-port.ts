/**
 * What a supplier is to the rest of the node: two questions, each answered by a value, whatever happens on the way.
 *
 * The kinds are what the node acts upon. `unreached` alone says that the supplier surely knows nothing of the
 * purchase; after anything else that isn't an answer it may have delivered, and must be asked again.
 */
import type { SupplierPurchase } from '../engine/supplier-purchases.ts';
import { encodeOrderTexts } from '../persistence/stock/delivered/order-texts.ts';

export type PurchaseAnswer =
  | { readonly kind: 'delivered'; readonly items: readonly string[] }
  | { readonly kind: 'pending' }
  | { readonly kind: 'out_of_stock' }
  | { readonly kind: 'unreached'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'timeout' };

export type ProgressAnswer =
  | { readonly kind: 'delivered'; readonly items: readonly string[] }
  | { readonly kind: 'pending' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'silent'; readonly why: string };

export interface SupplierPort {
  /** Never rejects, and settles within the time-out. */
  purchase(supplierPurchase: SupplierPurchase): Promise<PurchaseAnswer>;
  /** How a purchase went. Never rejects, and settles within the time-out. */
  progress(supplierPurchase: SupplierPurchase): Promise<ProgressAnswer>;
}

/** Undefined when these may be what was bought, else what is wrong with them, whatever was sold before. */
export function whatIsWrongWith(
  items: readonly string[],
  { quantity }: SupplierPurchase,
  allowDuplicates: boolean,
): string | undefined {
  if (items.length !== quantity) return `${items.length} items instead of ${quantity}`;
  if (!allowDuplicates && new Set(items).size !== items.length) return 'the same item twice';
  try {
    encodeOrderTexts(items);
  } catch (error) {
    return `items that can't be kept: ${(error as Error).message}`;
  }
  return undefined;
}
