/**
 * Decisions about suppliers, and about purchases that they are asked for: hold, then capture or release, then the end
 * of a purchase that stayed open.
 *
 * Invariant: the hold is a fact of its own, which is durable before the supplier is asked; it ends by exactly one other
 * fact. A captured hold is an order in `pending_delivery` even when the supplier has already delivered: texts are kept
 * under the order's number, so they are written next, and complete it.
 */

import { lowBalance } from '../events/low-balance.ts';
import type { FactOf } from '../fact.ts';
import {
  MAX_HELD_PER_SUPPLIER,
  MAX_HELD_SUPPLIER_PURCHASES,
  MAX_ITEMS_PER_ORDER,
  MAX_ITEMS_PER_PRODUCT,
  MAX_LOT_TEXT_LENGTH,
  MAX_SUPPLIER_PURCHASES,
  MAX_SUPPLIERS,
} from '../limits.ts';
import { isSupplierPurchaseAllowed } from '../order-lifecycle.ts';
import { NO_KEY, type PurchaseRequest, requestOf } from '../orders.ts';
import { type OtherPrice, pricedBy } from '../pricing/price-rule.ts';
import type { SupplierSource } from '../products.ts';
import type { State } from '../state.ts';
import type { SupplierPurchaseOutcome } from '../supplying/supplier-purchase-ends.ts';
import {
  NO_ORDER,
  type SupplierPurchase,
  supplierPurchaseReference,
} from '../supplying/supplier-purchases.ts';
import { asideOf, meanwhileRefusal, tooMuchStock } from './decide-product.ts';
import { type Deciders, noSuch } from './decision.ts';
import { fieldsBefore } from './fields-before.ts';
import { endOf, orderOf } from './history.ts';
import { Rejection } from './rejection.ts';
import { newOrder, tooManyItems } from './sale.ts';

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
 * The hold for a purchase, or for the payment of an order from the bot, that is allowed and that own stock can't serve.
 * `orderId` is that of the order from the bot.
 */
export function decideHold(
  state: State,
  { supplierId, sku }: SupplierSource,
  request: PurchaseRequest,
  totalMicros: number,
  price: OtherPrice | undefined,
  atMs: number,
  orderId = NO_ORDER,
): FactOf<'HoldPlaced'> | Rejection {
  if (request.quantity > MAX_ITEMS_PER_ORDER) return tooManyItems();
  if (!hasRoom(state, supplierId)) return new Rejection('RATE_LIMITED', MAKING_ROOM);
  const supplierPurchaseId = state.lastSupplierPurchaseId + 1;
  const supplierPurchase = {
    ...requestOf(request),
    supplierPurchaseId,
    reference: supplierPurchaseReference(supplierPurchaseId, atMs),
    supplierId,
    sku,
    totalMicros,
    ...pricedBy(price),
    phase: 'held',
    orderId,
    cause: null,
    createdAtMs: atMs,
  } as const;
  return { kind: 'HoldPlaced', supplierPurchase, atMs };
}

