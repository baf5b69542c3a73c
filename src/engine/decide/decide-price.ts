/** Decisions about price lists, their prices, and own prices of accounts, for operators. */
import type { PriceChange } from '../fact.ts';
import {
  MAX_OWN_PRICES,
  MAX_PRICE_CHANGES,
  MAX_PRICE_LISTS,
  MAX_PRICES,
  MAX_PRICES_PER_LIST,
} from '../limits.ts';
import { isSamePrice } from '../pricing/price.ts';
import type { PriceOwner } from '../pricing/price-commands.ts';
import type { PriceRows } from '../pricing/price-rows.ts';
import type { State } from '../state.ts';
import { type Deciders, noSuch } from './decision.ts';
import { fieldsBefore } from './fields-before.ts';
import { Rejection } from './rejection.ts';

export const priceDeciders = {
  CreatePriceList({ priceLists }, { profile }, atMs) {
    if (priceLists.size >= MAX_PRICE_LISTS) {
      return new Rejection('BAD_REQUEST', `A node holds at most ${MAX_PRICE_LISTS} price lists.`);
    }
    return { kind: 'PriceListCreated', priceListId: priceLists.nextId, profile, atMs };
  },
  UpdatePriceList({ priceLists }, { priceListId, changes }, atMs) {
    const list = priceLists.get(priceListId);
    if (list === undefined) return noSuch('price list');
    const profile = { ...list.profile, ...changes };
    return { kind: 'PriceListUpdated', priceListId, profile, ...fieldsBefore(list.profile, profile), atMs };
  },
  DeletePriceList({ priceLists, listPrices }, { priceListId }, atMs) {
    const list = priceLists.get(priceListId);
    if (list === undefined) return noSuch('price list');
    const accounts = priceLists.accountsOf(priceListId);
    if (accounts > 0) {
      const have = accounts === 1 ? '1 account has it' : `${accounts} accounts have it`;
      const message = `Price list ${priceListId} can't be deleted: ${have}. Give these another list first.`;
      return new Rejection('TRANSITION_NOT_ALLOWED', message);
    }
    const prices = listPrices.countOf(priceListId);
    return { kind: 'PriceListDeleted', priceListId, profile: list.profile, prices, atMs };
  },
  /** Prices that are as they were are no part of the fact; where all are, there is none. */
  SetPrices(state, { prices: asked, kind: _kind, ...of }, atMs) {
    if (asked.length > MAX_PRICE_CHANGES) {
      return new Rejection('BAD_REQUEST', `At most ${MAX_PRICE_CHANGES} prices are set at once.`);
    }
    const owner = ownerOf(state, of);
    if (owner instanceof Rejection) return owner;
    const { rows, ownerId, most } = owner;
    const prices: PriceChange[] = [];
    let more = 0;
    for (const { productId, price } of asked) {
      if (state.products.get(productId) === undefined) return noSuch('product');
      const before = rows.of(ownerId, productId) ?? null;
      if (isSamePrice(before, price)) continue;
      prices.push({ productId, price, before });
      more += Number(price !== null) - Number(before !== null);
    }
    if (more > 0 && rows.countOf(ownerId) + more > most) {
      return new Rejection('BAD_REQUEST', `${owner.noun} has at most ${most} prices.`);
    }
    if (more > 0 && rows.size + more > MAX_PRICES) {
      return new Rejection('BAD_REQUEST', `All of them together have at most ${MAX_PRICES} prices.`);
    }
    if (prices.length === 0) return { changedPrices: 0 };
    return { kind: 'PricesChanged', ...owner.named, prices, atMs };
  },
} satisfies Partial<Deciders>;

interface Owner {
  readonly rows: PriceRows;
  readonly ownerId: number;
  readonly most: number;
  readonly noun: string;
  readonly named: PriceOwner;
}

function ownerOf(
  { priceLists, listPrices, accounts, accountPrices }: State,
  { priceListId, accountId = 0 }: PriceOwner,
): Owner | Rejection {
  if (priceListId !== undefined) {
    if (priceLists.get(priceListId) === undefined) return noSuch('price list');
    const named = { priceListId };
    return { rows: listPrices, ownerId: priceListId, most: MAX_PRICES_PER_LIST, noun: 'A price list', named };
  }
  if (accounts.get(accountId) === undefined) return noSuch('account');
  const named = { accountId };
  return { rows: accountPrices, ownerId: accountId, most: MAX_OWN_PRICES, noun: 'An account', named };
}
