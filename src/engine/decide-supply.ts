/**
 * What suppliers are, and what becomes of a purchase that one of them was asked for: hold, then capture or
 * release, then the end of what stayed open.
 *
 * What always holds: the hold is a fact of its own, which is durable before the supplier is asked; it ends by
 * exactly one other fact. A captured hold is an order in `pending_delivery` even when the supplier has already
 * delivered: texts are kept under the order's number, so they are written next, and complete it.
 */
import type { Account } from './accounts.ts';
import type {
  CaptureHold,
  CreateSupplier,
  PlaceOrder,
  ReconcileSupply,
  ReleaseHold,
  UpdateSupplier,
} from './command.ts';
import type { Fact } from './fact.ts';
import { MAX_ITEMS_PER_ORDER, MAX_ITEMS_PER_PRODUCT, MAX_SUPPLIERS, MAX_SUPPLIES } from './limits.ts';
import { NO_ITEM, type PurchaseRequest } from './orders.ts';
import type { ProductProfile, SupplySource } from './products.ts';
import { Rejection } from './rejection.ts';
import { tooManyItems } from './sale.ts';
import type { State } from './state.ts';
import { NO_ORDER, type Supply, supplyReference } from './supplies.ts';

const MAKING_ROOM = 'Too many purchases at suppliers are open; retry after a second with the same key.';

/** Of a purchase that is in order, and that own stock can't serve. */
export function decideHold(
  state: State,
  account: Account,
  { supplierId, sku }: SupplySource,
  command: PlaceOrder,
  totalMicros: number,
  nowMs: number,
): Fact | Rejection {
  if (command.quantity > MAX_ITEMS_PER_ORDER) return tooManyItems();
  if (state.supplies.size >= MAX_SUPPLIES) return new Rejection('RATE_LIMITED', MAKING_ROOM);
  const supplyId = state.lastSupplyId + 1;
  const supply: Supply = {
    ...requestOf(command),
    supplyId,
    reference: supplyReference(supplyId, nowMs),
    supplierId,
    sku,
    accountId: account.accountId,
    totalMicros,
    phase: 'held',
    orderId: NO_ORDER,
    createdAtMs: nowMs,
  };
  return { kind: 'HoldPlaced', supply, atMs: nowMs };
}

export function decideCapture(state: State, { supplyId }: CaptureHold, nowMs: number): Fact | Rejection {
  const supply = state.supplies.get(supplyId);
  const account = state.accounts.get(supply?.accountId ?? 0);
  if (supply?.phase !== 'held' || account === undefined) return noHold();
  return {
    kind: 'HoldCaptured',
    supplyId,
    order: {
      ...requestOf(supply),
      orderId: state.lastOrderId + 1,
      status: 'pending_delivery',
      totalMicros: supply.totalMicros,
      balanceAfterMicros: account.walletMicros,
      firstItem: NO_ITEM,
      fileId: null,
      textCount: 0,
      createdAtMs: nowMs,
    },
    atMs: nowMs,
  };
}

export function decideRelease(
  state: State,
  { supplyId, code, isUnresolved }: ReleaseHold,
  nowMs: number,
): Fact | Rejection {
  const supply = state.supplies.get(supplyId);
  if (supply?.phase !== 'held') return noHold();
  // SPEC.md §4: a key that found no stock may be tried again, every other answer is repeated.
  const refusal = code === 'OUT_OF_STOCK' ? null : { ...requestOf(supply), code, currentPriceMicros: null };
  const { accountId, totalMicros } = supply;
  return {
    kind: 'HoldReleased',
    supplyId,
    accountId,
    totalMicros,
    refusal,
    isUnresolved,
    atMs: nowMs,
  };
}

/** What it brought is on disk by now, as items of own stock; `count` may be 0. */
export function decideReconciliation(
  state: State,
  { supplyId, firstItem, count }: ReconcileSupply,
  nowMs: number,
): Fact | Rejection {
  const supply = state.supplies.get(supplyId);
  if (supply?.phase !== 'unresolved') {
    return new Rejection('NOT_FOUND', 'There is no such purchase at a supplier that is unresolved.');
  }
  if (firstItem + count > MAX_ITEMS_PER_PRODUCT) {
    return new Rejection('BAD_REQUEST', `A product holds at most ${MAX_ITEMS_PER_PRODUCT} items.`);
  }
  const { productId } = supply;
  return { kind: 'SupplyReconciled', supplyId, productId, firstItem, count, atMs: nowMs };
}

export function decideNewSupplier(
  state: State,
  { profile }: CreateSupplier,
  nowMs: number,
): Fact | Rejection {
  if (state.suppliers.size >= MAX_SUPPLIERS) {
    return new Rejection('BAD_REQUEST', `A node knows at most ${MAX_SUPPLIERS} suppliers.`);
  }
  return { kind: 'SupplierCreated', supplierId: state.suppliers.nextId, profile, atMs: nowMs };
}

export function decideSupplierChange(
  state: State,
  { supplierId, changes }: UpdateSupplier,
  nowMs: number,
): Fact | Rejection {
  const supplier = state.suppliers.get(supplierId);
  if (supplier === undefined) return new Rejection('NOT_FOUND', 'There is no such supplier.');
  return { kind: 'SupplierUpdated', supplierId, profile: { ...supplier.profile, ...changes }, atMs: nowMs };
}

/** What keeps a product from having this source. */
export function sourceRefusal(state: State, { source, type }: ProductProfile): Rejection | undefined {
  if (source == null) return undefined;
  if (type !== 'standard') {
    return new Rejection('BAD_REQUEST', 'Only products of type standard can have a supplier.');
  }
  if (state.suppliers.get(source.supplierId) !== undefined) return undefined;
  return new Rejection('BAD_REQUEST', `There is no supplier ${source.supplierId}.`);
}

function requestOf(request: PurchaseRequest): PurchaseRequest {
  const { accountId, idempotencyKey, productId, quantity, expectedPriceUsdt, recipientUsername } = request;
  return { accountId, idempotencyKey, productId, quantity, expectedPriceUsdt, recipientUsername };
}

function noHold(): Rejection {
  return new Rejection('NOT_FOUND', 'There is no such hold.');
}
