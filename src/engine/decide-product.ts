/** What operators decide about products and their stock, and what suppliers have of them. */
import { type Deciders, noSuch } from './decision.ts';
import { MAX_ITEMS_PER_PRODUCT, MAX_PRODUCTS, MAX_STOCK_CHANGES, MAX_WITHDRAWN_RANGES } from './limits.ts';
import { isSameSource, type ProductProfile } from './products.ts';
import { Rejection } from './rejection.ts';
import type { State } from './state.ts';

export const productDeciders = {
  CreateProduct(state, { profile }, atMs) {
    if (state.products.size >= MAX_PRODUCTS) {
      return new Rejection('BAD_REQUEST', `A node holds at most ${MAX_PRODUCTS} products.`);
    }
    const refusal = sourceRefusal(state, profile);
    return refusal ?? { kind: 'ProductCreated', productId: state.products.nextId, profile, atMs };
  },
  UpdateProduct(state, { productId, changes }, atMs) {
    const product = state.products.get(productId);
    if (product === undefined) return noSuch('product');
    if (changes.type !== undefined && changes.type !== product.profile.type) {
      return new Rejection('BAD_REQUEST', "A product's type cannot be changed; create another product.");
    }
    const profile = { ...product.profile, ...changes };
    const refusal = sourceRefusal(state, profile);
    if (refusal !== undefined) return refusal;
    const isDropped = product.suppliedStock !== 0 && !isSameSource(product.profile.source, profile.source);
    const drops = isDropped ? ({ dropsSuppliedStock: true } as const) : {};
    return { kind: 'ProductUpdated', productId, profile, ...drops, atMs };
  },
  SetProductFile({ products }, { productId, file }, atMs) {
    const product = products.get(productId);
    if (product === undefined) return noSuch('product');
    if (product.profile.type !== 'file') {
      return new Rejection('BAD_REQUEST', `A product of type ${product.profile.type} has no file.`);
    }
    return { kind: 'ProductFileSet', productId, file, atMs };
  },
  AddStock({ products }, { productId, firstItem, count }, atMs) {
    if (products.get(productId) === undefined) return noSuch('product');
    if (firstItem + count > MAX_ITEMS_PER_PRODUCT) return tooMuchStock();
    return { kind: 'StockAdded', productId, firstItem, count, atMs };
  },
  WithdrawStock({ products, stock }, { productId, count: wanted }, atMs) {
    if (products.get(productId) === undefined) return noSuch('product');
    const { next, end } = stock.of(productId);
    const count = Math.min(wanted, end - next);
    if (stock.withdrawn(productId).length >= MAX_WITHDRAWN_RANGES) {
      return new Rejection(
        'BAD_REQUEST',
        `Stock of one product can be withdrawn at most ${MAX_WITHDRAWN_RANGES} times.`,
      );
    }
    return { kind: 'StockWithdrawn', productId, firstItem: next, count, atMs };
  },
  /** Of what the supplier said, what is new, and of products that are still what it was asked for. */
  RecordSupplierStock({ products }, { supplierId, changes: said }, atMs) {
    if (said.length > MAX_STOCK_CHANGES) {
      return new Rejection('BAD_REQUEST', `At most ${MAX_STOCK_CHANGES} products are recorded at once.`);
    }
    const changes = said
      .filter(({ productId, sku, available }) => {
        const product = products.get(productId);
        const isAsked = isSameSource(product?.profile.source, { supplierId, sku });
        return isAsked && product?.suppliedStock !== available;
      })
      .map(({ productId, available }) => ({ productId, available }));
    if (changes.length === 0) return new Rejection('NOT_FOUND', 'Nothing of that is new.');
    return { kind: 'SupplierStockChanged', supplierId, changes, atMs };
  },
} satisfies Partial<Deciders>;

export function tooMuchStock(): Rejection {
  return new Rejection('BAD_REQUEST', `A product holds at most ${MAX_ITEMS_PER_PRODUCT} items.`);
}

/** What keeps a product from having this source. */
function sourceRefusal({ suppliers }: State, { source, type }: ProductProfile): Rejection | undefined {
  if (source == null) return undefined;
  if (type !== 'standard') {
    return new Rejection('BAD_REQUEST', 'Only products of type standard can have a supplier.');
  }
  if (suppliers.get(source.supplierId) !== undefined) return undefined;
  return new Rejection('BAD_REQUEST', `There is no supplier ${source.supplierId}.`);
}
