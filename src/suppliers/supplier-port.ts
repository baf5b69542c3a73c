/**
 * The two questions that the node asks a supplier. Each is answered by a value, whatever happens on the way.
 *
 * Only `unreached` and `out_of_stock` mean that the supplier has certainly not delivered, and then alone another one may be
 * asked. After `failed` and `timeout` it may have, and must be asked again.
 */
import { MAX_ITEMS_PER_ORDER } from '../engine/limits.ts';
import type { SupplierPurchase } from '../engine/supplying/supplier-purchases.ts';
import { encodeOrderTexts } from '../persistence/stock/delivered/order-texts.ts';
import { visibleForm } from '../persistence/stock/likeness.ts';
import { Slices } from '../shared/slices.ts';

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
  /** Never rejects, and resolves within so many milliseconds. */
  purchase(purchase: SupplierPurchase, withinMs: number): Promise<PurchaseAnswer>;
  /** How a purchase went. Never rejects, and resolves within the time-out. */
  progress(purchase: SupplierPurchase): Promise<ProgressAnswer>;
}

/** Texts of one answer or report, ten times what one order can have: the main thread takes them from another at once. */
export const MAX_SAID_TEXTS = 10 * MAX_ITEMS_PER_ORDER;

/** Why these items can't be what was bought; undefined when they can. Doesn't compare with what was sold before. */
export async function whatIsWrongWith(
  items: readonly string[],
  { quantity }: SupplierPurchase,
  allowDuplicates: boolean,
): Promise<string | undefined> {
  if (items.length !== quantity) return `${items.length} items instead of ${quantity}`;
  if (!allowDuplicates && (await isAnyTwice(items))) return 'the same item twice';
  try {
    await encodeOrderTexts(items);
  } catch (error) {
    return `items that can't be kept: ${(error as Error).message}`;
  }
  return undefined;
}

async function isAnyTwice(items: readonly string[]): Promise<boolean> {
  const slices = new Slices();
  const seen = new Set<string>();
  for (const item of items) {
    if (slices.isFull) await slices.rest();
    seen.add(visibleForm(item));
  }
  return seen.size !== items.length;
}

/** The items that an answer or a report names, when they are a list of texts, and not too long a one. */
export function textsIn(items: unknown): readonly string[] | undefined {
  if (!Array.isArray(items) || items.length > MAX_SAID_TEXTS) return undefined;
  return items.every((item) => typeof item === 'string') ? items : undefined;
}
