/**
 * What suppliers are, and what becomes of a purchase that one of them was asked for: hold, then capture or
 * release, then the end of what stayed open.
 *
 * What always holds: the hold is a fact of its own, which is durable before the supplier is asked; it ends by
 * exactly one other fact. A captured hold is an order in `pending_delivery` even when the supplier has already
 * delivered: texts are kept under the order's number, so they are written next, and complete it.
 */
import type {
  CaptureHold,
  CreateSupplier,
  ReconcileSupplierPurchase,
  ReleaseHold,
  UpdateSupplier,
} from './command.ts';
import type { Fact } from './fact.ts';
import { type History, orderOf } from './history.ts';
import {
  MAX_HELD_PER_SUPPLIER,
  MAX_HELD_SUPPLIER_PURCHASES,
  MAX_ITEMS_PER_ORDER,
  MAX_ITEMS_PER_PRODUCT,
  MAX_SUPPLIER_PURCHASES,
  MAX_SUPPLIERS,
} from './limits.ts';
import { isSupplierPurchaseAllowed } from './order-lifecycle.ts';
import { NO_ITEM, NO_KEY, type Order, type PurchaseRequest } from './orders.ts';
import type { ProductProfile, SupplierPurchaseSource } from './products.ts';
import { Rejection } from './rejection.ts';
import { tooManyItems } from './sale.ts';
import type { State } from './state.ts';
import { NO_ORDER, type SupplierPurchase, supplierPurchaseReference } from './supplier-purchases.ts';

const MAKING_ROOM = 'Too many purchases at suppliers are open; retry after a second with the same key.';

/**
 * Whether one more purchase may be open at this supplier: none has more of them than there is room left for all. So
 * one that is down for long fills half of the table, the next one half of the rest, and one that is well, which has
 * few, finds room. Rejected: a fixed share, too small for a node with one supplier or too large for one with many.
 */
function hasRoom({ supplierPurchases }: State, supplierId: number): boolean {
  return (
    supplierPurchases.openCountOf(supplierId) < MAX_SUPPLIER_PURCHASES - supplierPurchases.size &&
    supplierPurchases.heldCount < MAX_HELD_SUPPLIER_PURCHASES &&
    supplierPurchases.heldCountOf(supplierId) < MAX_HELD_PER_SUPPLIER
  );
}

/**
 * Of a purchase, or of the payment of an order from the bot, that is in order, and that own stock can't serve.
 * `orderId` is that of the order from the bot.
 */
export function decideHold(
  state: State,
  { supplierId, sku }: SupplierPurchaseSource,
  command: PurchaseRequest,
  totalMicros: number,
  nowMs: number,
  orderId = NO_ORDER,
): Fact | Rejection {
  if (command.quantity > MAX_ITEMS_PER_ORDER) return tooManyItems();
  if (!hasRoom(state, supplierId)) return new Rejection('RATE_LIMITED', MAKING_ROOM);
  const supplierPurchaseId = state.lastSupplierPurchaseId + 1;
  const supplierPurchase: SupplierPurchase = {
    ...requestOf(command),
    supplierPurchaseId,
    reference: supplierPurchaseReference(supplierPurchaseId, nowMs),
    supplierId,
    sku,
    totalMicros,
    phase: 'held',
    orderId,
    cause: null,
    createdAtMs: nowMs,
  };
  return { kind: 'HoldPlaced', supplierPurchase, atMs: nowMs };
}

export function decideCapture(
  state: State,
  history: History,
  { supplierPurchaseId }: CaptureHold,
  nowMs: number,
): Fact | Rejection {
  const supplierPurchase = state.supplierPurchases.get(supplierPurchaseId);
  const account = state.accounts.get(supplierPurchase?.accountId ?? 0);
  if (supplierPurchase === undefined || account === undefined) return noHold();
  if (!isSupplierPurchaseAllowed(supplierPurchase.phase, 'HoldCaptured', 'pending')) return noHold();
  const { orderId, totalMicros } = supplierPurchase;
  const before =
    orderId === NO_ORDER ? newOrder(state, supplierPurchase, nowMs) : orderOf(state, history, orderId);
  if (before === undefined) return noHold();
  const order: Order = {
    ...before,
    status: 'pending_delivery',
    totalMicros,
    balanceAfterMicros: account.walletMicros,
  };
  return { kind: 'HoldCaptured', supplierPurchaseId, order, atMs: nowMs };
}

function newOrder(state: State, supplierPurchase: SupplierPurchase, nowMs: number): Order {
  return {
    ...requestOf(supplierPurchase),
    orderId: state.lastOrderId + 1,
    status: 'processing',
    totalMicros: 0,
    balanceAfterMicros: 0,
    firstItem: NO_ITEM,
    fileId: null,
    textCount: 0,
    createdAtMs: nowMs,
  };
}

export function decideRelease(
  state: State,
  { supplierPurchaseId, code, isUnresolved }: ReleaseHold,
  nowMs: number,
): Fact | Rejection {
  const supplierPurchase = state.supplierPurchases.get(supplierPurchaseId);
  const to = isUnresolved ? 'unresolved' : null;
  if (
    supplierPurchase === undefined ||
    !isSupplierPurchaseAllowed(supplierPurchase.phase, 'HoldReleased', to)
  )
    return noHold();
  const { accountId, totalMicros, idempotencyKey } = supplierPurchase;
  // SPEC.md §4: a key that found no stock may be tried again, every other answer is repeated.
  const isRepeated = code !== 'OUT_OF_STOCK' && idempotencyKey !== NO_KEY;
  const refusal = isRepeated ? { ...requestOf(supplierPurchase), code, currentPriceMicros: null } : null;
  return {
    kind: 'HoldReleased',
    supplierPurchaseId,
    accountId,
    totalMicros,
    code,
    refusal,
    isUnresolved,
    atMs: nowMs,
  };
}

/** What it brought is on disk by now, as items of own stock; `count` may be 0. */
export function decideReconciliation(
  state: State,
  { supplierPurchaseId, result, delivered, firstItem, count }: ReconcileSupplierPurchase,
  nowMs: number,
): Fact | Rejection {
  const supplierPurchase = state.supplierPurchases.get(supplierPurchaseId);
  if (
    supplierPurchase === undefined ||
    !isSupplierPurchaseAllowed(supplierPurchase.phase, 'SupplierPurchaseReconciled', null)
  ) {
    return new Rejection('NOT_FOUND', 'There is no such purchase at a supplier that is unresolved.');
  }
  if (firstItem + count > MAX_ITEMS_PER_PRODUCT) {
    return new Rejection('BAD_REQUEST', `A product holds at most ${MAX_ITEMS_PER_PRODUCT} items.`);
  }
  const { productId } = supplierPurchase;
  return {
    kind: 'SupplierPurchaseReconciled',
    supplierPurchaseId,
    result,
    delivered,
    productId,
    firstItem,
    count,
    atMs: nowMs,
  };
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
  if (supplier === undefined) return new Rejection('NOT_FOUND', 'There is no such supplier. Check the id.');
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
