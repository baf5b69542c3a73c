/**
 * Decisions about orders after their purchase, and about orders from the bot, which are paid later than made.
 *
 * Invariant: a step that isn't in the table of order-lifecycle.ts is refused and changes nothing; the fact carries the
 * whole order as it is from now on, so that it can be applied where the order as it was is no longer in memory. An
 * order that can't be paid yet stays as it is, and may be tried again.
 */
import { refundedMicros } from '../adjustments.ts';
import { lowBalance } from '../events/low-balance.ts';
import type { Fact, OrderChange } from '../fact.ts';
import { MAX_ITEMS_PER_ORDER } from '../limits.ts';
import { isSameAmount } from '../money.ts';
import { isAllowed } from '../order-lifecycle.ts';
import { NO_KEY, type Order } from '../orders.ts';
import { totalPriceMicros } from '../pricing/price.ts';
import { isVisible, otherPrice, pricedBy } from '../pricing/price-rule.ts';
import { isOnSale } from '../products.ts';
import type { State } from '../state.ts';
import { decideHold, outcomeOf } from './decide-supplier-purchase.ts';
import { type Deciders, noSuch } from './decision.ts';
import { orderOf } from './history.ts';
import { Rejection } from './rejection.ts';
import { fileIdOf, newOrder, quantityRefusal, sourceOf, statusWhenPaid, tooManyItems } from './sale.ts';
import { spendRefusal } from './spend-refusal.ts';

export const orderDeciders = {
  /** Whether the shelf and the wallet suffice is a matter of its payment. */
  OpenOrder(state, { accountId, productId, quantity, recipientUsername, requestNumber }, atMs) {
    const account = state.accounts.get(accountId);
    if (account === undefined) return noSuch('account');
    const product = state.products.get(productId);
    if (product === undefined || !isOnSale(product) || !isVisible(state, account, product)) {
      return new Rejection('NOT_FOUND');
    }
    if (product.profile.requiresRecipient && recipientUsername === null) {
      return new Rejection('BAD_REQUEST', 'recipient.username is required for this product.');
    }
    const unfit = quantityRefusal(product.profile, quantity);
    if (unfit !== undefined) return unfit;
    if (product.profile.type === 'standard' && quantity > MAX_ITEMS_PER_ORDER) return tooManyItems();
    const other = otherPrice(state, account, product);
    const totalMicros = totalPriceMicros(other?.price ?? product.profile, quantity, other?.percent);
    if (typeof totalMicros === 'bigint') {
      return new Rejection('BAD_REQUEST', 'The total is more than any wallet can hold.');
    }
    const bought = { accountId, productId, quantity, recipientUsername, requestNumber };
    const request = { ...bought, idempotencyKey: NO_KEY, expectedPriceUsdt: 0 };
    const prices = { totalMicros, balanceAfterMicros: account.walletMicros, ...pricedBy(other) };
    return { kind: 'OrderOpened', order: { ...newOrder(state, request, atMs), ...prices }, atMs };
  },

  /** Product, price, stock or supplier, balance, spend limits: like a purchase, at the price of this moment. */
  PayOrder(state, { orderId, expectedPriceUsdt }, atMs, history, keptBack) {
    const order = orderOf(state, history, orderId);
    if (order === undefined) return noSuch('order');
    if (order.status !== 'processing') return notAllowed(order, 'OrderPaid');
    if (state.supplierPurchases.ofOrder(orderId) !== undefined) return beingPaid(order);
    if (state.gap !== null) return new Rejection('SALES_CLOSED');
    const account = state.accounts.get(order.accountId);
    const product = state.products.get(order.productId);
    if (account === undefined || product === undefined || !isOnSale(product))
      return new Rejection('NOT_FOUND');
    if (!isVisible(state, account, product)) return new Rejection('NOT_FOUND');
    const unfit = quantityRefusal(product.profile, order.quantity);
    if (unfit !== undefined) return unfit;
    const other = otherPrice(state, account, product);
    const totalMicros = totalPriceMicros(other?.price ?? product.profile, order.quantity, other?.percent);
    if (expectedPriceUsdt !== null && !isSameAmount(expectedPriceUsdt, totalMicros)) {
      return new Rejection('PRICE_CHANGED', undefined, Number(totalMicros));
    }
    const source = sourceOf(state, product, order.quantity);
    if (source instanceof Rejection) return source;
    const { walletMicros } = account;
    if (typeof totalMicros === 'bigint' || totalMicros > walletMicros) {
      return new Rejection('INSUFFICIENT_BALANCE');
    }
    const beyond = spendRefusal(state.spending, account, totalMicros, atMs);
    if (beyond !== undefined) return beyond;
    if (typeof source !== 'number')
      return decideHold(state, keptBack, source, order, totalMicros, other, atMs, orderId);
    const status = statusWhenPaid(product.profile);
    const charged = {
      totalMicros,
      balanceAfterMicros: walletMicros - totalMicros,
      ...pricedBy(other),
      paidAtMs: atMs,
    };
    const paid = { ...order, status, ...charged, firstItem: source, fileId: fileIdOf(product) };
    const low = lowBalance(account, walletMicros - totalMicros + account.heldMicros, totalMicros);
    return allowed(order, { kind: 'OrderPaid', order: paid, ...low, atMs });
  },

  CompleteOrder(state, command, atMs, history) {
    const { orderId, textCount, areTextsWritten, supplierPurchaseId, itemsMac } = command;
    const order = orderOf(state, history, orderId);
    if (order === undefined || !waitsFor(state, order, supplierPurchaseId)) return noSuch('order');
    if (textCount > 0 && !areTextsWritten && order.status === 'pending_delivery') {
      // It became so while the command waited for its turn.
      return new Rejection('TRANSITION_NOT_ALLOWED', `Order ${orderId} was not pending when its items came.`);
    }
    const completed = { ...order, status: 'completed', textCount } as const;
    const end = endOf('delivered', supplierPurchaseId, itemsMac);
    return allowed(order, { kind: 'OrderDelivered', order: completed, ...end, atMs });
  },

  /** An order that isn't paid is cancelled; one that is gets its money back. */
  FailOrder(state, { orderId, supplierPurchaseId }, atMs, history) {
    const order = orderOf(state, history, orderId);
    if (order === undefined || !waitsFor(state, order, supplierPurchaseId)) return noSuch('order');
    const failed = { ...order, status: 'failed' } as const;
    if (order.status === 'processing') {
      if (state.supplierPurchases.ofOrder(orderId) !== undefined) return beingPaid(order);
      return allowed(order, { kind: 'OrderCancelled', order: failed, atMs });
    }
    const waits = debitWaits(state, order);
    if (waits !== undefined) return waits;
    const amountMicros = order.totalMicros - refundedMicros(order.adjustments);
    const balanceMicros = walletOf(state, order) + amountMicros;
    const moved = { amountMicros, balanceMicros, ...endOf('failed', supplierPurchaseId) };
    return allowed(order, { kind: 'OrderFailed', order: failed, ...moved, atMs });
  },
} satisfies Partial<Deciders>;

