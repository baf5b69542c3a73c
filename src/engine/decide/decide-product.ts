/** Decisions about products and their stock, for operators, and about suppliers' stock of products. */

import { countOf, type ItemRange } from '../item-ranges.ts';
import {
  MAX_ITEMS_PER_PRODUCT,
  MAX_PRODUCTS,
  MAX_RECOVERED_RANGES,
  MAX_STOCK_CHANGES,
  MAX_WITHDRAWN_RANGES,
} from '../limits.ts';
import { productCopy } from '../loop/row-copy.ts';
import { isSameSource, type ProductProfile, placeOfSource, profileText } from '../products.ts';
import type { State } from '../state.ts';
import type { Stock } from '../stock.ts';
import { ChangedMeanwhile } from './changed-meanwhile.ts';
import { type Deciders, newId, noSuch } from './decision.ts';
import { fieldsBefore } from './fields-before.ts';
import { lotOf } from './lot-lookup.ts';
import { Rejection } from './rejection.ts';

export const productDeciders = {
  CreateProduct(state, { profile, productId: asked }, atMs) {
    if (state.products.size >= MAX_PRODUCTS) {
      return new Rejection('BAD_REQUEST', `A node holds at most ${MAX_PRODUCTS} products.`);
    }
    const refusal = profileRefusal(state, profile);
    if (refusal !== undefined) return refusal;
    const productId = newId(state.products, 'product', asked);
    return productId instanceof Rejection ? productId : { kind: 'ProductCreated', productId, profile, atMs };
  },
  UpdateProduct(state, { productId, changes, ifProfile }, atMs) {
    const product = state.products.get(productId);
    if (product === undefined) return noSuch('product');
    if (ifProfile !== undefined && profileText(product.profile) !== ifProfile) {
      return new ChangedMeanwhile(productCopy(state.stock, product));
    }
    if (changes.type !== undefined && changes.type !== product.profile.type) {
      return new Rejection('BAD_REQUEST', "A product's type cannot be changed; create another product.");
    }
    const profile = { ...product.profile, ...changes };
    const refusal = profileRefusal(state, profile, productId);
    if (refusal !== undefined) return refusal;
    const isDropped = (product.profile.sources ?? []).some(
      (source, place) => product.sourceStocks[place] !== 0 && placeOfSource(profile, source) < 0,
    );
    const drops = isDropped ? ({ dropsSuppliedStock: true } as const) : {};
    const before = fieldsBefore(product.profile, profile);
    return { kind: 'ProductUpdated', productId, profile, ...before, ...drops, atMs };
  },
  SetProductFile({ products }, { productId, file }, atMs) {
    const product = products.get(productId);
    if (product === undefined) return noSuch('product');
    if (product.profile.type !== 'file') {
      return new Rejection('BAD_REQUEST', `A product of type ${product.profile.type} has no file.`);
    }
    return { kind: 'ProductFileSet', productId, file, atMs };
  },
  AddStock({ products, stock, lastLotId }, command, atMs) {
    const { productId, firstItem, count, label } = command;
    if (products.get(productId) === undefined) return noSuch('product');
    if (firstItem + count > MAX_ITEMS_PER_PRODUCT) return tooMuchStock();
    const refusal = meanwhileRefusal(stock, productId, command);
    if (refusal !== undefined) return refusal;
    const aside = asideOf(stock, productId, command);
    if (aside instanceof Rejection) return aside;
    const lot = { lotId: lastLotId + 1, ...label };
    return { kind: 'StockAdded', productId, firstItem, count, lot, ...aside, atMs };
  },
  WithdrawStock({ products, stock }, { productId, count: wanted }, atMs) {
    if (products.get(productId) === undefined) return noSuch('product');
    if (stock.withdrawn(productId).length >= MAX_WITHDRAWN_RANGES) return tooManyRanges();
    const count = Math.min(wanted, stock.available(productId));
    const ranges = stock.itemsFrom(productId, stock.of(productId).next, count);
    return { kind: 'StockWithdrawn', productId, ranges: count === 0 ? [] : ranges, atMs };
  },
  WithdrawItems({ products, stock }, { productId, ranges: wanted }, atMs) {
    if (products.get(productId) === undefined) return noSuch('product');
    const ranges = wanted.flatMap(({ firstItem, count }) => stock.unsoldIn(productId, firstItem, count));
    if (stock.withdrawn(productId).length + ranges.length > MAX_WITHDRAWN_RANGES) return tooManyRanges();
    return { kind: 'StockWithdrawn', productId, ranges, atMs };
  },
  RecallLot(state, { lotId }, atMs, history) {
    const lot = lotOf(state, history, lotId);
    if (lot === undefined) return noSuch('lot');
    if (lot.recall !== undefined) return { lot };
    const { stock } = state;
    const { productId, firstItem, count } = lot;
    const lengths = [stock.withdrawn(productId).length, stock.recalled(productId).length];
    // What it withdraws becomes one range with the gaps in it.
    if (Math.max(...lengths) >= MAX_WITHDRAWN_RANGES) return tooManyRanges();
    const ranges = stock.unsoldIn(productId, firstItem, count);
    const recall = { atMs, withdrawn: countOf(ranges) };
    return { kind: 'LotRecalled', lot: { ...lot, recall }, ranges, atMs };
  },
  /** Records the figures that are new, of sources that are still the product's. */
  RecordSupplierStock({ products }, { supplierId, changes: said }, atMs) {
    if (said.length > MAX_STOCK_CHANGES) {
      return new Rejection('BAD_REQUEST', `At most ${MAX_STOCK_CHANGES} products are recorded at once.`);
    }
    const changes = said
      .filter(({ productId, sku, available }) => {
        const product = products.get(productId);
        const place = product === undefined ? -1 : placeOfSource(product.profile, { supplierId, sku });
        return place >= 0 && product?.sourceStocks[place] !== available;
      })
      .map(({ productId, sku, available }) => ({ productId, sku, available }));
    if (changes.length === 0) return new Rejection('NOT_FOUND', 'Nothing of that is new.');
    return { kind: 'SupplierStockChanged', supplierId, changes, atMs };
  },
} satisfies Partial<Deciders>;

