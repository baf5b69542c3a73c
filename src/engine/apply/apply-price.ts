/** Effects of facts about price lists, and about prices of lists and accounts, on the state. */
import type { FactOf } from '../fact.ts';
import type { PriceRows } from '../pricing/price-rows.ts';
import type { State } from '../state.ts';
import { assertThat } from './broken-invariant.ts';
import type { Effects } from './moves.ts';

export const priceEffects = {
  PriceListCreated({ priceLists }, { priceListId, profile, atMs }) {
    priceLists.add(priceListId, { priceListId, profile, createdAtMs: atMs });
  },
  PriceListUpdated({ priceLists }, { priceListId, profile }) {
    priceLists.change(priceListId).profile = profile;
  },
  PriceListDeleted({ priceLists, listPrices }, { priceListId }) {
    assertThat(priceLists.accountsOf(priceListId) === 0, `an account has price list ${priceListId}`);
    priceLists.delete(priceListId);
    listPrices.deleteAll(priceListId);
  },
  PricesChanged(state, fact) {
    const [rows, ownerId] = rowsOf(state, fact);
    for (const { productId, price } of fact.prices) {
      if (price === null) rows.delete(ownerId, productId);
      else rows.set(ownerId, productId, price);
    }
  },
} satisfies Partial<Effects>;

function rowsOf(
  { listPrices, accountPrices }: State,
  { priceListId, accountId = 0 }: FactOf<'PricesChanged'>,
): [rows: PriceRows, ownerId: number] {
  return priceListId === undefined ? [accountPrices, accountId] : [listPrices, priceListId];
}
