/**
 * Decisions about suppliers, and about purchases that they are asked for: hold, then capture or release, unless it
 * passes on to the next source, then the end of a purchase that stayed open.
 *
 * Invariant: the hold is a fact of its own, which is durable before the supplier is asked, and so is its passing on to
 * another one; it ends by exactly one other fact. Only a supplier that has certainly sold nothing is followed by another. A captured hold is an order in `pending_delivery` even when the supplier has already delivered: texts are kept
 * under the order's number, so they are written next, and complete it.
 */

import { lowBalance } from '../events/low-balance.ts';
import type { FactOf } from '../fact.ts';
import {
  MAX_HELD_SUPPLIER_PURCHASES,
  MAX_ITEMS_PER_ORDER,
  MAX_ITEMS_PER_PRODUCT,
  MAX_LOT_TEXT_LENGTH,
  MAX_SUPPLIERS,
} from '../limits.ts';
import { isSupplierPurchaseAllowed } from '../order-lifecycle.ts';
import { NO_KEY, type PurchaseRequest, requestOf } from '../orders.ts';
import { type OtherPrice, type PricedBy, pricedBy } from '../pricing/price-rule.ts';
import type { SupplierSource } from '../products.ts';
import type { State } from '../state.ts';
import { firstSource, type KeptBack, sourceBehind } from '../supplying/next-source.ts';
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
 * The hold for a purchase, or for the payment of an order from the bot, that is allowed and that own stock can't serve.
 * `orderId` is that of the order from the bot.
 */
export function decideHold(
  state: State,
  keptBack: KeptBack,
  sources: readonly SupplierSource[],
  request: PurchaseRequest,
  totalMicros: number,
  price: OtherPrice | undefined,
  atMs: number,
  orderId = NO_ORDER,
): FactOf<'HoldPlaced'> | Rejection {
  if (request.quantity > MAX_ITEMS_PER_ORDER) return tooManyItems();
  const { heldCount } = state.supplierPurchases;
  const source = heldCount < MAX_HELD_SUPPLIER_PURCHASES && firstSource(state, sources, keptBack);
  if (!source) return new Rejection('RATE_LIMITED', MAKING_ROOM);
  const charge = { totalMicros, ...pricedBy(price), orderId };
  return { kind: 'HoldPlaced', supplierPurchase: heldAt(state, source, request, charge, atMs), atMs };
}

type Charge = Pick<SupplierPurchase, 'totalMicros' | 'orderId' | 'holdReference'> & PricedBy;

/** The next supplier purchase. */
function heldAt(
  { lastSupplierPurchaseId }: State,
  { supplierId, sku }: SupplierSource,
  request: PurchaseRequest,
  charge: Charge,
  createdAtMs: number,
): SupplierPurchase {
  const supplierPurchaseId = lastSupplierPurchaseId + 1;
  const reference = supplierPurchaseReference(supplierPurchaseId, createdAtMs);
  const asked = { supplierPurchaseId, reference, supplierId, sku };
  return { ...requestOf(request), ...asked, ...charge, phase: 'held', cause: null, createdAtMs };
}

/** The amount stays on hold, for the source behind this one; undefined when there is none. */
function passed(
  state: State,
  held: SupplierPurchase,
  how: 'out_of_stock' | 'failed',
  keptBack: KeptBack,
  atMs: number,
): FactOf<'HoldPassed'> | undefined {
  const source = sourceBehind(state, held, keptBack);
  if (source === undefined) return undefined;
  const { supplierPurchaseId, reference, totalMicros, orderId, priceRule, priceListId } = held;
  const holdReference = held.holdReference ?? reference;
  const charge = { totalMicros, orderId, priceRule, priceListId, holdReference };
  const supplierPurchase = heldAt(state, source, held, charge, atMs);
  return { kind: 'HoldPassed', supplierPurchaseId, ...outcomeOf(how), supplierPurchase, atMs };
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
  ReleaseHold(state, { supplierPurchaseId, code, isUnresolved, mayPass }, atMs, _history, keptBack) {
    const { supplierPurchases, gap } = state;
    const held = supplierPurchases.get(supplierPurchaseId);
    const to = isUnresolved ? 'unresolved' : null;
    if (held === undefined || !isSupplierPurchaseAllowed(held.phase, 'HoldReleased', to))
      return noSuch('hold');
    const how = code === 'OUT_OF_STOCK' ? 'out_of_stock' : 'failed';
    const next = mayPass === true && !isUnresolved ? passed(state, held, how, keptBack, atMs) : undefined;
    if (next !== undefined) return next;
    const { accountId, productId, orderId, totalMicros } = held;
    const reference = held.holdReference ?? held.reference;
    // SPEC.md §4: a key that found no stock may be tried again, every other answer is repeated.
    // What a restore has interrupted may have become an order in the gap, which has the key when it is recovered.
    const isFree = code === 'OUT_OF_STOCK' || (code === 'IDEMPOTENCY_UNRESOLVED' && gap !== null);
    const isRepeated = !isFree && held.idempotencyKey !== NO_KEY;
    const refusal = isRepeated ? { ...requestOf(held), code, currentPriceMicros: null } : null;
    const hold = { supplierPurchaseId, accountId, productId, orderId, reference, totalMicros };
    const end = isUnresolved ? {} : outcomeOf(how);
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