/** The step, unless the lifecycle doesn't have it. */
export function allowed(before: Order, fact: OrderChange): Fact | Rejection {
  return isAllowed(before.status, fact.kind, fact.order.status) ? fact : notAllowed(before, fact.kind);
}

const DONE: Readonly<Record<OrderChange['kind'], string>> = {
  OrderPaid: 'paid',
  OrderDelivered: 'completed',
  OrderCancelled: 'failed',
  OrderFailed: 'failed',
  OrderRefunded: 'refunded',
  OrderItemsReplaced: 'given new items',
  OrderAmended: 'amended',
};

export function notAllowed({ orderId, status }: Order, kind: OrderChange['kind']): Rejection {
  const message = `Order ${orderId} is ${status} and cannot be ${DONE[kind]}.`;
  return new Rejection('TRANSITION_NOT_ALLOWED', message);
}

/** The refusal for an order whose total is on hold while its supplier is being asked. */
function beingPaid({ orderId }: Order): Rejection {
  const message = `Order ${orderId} is processing, and being paid at this moment: its supplier is being asked.`;
  return new Rejection('TRANSITION_NOT_ALLOWED', message);
}

/** The refusal for an order that was recovered without its money: nothing can go back before it has been paid. */
export function debitWaits({ waitingDebits }: State, { orderId }: Order): Rejection | undefined {
  if (waitingDebits.get(orderId) === undefined) return undefined;
  const message = `Order ${orderId} was recovered, and its debit waits for a credit. Enter the credit first.`;
  return new Rejection('TRANSITION_NOT_ALLOWED', message);
}

/** False when the order's end is to be that of a supplier purchase, and the order waits for another, or for none. */
function waitsFor({ supplierPurchases }: State, { orderId }: Order, supplierPurchaseId?: number): boolean {
  if (supplierPurchaseId === undefined) return true;
  return supplierPurchases.ofOrder(orderId)?.supplierPurchaseId === supplierPurchaseId;
}

function endOf(how: 'delivered' | 'failed', supplierPurchaseId?: number, itemsMac?: string) {
  return supplierPurchaseId === undefined ? {} : { supplierPurchaseId, ...outcomeOf(how, itemsMac) };
}

export function walletOf(state: State, { accountId }: Order): number {
  return state.accounts.get(accountId)?.walletMicros ?? 0;
}
