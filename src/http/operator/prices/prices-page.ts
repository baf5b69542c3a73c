/** A page of the prices of a list, or of an account, in the order of the products' ids. */
import type { Price } from '../../../engine/pricing/price.ts';
import { type Fields, priceView } from '../../../views/operator-views.ts';
import type { Page } from '../page.ts';

export function pricesPage(prices: ReadonlyMap<number, Price>, { after, limit }: Page): Fields {
  // Sorted as numbers side by side: 100,000 take a few milliseconds.
  const ids = Float64Array.from(prices.keys())
    .filter((id) => id > after)
    .sort();
  const shown = Array.from(ids.subarray(0, limit));
  const rows = shown.map((productId) => ({ productId, ...viewAt(prices, productId) }));
  const last = shown.at(-1);
  const isMore = ids.length > limit && last !== undefined;
  return { prices: rows, ...(isMore ? { nextCursor: String(last) } : {}) };
}

function viewAt(prices: ReadonlyMap<number, Price>, productId: number): Fields {
  const price = prices.get(productId);
  return price === undefined ? {} : priceView(price);
}
