/** What operators decide about products and their stock, and what suppliers have of them. */
import type {
  AddStock,
  CreateProduct,
  RecordSupplierStock,
  SetProductFile,
  UpdateProduct,
  WithdrawStock,
} from './command.ts';
import { sourceRefusal } from './decide-supplier-purchase.ts';
import type { Fact } from './fact.ts';
import { MAX_ITEMS_PER_PRODUCT, MAX_PRODUCTS, MAX_STOCK_CHANGES, MAX_WITHDRAWN_RANGES } from './limits.ts';
import { isSameSource } from './products.ts';
import { Rejection } from './rejection.ts';
import type { State } from './state.ts';

export function decideNewProduct(state: State, { profile }: CreateProduct, nowMs: number): Fact | Rejection {
  if (state.products.size >= MAX_PRODUCTS) {
    return new Rejection('BAD_REQUEST', `A node holds at most ${MAX_PRODUCTS} products.`);
  }
  const refusal = sourceRefusal(state, profile);
  if (refusal !== undefined) return refusal;
  return { kind: 'ProductCreated', productId: state.products.nextId, profile, atMs: nowMs };
}

export function decideProductChange(state: State, command: UpdateProduct, nowMs: number): Fact | Rejection {
  const product = state.products.get(command.productId);
  if (product === undefined) return noProduct();
  if (command.changes.type !== undefined && command.changes.type !== product.profile.type) {
    return new Rejection('BAD_REQUEST', "A product's type cannot be changed; create another product.");
  }
  const profile = { ...product.profile, ...command.changes };
  const refusal = sourceRefusal(state, profile);
  if (refusal !== undefined) return refusal;
  const isDropped = product.suppliedStock !== 0 && !isSameSource(product.profile.source, profile.source);
  const drops = isDropped ? ({ dropsSuppliedStock: true } as const) : {};
  return { kind: 'ProductUpdated', productId: product.productId, profile, ...drops, atMs: nowMs };
}

export function decideProductFile(
  state: State,
  { productId, file }: SetProductFile,
  nowMs: number,
): Fact | Rejection {
  const product = state.products.get(productId);
  if (product === undefined) return noProduct();
  if (product.profile.type !== 'file') {
    return new Rejection('BAD_REQUEST', `A product of type ${product.profile.type} has no file.`);
  }
  return { kind: 'ProductFileSet', productId, file, atMs: nowMs };
}

export function decideStock(
  state: State,
  { productId, firstItem, count }: AddStock,
  nowMs: number,
): Fact | Rejection {
  if (state.products.get(productId) === undefined) return noProduct();
  if (firstItem + count > MAX_ITEMS_PER_PRODUCT) {
    return new Rejection('BAD_REQUEST', `A product holds at most ${MAX_ITEMS_PER_PRODUCT} items.`);
  }
  return { kind: 'StockAdded', productId, firstItem, count, atMs: nowMs };
}

export function decideWithdrawal(
  state: State,
  { productId, count: wanted }: WithdrawStock,
  nowMs: number,
): Fact | Rejection {
  if (state.products.get(productId) === undefined) return noProduct();
  const { next, end } = state.stock.of(productId);
  const count = Math.min(wanted, end - next);
  if (state.stock.withdrawn(productId).length >= MAX_WITHDRAWN_RANGES) {
    return new Rejection('BAD_REQUEST', `Stock can be withdrawn ${MAX_WITHDRAWN_RANGES} times.`);
  }
  return { kind: 'StockWithdrawn', productId, firstItem: next, count, atMs: nowMs };
}

/** Of what the supplier said, what is new, and of products that are still what it was asked for. */
export function decideSupplierStock(
  state: State,
  { supplierId, changes: said }: RecordSupplierStock,
  nowMs: number,
): Fact | Rejection {
  if (said.length > MAX_STOCK_CHANGES) {
    return new Rejection('BAD_REQUEST', `At most ${MAX_STOCK_CHANGES} products are recorded at once.`);
  }
  const changes = said
    .filter(({ productId, sku, available }) => {
      const product = state.products.get(productId);
      const isAsked = isSameSource(product?.profile.source, { supplierId, sku });
      return isAsked && product?.suppliedStock !== available;
    })
    .map(({ productId, available }) => ({ productId, available }));
  if (changes.length === 0) return new Rejection('NOT_FOUND', 'Nothing of that is new.');
  return { kind: 'SupplierStockChanged', supplierId, changes, atMs: nowMs };
}

function noProduct(): Rejection {
  return new Rejection('NOT_FOUND', 'There is no such product. Check the id.');
}