/** The refusal of new items when others were recalled, or became outstanding, since their texts were compared. */
export function meanwhileRefusal(
  stock: Stock,
  productId: number,
  {
    recalledItems,
    outstandingChange,
  }: { readonly recalledItems?: number; readonly outstandingChange?: number },
): Rejection | undefined {
  const isRecalled = recalledItems !== undefined && recalledItems !== stock.recalledItems;
  const isOutstanding =
    outstandingChange !== undefined && outstandingChange !== (stock.lost(productId)?.outstandingChange ?? 0);
  if (!isRecalled && !isOutstanding) return undefined;
  const what = isRecalled ? 'A lot was recalled' : 'A receipt was taken in';
  return new Rejection('BAD_REQUEST', `${what} meanwhile, and nothing was added: send it again.`);
}

/** The new items that are in quarantine from the start, as their fact has them. */
export function asideOf(
  stock: Stock,
  productId: number,
  { aside = [] }: { readonly aside?: readonly ItemRange[] },
): { readonly aside?: readonly ItemRange[] } | Rejection {
  if (stock.withdrawn(productId).length + aside.length > MAX_RECOVERED_RANGES) return tooManyRanges();
  return aside.length === 0 ? {} : { aside };
}

export function tooMuchStock(): Rejection {
  return new Rejection('BAD_REQUEST', `A product holds at most ${MAX_ITEMS_PER_PRODUCT} items.`);
}

/** Memory has a range for each. */
export function tooManyRanges(): Rejection {
  const message =
    `One product remembers at most ${MAX_WITHDRAWN_RANGES} separate withdrawals and recalls. ` +
    'Take it off sale with active: false, and upload what is good to another product.';
  return new Rejection('BAD_REQUEST', message);
}

/** The refusal of a profile that no product can have, or not this one; `productId` is absent for a new one. */
function profileRefusal(state: State, profile: ProductProfile, productId?: number): Rejection | undefined {
  return (
    sourcesRefusal(state, profile) ??
    lowStockRefusal(profile) ??
    boundsRefusal(profile) ??
    takenSku(state, profile, productId)
  );
}

function boundsRefusal({ minQuantity = 1, maxQuantity = null }: ProductProfile): Rejection | undefined {
  if (maxQuantity === null || minQuantity <= maxQuantity) return undefined;
  const message = `minQuantity ${minQuantity} is more than maxQuantity ${maxQuantity}, so that nobody could buy it.`;
  return new Rejection('BAD_REQUEST', message);
}

function takenSku({ skus }: State, { sku }: ProductProfile, productId?: number): Rejection | undefined {
  const taken = sku == null ? undefined : skus.productOf(sku);
  if (taken === undefined || taken === productId) return undefined;
  return new Rejection('ALREADY_TAKEN', `sku: product ${taken} has ${JSON.stringify(sku)} already.`);
}

/** The refusal of sources that the product can't have. */
function sourcesRefusal({ suppliers }: State, { sources = [], type }: ProductProfile): Rejection | undefined {
  if (sources.length === 0) return undefined;
  if (type !== 'standard') {
    return new Rejection('BAD_REQUEST', 'Only products of type standard can have a supplier.');
  }
  for (const [place, source] of sources.entries()) {
    const { supplierId, sku } = source;
    if (suppliers.get(supplierId) === undefined) {
      return new Rejection('BAD_REQUEST', `There is no supplier ${supplierId}.`);
    }
    if (sources.findIndex((each) => isSameSource(each, source)) !== place) {
      const message = `sources: supplier ${supplierId} is there twice with ${JSON.stringify(sku)}: name each source once.`;
      return new Rejection('BAD_REQUEST', message);
    }
  }
  return undefined;
}

function lowStockRefusal({ lowStock, type }: ProductProfile): Rejection | undefined {
  if (lowStock == null || type === 'standard') return undefined;
  return new Rejection(
    'BAD_REQUEST',
    'Only products of type standard have a stock that can be low: leave lowStock out.',
  );
}