export const supplierDeciders = {
  CaptureHold(state, { supplierPurchaseId }, atMs, history) {
    const held = state.supplierPurchases.get(supplierPurchaseId);
    const account = state.accounts.get(held?.accountId ?? 0);
    if (held === undefined || account === undefined) return noSuch('hold');
    if (!isSupplierPurchaseAllowed(held.phase, 'HoldCaptured', 'pending')) return noSuch('hold');
    const { orderId, totalMicros, priceRule, priceListId } = held;
    const before = orderId === NO_ORDER ? newOrder(state, held, atMs) : orderOf(state, history, orderId);
    if (before === undefined) return noSuch('hold');
    const charged = {
      ...{ totalMicros, balanceAfterMicros: account.walletMicros, priceRule, priceListId },
      ...(orderId === NO_ORDER ? {} : { paidAtMs: atMs }),
    };
    const order = { ...before, status: 'pending_delivery', ...charged } as const;
    const unspentMicros = account.walletMicros + account.heldMicros - totalMicros;
    const low = lowBalance(account, unspentMicros, totalMicros);
    return { kind: 'HoldCaptured', supplierPurchaseId, order, ...low, atMs };
  },
  ReleaseHold({ supplierPurchases, gap }, { supplierPurchaseId, code, isUnresolved }, atMs) {
    const held = supplierPurchases.get(supplierPurchaseId);
    const to = isUnresolved ? 'unresolved' : null;
    if (held === undefined || !isSupplierPurchaseAllowed(held.phase, 'HoldReleased', to))
      return noSuch('hold');
    const { accountId, productId, orderId, reference, totalMicros } = held;
    // SPEC.md §4: a key that found no stock may be tried again, every other answer is repeated.
    // What a restore has interrupted may have become an order in the gap, which has the key when it is recovered.
    const isFree = code === 'OUT_OF_STOCK' || (code === 'IDEMPOTENCY_UNRESOLVED' && gap !== null);
    const isRepeated = !isFree && held.idempotencyKey !== NO_KEY;
    const refusal = isRepeated ? { ...requestOf(held), code, currentPriceMicros: null } : null;
    const hold = { supplierPurchaseId, accountId, productId, orderId, reference, totalMicros };
    const end = isUnresolved ? {} : outcomeOf(code === 'OUT_OF_STOCK' ? 'out_of_stock' : 'failed');
    return { kind: 'HoldReleased', ...hold, code, refusal, isUnresolved, ...end, atMs };
  },
  /** The delivered items are on disk by now, as own stock; `count` may be 0. */
  ReconcileSupplierPurchase(state, command, atMs, history) {
    const { supplierPurchaseId, result, delivered, firstItem, count, itemsMac } = command;
    const open = state.supplierPurchases.get(supplierPurchaseId);
    const end = result === 'delivered' ? endOf(state, history, supplierPurchaseId) : undefined;
    const purchase = open ?? (end?.how === 'delivered' ? undefined : end?.supplierPurchase);
    const from = open?.phase ?? null;
    if (purchase === undefined || !isSupplierPurchaseAllowed(from, 'SupplierPurchaseReconciled', null)) {
      return noSuch('purchase at a supplier that is unresolved');
    }
    const { productId, createdAtMs } = purchase;
    if (firstItem + count > MAX_ITEMS_PER_PRODUCT) return tooMuchStock();
    const refusal = meanwhileRefusal(state.stock, productId, command);
    if (refusal !== undefined) return refusal;
    // The gap may have sold them already, once its supplier had delivered; a receipt may come later.
    const mayBeSold = count > 0 && state.epochs.wasOpenAtFork(createdAtMs);
    const compared = mayBeSold ? { aside: [{ firstItem, count }] } : command;
    const aside = asideOf(state.stock, productId, compared);
    if (aside instanceof Rejection) return aside;
    const lot = count === 0 ? {} : { lot: lateLot(state, purchase) };
    const items = { delivered, productId, firstItem, count, ...aside, ...lot };
    const ended = {
      ...outcomeOf(result, itemsMac),
      ...(open === undefined ? { endedBefore: purchase } : {}),
    };
    return { kind: 'SupplierPurchaseReconciled', supplierPurchaseId, result, ...ended, ...items, atMs };
  },
  CreateSupplier({ suppliers }, { profile }, atMs) {
    if (suppliers.size >= MAX_SUPPLIERS) {
      return new Rejection('BAD_REQUEST', `A node knows at most ${MAX_SUPPLIERS} suppliers.`);
    }
    return { kind: 'SupplierCreated', supplierId: suppliers.nextId, profile, atMs };
  },
  UpdateSupplier({ suppliers }, { supplierId, changes }, atMs) {
    const supplier = suppliers.get(supplierId);
    if (supplier === undefined) return noSuch('supplier');
    const profile = { ...supplier.profile, ...changes };
    const before = fieldsBefore(supplier.profile, profile, ['sealedSecret']);
    return { kind: 'SupplierUpdated', supplierId, profile, ...before, atMs };
  },
} satisfies Partial<Deciders>;

/** The lot of items that a supplier delivered too late. The lot has no cost: suppliers don't say it. */
function lateLot({ lastLotId, suppliers }: State, { supplierId, reference }: SupplierPurchase) {
  const source = suppliers.get(supplierId)?.profile.name.slice(0, MAX_LOT_TEXT_LENGTH);
  return { lotId: lastLotId + 1, ...(source === undefined ? {} : { source }), reference };
}

/** As the fact says that ends a supplier purchase. */
export function outcomeOf(how: SupplierPurchaseOutcome['how'], itemsMac?: string) {
  return { ended: { how, ...(itemsMac === undefined ? {} : { itemsMac }) } };
}
