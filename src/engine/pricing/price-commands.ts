/** Commands about price lists and prices, and their answers: a part of `command.ts`. */
import type { RowCopy } from '../loop/row-copy.ts';
import type { Price } from './price.ts';
import type { PriceList, PriceListProfile } from './price-lists.ts';

/** One of the two: a price list's, or an account's own. */
export interface PriceOwner {
  readonly priceListId?: number;
  readonly accountId?: number;
}

export interface DeletedPriceList {
  readonly deletedPriceListId: number;
  readonly prices: number;
}

/** How many prices are others than before. */
export interface SetPricesResult {
  readonly changedPrices: number;
}

export interface PriceCommands {
  /** Repeated, it may find that the list was deleted since. */
  CreatePriceList: { asks: { profile: PriceListProfile }; answer: RowCopy<PriceList> | DeletedPriceList };
  UpdatePriceList: {
    asks: { priceListId: number; changes: Partial<PriceListProfile> };
    answer: RowCopy<PriceList>;
  };
  DeletePriceList: { asks: { priceListId: number }; answer: DeletedPriceList };
  /** Sets prices of a list, or own prices of an account, or takes those away that are null. */
  SetPrices: {
    asks: PriceOwner & {
      /** Each product once, at most `MAX_PRICE_CHANGES`. */
      prices: readonly { readonly productId: number; readonly price: Price | null }[];
    };
    answer: SetPricesResult;
  };
}
