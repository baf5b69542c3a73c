/**
 * Sales: the items they take from the shelf and the orders they lead to, for purchases and for payments of orders from
 * the bot. Plain values and no object of all of them, because every purchase asks.
 */
import { NO_ADJUSTMENTS } from '../adjustments.ts';
import type { ItemRange } from '../item-ranges.ts';
import { MAX_ITEMS_PER_ORDER } from '../limits.ts';
import { NO_ITEM, type Order, type OrderStatus, type PurchaseRequest, requestOf } from '../orders.ts';
import { pricedBy } from '../pricing/price-rule.ts';
import type { Product, ProductProfile, SupplierSource } from '../products.ts';
import type { State } from '../state.ts';
import { Rejection } from './rejection.ts';

/**
 * The source of a delivery: own stock, by the number of the first of `quantity` items (`NO_ITEM` for a product that has
 * no stock of items); or, where own stock doesn't suffice, the product's sources, one of which delivers all of it.
 */
export function sourceOf(
  state: State,
  { productId, profile }: Readonly<Product>,
  quantity: number,
): number | readonly SupplierSource[] | Rejection {
  if (profile.type !== 'standard') return NO_ITEM;
  const { next, end, gone } = state.stock.of(productId);
  if (quantity > end - next - gone) {
    const { sources = [] } = profile;
    return sources.length > 0 ? sources : new Rejection('OUT_OF_STOCK');
  }
  if (quantity > MAX_ITEMS_PER_ORDER) return tooManyItems();
  return next;
}

/** The refusal of a quantity beyond the product's bounds. No key stores it. */
export function quantityRefusal(profile: ProductProfile, quantity: number): Rejection | undefined {
  const { minQuantity, maxQuantity } = profile;
  if (minQuantity !== undefined && quantity < minQuantity) {
    return new Rejection(
      'BAD_REQUEST',
      `quantity: at least ${minQuantity} of this product are sold at once.`,
    );
  }
  if (maxQuantity != null && quantity > maxQuantity) {
    return new Rejection('BAD_REQUEST', `quantity: at most ${maxQuantity} of this product are sold at once.`);
  }
  return undefined;
}

/** The numbers of the items that an order of own stock sold, by place; none of other orders. */
export function soldItems({ stock }: State, { productId, firstItem, quantity }: Order): readonly number[] {
  return firstItem === NO_ITEM ? [] : numbersIn(stock.itemsFrom(productId, firstItem, quantity));
}

/** The numbers of the next `count` items of own stock, ascending: for what is no sale of a whole order. */
export function nextItems({ stock }: State, productId: number, count: number): readonly number[] | Rejection {
  if (count > stock.available(productId)) return new Rejection('OUT_OF_STOCK', NO_REPLACEMENTS);
  return numbersIn(stock.itemsFrom(productId, stock.of(productId).next, count));
}

function numbersIn(ranges: readonly ItemRange[]): readonly number[] {
  return ranges.flatMap((range) => Array.from({ length: range.count }, (_, at) => range.firstItem + at));
}

const NO_REPLACEMENTS =
  'Own stock has fewer items than are to be replaced; nothing was changed. Add stock, then repeat it with the same key.';

/** The next order, of which nothing is charged or delivered yet. */
export function newOrder(state: State, request: PurchaseRequest, createdAtMs: number): Order {
  return {
    ...requestOf(request),
    orderId: state.lastOrderId + 1,
    status: 'processing',
    totalMicros: 0,
    balanceAfterMicros: 0,
    firstItem: NO_ITEM,
    fileId: null,
    textCount: 0,
    createdAtMs,
    adjustments: NO_ADJUSTMENTS,
    ...pricedBy(undefined),
  };
}

/** The file that an order of this product delivers; null for other types. */
export function fileIdOf({ profile, file }: Readonly<Product>): string | null {
  return profile.type === 'file' && file !== null ? file.fileId : null;
}

/** The status of an order as soon as it is paid (SPEC.md §3). */
export function statusWhenPaid({ type }: ProductProfile): OrderStatus {
  return type === 'manual' ? 'pending_delivery' : 'completed';
}

/** There may be as many, but no order may have so many: its answer would hold up everybody else's. */
export function tooManyItems(): Rejection {
  const message = `One order delivers at most ${MAX_ITEMS_PER_ORDER} items: buy them in several orders.`;
  return new Rejection('BAD_REQUEST', message);
}
