/**
 * What a sale takes from the shelf and leads to, for purchases and for payments of orders from the bot.
 * Plain values and no object of all of them, because every purchase asks.
 */
import { MAX_ITEMS_PER_ORDER } from './limits.ts';
import { NO_ITEM, type OrderStatus } from './orders.ts';
import type { Product, ProductProfile } from './products.ts';
import { Rejection } from './rejection.ts';
import type { State } from './state.ts';

/** The first of `quantity` items from stock, or `NO_ITEM` for a product that has no stock of items. */
export function firstItemOf(
  state: State,
  { productId, profile }: Product,
  quantity: number,
): number | Rejection {
  if (profile.type !== 'standard') return NO_ITEM;
  const { next, end } = state.stock.of(productId);
  if (quantity > end - next) return new Rejection('OUT_OF_STOCK');
  if (quantity > MAX_ITEMS_PER_ORDER) return tooManyItems();
  return next;
}

/** The file that an order of this product delivers; null for other types. */
export function fileIdOf({ profile, file }: Product): string | null {
  return profile.type === 'file' && file !== null ? file.fileId : null;
}

/** What an order is as soon as it is paid (SPEC.md §3). */
export function statusWhenPaid({ type }: ProductProfile): OrderStatus {
  return type === 'manual' ? 'pending_delivery' : 'completed';
}

/** There may be as many, but no order may have so many: its answer would hold up everybody else's. */
export function tooManyItems(): Rejection {
  const message = `One order delivers at most ${MAX_ITEMS_PER_ORDER} items: buy them in several orders.`;
  return new Rejection('BAD_REQUEST', message);
}
