/**
 * The rule by which an account buys a product: the first that there is of the account's own price, its list's price, its
 * list's percent, and the product's price. A rule's tiers replace the product's.
 *
 * Purchases ask in their own turn, so nothing is made where nobody has a list or a price of his own, nor where the
 * product's price holds: undefined says so.
 */
import type { Account } from '../accounts.ts';
import type { Product } from '../products.ts';
import { type Price, priceAtPercent } from './price.ts';
import type { PriceLists } from './price-lists.ts';
import type { PriceRows } from './price-rows.ts';

export const PRICE_RULES = ['account', 'list', 'percent', 'product'] as const;
export type PriceRule = (typeof PRICE_RULES)[number];

/** The rule that a total came from, as an order keeps it. */
export interface PricedBy {
  /** Null of an order whose rule isn't known: it was recovered by its receipt, which says the total alone. */
  readonly priceRule: PriceRule | null;
  /** The list of rules `list` and `percent`; else null. */
  readonly priceListId: number | null;
}

/** A rule that isn't the product's own. */
export interface OtherPrice extends PricedBy {
  readonly priceRule: Exclude<PriceRule, 'product'>;
  readonly price: Price;
  /** The surcharge on `price`, in hundredths of a percent; null: none. */
  readonly percent: number | null;
}

/** The tables that the rule follows from. */
export interface Pricing {
  readonly priceLists: Pick<PriceLists, 'size' | 'get'>;
  readonly listPrices: Pick<PriceRows, 'of' | 'has'>;
  readonly accountPrices: Pick<PriceRows, 'size' | 'of' | 'has'>;
}

type Buyer = Pick<Account, 'accountId'> & { readonly profile: Pick<Account['profile'], 'priceListId'> };
interface Bought extends Pick<Product, 'productId'> {
  readonly profile: Price & Pick<Product['profile'], 'visibility'>;
}

const BY_PRODUCT: PricedBy = { priceRule: 'product', priceListId: null };

/** Undefined where the product's price holds. */
export function otherPrice(
  { priceLists, listPrices, accountPrices }: Pricing,
  { accountId, profile: { priceListId } }: Buyer,
  { productId, profile }: Bought,
): OtherPrice | undefined {
  if (accountPrices.size > 0) {
    const price = accountPrices.of(accountId, productId);
    if (price !== undefined) return { priceRule: 'account', priceListId: null, price, percent: null };
  }
  if (priceListId === undefined) return undefined;
  const listed = listPrices.of(priceListId, productId);
  if (listed !== undefined) return { priceRule: 'list', priceListId, price: listed, percent: null };
  const percent = priceLists.get(priceListId)?.profile.percent ?? null;
  return percent === null ? undefined : { priceRule: 'percent', priceListId, price: profile, percent };
}

/** The price as the buyer sees it. */
export function shownPrice(other: OtherPrice | undefined, { profile }: { readonly profile: Price }): Price {
  if (other === undefined) return profile;
  return other.percent === null ? other.price : priceAtPercent(other.price, other.percent);
}

export function pricedBy(other: OtherPrice | undefined): PricedBy {
  if (other === undefined) return BY_PRODUCT;
  const { priceRule, priceListId } = other;
  return { priceRule, priceListId };
}

/** Whether the account can see the product, if it is on sale. */
export function isVisible(
  { listPrices, accountPrices }: Pricing,
  { accountId, profile: { priceListId } }: Buyer,
  { productId, profile }: Bought,
): boolean {
  if (profile.visibility !== 'listed') return true;
  return (
    accountPrices.has(accountId, productId) ||
    (priceListId !== undefined && listPrices.has(priceListId, productId))
  );
}
