/**
 * What suppliers are, and what becomes of a purchase that one of them was asked for: hold, then capture or
 * release, then the end of what stayed open.
 *
 * What always holds: the hold is a fact of its own, which is durable before the supplier is asked; it ends by
 * exactly one other fact. A captured hold is an order in `pending_delivery` even when the supplier has already
 * delivered: texts are kept under the order's number, so they are written next, and complete it.
 */
import type { CaptureHold, CreateSupplier, ReconcileSupply, ReleaseHold, UpdateSupplier } from './command.ts';
import type { Fact } from './fact.ts';
import { type History, orderOf } from './history.ts';
import {
  MAX_HELD_PER_SUPPLIER,
  MAX_HELD_SUPPLIES,
  MAX_ITEMS_PER_ORDER,
  MAX_ITEMS_PER_PRODUCT,
  MAX_SUPPLIERS,
  MAX_SUPPLIES,
} from './limits.ts';
import { isSupplyAllowed } from './order-lifecycle.ts';
import { NO_ITEM, NO_KEY, type Order, type PurchaseRequest } from './orders.ts';
import type { ProductProfile, SupplySource } from './products.ts';
import { Rejection } from './rejection.ts';
import { tooManyItems } from './sale.ts';
import type { State } from './state.ts';
import { NO_ORDER, type Supply, supplyReference } from './supplies.ts';

const MAKING_ROOM = 'Too many purchases at suppliers are open; retry after a second with the same key.';

/**
 * Whether one more purchase may be open at this supplier: none has more of them than there is room left for all. So
 * one that is down for long fills half of the table, the next one half of the rest, and one that is well, which has
 * few, finds room. Rejected: a fixed share, too small for a node with one supplier or too large for one with many.
 */
function hasRoom({ supplies }: State, supplierId: number): boolean {
  return (
    supplies.openCountOf(supplierId) < MAX_SUPPLIES - supplies.size &&
    supplies.heldCount < MAX_HELD_SUPPLIES &&
    supplies.heldCountOf(supplierId) < MAX_HELD_PER_SUPPLIER
  );
}

/**
 * Of a purchase, or of the payment of an order from the bot, that is in order, and that own stock can't serve.
 * `orderId` is that of the order from the bot.
 */
export function decideHold(
  state: State,
  { supplierId, sku }: SupplySource,
  command: PurchaseRequest,
  totalMicros: number,
  nowMs: number,
  orderId = NO_ORDER,
): Fact | Rejection {
  if (command.quantity > MAX_ITEMS_PER_ORDER) return tooManyItems();
  if (!hasRoom(state, supplierId)) return new Rejection('RATE_LIMITED', MAKING_ROOM);
  const supplyId = state.lastSupplyId + 1;
  const supply: Supply = {
    ...requestOf(command),
    supplyId,
    reference: supplyReference(supplyId, nowMs),
    supplierId,
    sku,
    totalMicros,
    phase: 'held',
    orderId,
    cause: null,
    createdAtMs: nowMs,
  };
  return { kind: 'HoldPlaced', supply, atMs: nowMs };
}

export function decideCapture(
  state: State,
  history: History,
  { supplyId }: CaptureHold,
  nowMs: number,
): Fact | Rejection {
  const supply = state.supplies.get(supplyId);
  const account = state.accounts.get(supply?.accountId ?? 0);
  if (supply === undefined || account === undefined) return noHold();
  if (!isSupplyAllowed(supply.phase, 'HoldCaptured', 'pending')) return noHold();
  const { orderId, totalMicros } = supply;
  const before = orderId === NO_ORDER ? newOrder(state, supply, nowMs) : orderOf(state, history, orderId);
  if (before === undefined) return noHold();
  const order: Order = {
    ...before,
    status: 'pending_delivery',
    totalMicros,
    balanceAfterMicros: account.walletMicros,
  };
  return { kind: 'HoldCaptured', supplyId, order, atMs: nowMs };
}

function newOrder(state: State, supply: Supply, nowMs: number): Order {
  return {
    ...requestOf(supply),
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
  { supplyId, code, isUnresolved }: ReleaseHold,
  nowMs: number,
): Fact | Rejection {
  const supply = state.supplies.get(supplyId);
  const to = isUnresolved ? 'unresolved' : null;
  if (supply === undefined || !isSupplyAllowed(supply.phase, 'HoldReleased', to)) return noHold();
  const { accountId, totalMicros, idempotencyKey } = supply;
  // SPEC.md §4: a key that found no stock may be tried again, every other answer is repeated.
  const isRepeated = code !== 'OUT_OF_STOCK' && idempotencyKey !== NO_KEY;
  const refusal = isRepeated ? { ...requestOf(supply), code, currentPriceMicros: null } : null;
  return {
    kind: 'HoldReleased',
    supplyId,
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
  { supplyId, result, delivered, firstItem, count }: ReconcileSupply,
  nowMs: number,
): Fact | Rejection {
  const supply = state.supplies.get(supplyId);
  if (supply === undefined || !isSupplyAllowed(supply.phase, 'SupplyReconciled', null)) {
    return new Rejection('NOT_FOUND', 'There is no such purchase at a supplier that is unresolved.');
  }
  if (firstItem + count > MAX_ITEMS_PER_PRODUCT) {
    return new Rejection('BAD_REQUEST', `A product holds at most ${MAX_ITEMS_PER_PRODUCT} items.`);
  }
  const { productId } = supply;
  return { kind: 'SupplyReconciled', supplyId, result, delivered, productId, firstItem, count, atMs: nowMs };
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
