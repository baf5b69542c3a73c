/** What operators decide about products and their stock. */
import type { AddStock, CreateProduct, SetProductFile, UpdateProduct, WithdrawStock } from './command.ts';
import { sourceRefusal } from './decide-supply.ts';
import type { Fact } from './fact.ts';
import { MAX_ITEMS_PER_PRODUCT, MAX_PRODUCTS, MAX_WITHDRAWN_RANGES } from './limits.ts';
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
  return { kind: 'ProductUpdated', productId: product.productId, profile, atMs: nowMs };
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

function noProduct(): Rejection {
  return new Rejection('NOT_FOUND', 'There is no such product.');
}
