/**
 * What becomes of an order after the purchase, and orders from the bot, which are paid later than made.
 *
 * What always holds: a step that isn't in the table of order-lifecycle.ts is refused and changes nothing; the
 * fact carries the whole order as it is from now on, so that it can be applied where the order as it was is no
 * longer in memory. An order that can't be paid yet stays as it is, and may be tried again.
 */
import type { CompleteOrder, FailOrder, OpenOrder, PayOrder, RefundOrder } from './command.ts';
import { decideHold } from './decide-supplier-purchase.ts';
import type { Fact, OrderChange } from './fact.ts';
import { type History, orderOf } from './history.ts';
import { MAX_ITEMS_PER_ORDER } from './limits.ts';
import { isSameAmount } from './money.ts';
import { isAllowed } from './order-lifecycle.ts';
import { NO_ITEM, NO_KEY, type Order } from './orders.ts';
import { isOnSale, type Product, totalPriceMicros } from './products.ts';
import { Rejection } from './rejection.ts';
import { fileIdOf, firstItemOf, statusWhenPaid, tooManyItems } from './sale.ts';
import type { State } from './state.ts';

/** Whether the shelf and the wallet suffice is a matter of its payment. */
export function decideOpening(state: State, command: OpenOrder, nowMs: number): Fact | Rejection {
  const { accountId, productId, quantity, recipientUsername } = command;
  const account = state.accounts.get(accountId);
  if (account === undefined) return new Rejection('NOT_FOUND', 'There is no such account. Check the id.');
  const product = productOnSale(state, productId);
  if (product instanceof Rejection) return product;
  if (product.profile.requiresRecipient && recipientUsername === null) {
    return new Rejection('BAD_REQUEST', 'recipient.username is required for this product.');
  }
  if (product.profile.type === 'standard' && quantity > MAX_ITEMS_PER_ORDER) return tooManyItems();
  const totalMicros = totalPriceMicros(product.profile, quantity);
  if (typeof totalMicros === 'bigint') {
    return new Rejection('BAD_REQUEST', 'The total is more than any wallet can hold.');
  }
  const order: Order = {
    orderId: state.lastOrderId + 1,
    accountId,
    idempotencyKey: NO_KEY,
    productId,
    quantity,
    expectedPriceUsdt: 0,
    recipientUsername,
    status: 'processing',
    totalMicros,
    balanceAfterMicros: account.walletMicros,
    firstItem: NO_ITEM,
    fileId: null,
    textCount: 0,
    createdAtMs: nowMs,
  };
  return { kind: 'OrderOpened', order, atMs: nowMs };
}

/** Product, price, stock or supplier, balance: like a purchase, at the price of this moment. */
export function decidePayment(
  state: State,
  history: History,
  command: PayOrder,
  nowMs: number,
): Fact | Rejection {
  const order = orderOf(state, history, command.orderId);
  if (order === undefined) return noOrder();
  if (order.status !== 'processing') return notAllowed(order, 'OrderPaid');
  if (state.supplierPurchases.ofOrder(order.orderId) !== undefined) return beingPaid(order);
  const product = productOnSale(state, order.productId);
  if (product instanceof Rejection) return product;
  const totalMicros = totalPriceMicros(product.profile, order.quantity);
  if (command.expectedPriceUsdt !== null && !isSameAmount(command.expectedPriceUsdt, totalMicros)) {
    return new Rejection('PRICE_CHANGED', undefined, Number(totalMicros));
  }
  const firstItem = firstItemOf(state, product, order.quantity);
  const { source } = product.profile;
  if (firstItem instanceof Rejection && (firstItem.code !== 'OUT_OF_STOCK' || source == null)) {
    return firstItem;
  }
  const walletMicros = walletOf(state, order);
  if (typeof totalMicros === 'bigint' || totalMicros > walletMicros) {
    return new Rejection('INSUFFICIENT_BALANCE');
  }
  if (firstItem instanceof Rejection) {
    // As in a purchase: where own stock doesn't suffice, the supplier is asked for all of it.
    if (source == null) return firstItem;
    return decideHold(state, source, order, totalMicros, nowMs, order.orderId);
  }
  const paid: Order = {
    ...order,
    status: statusWhenPaid(product.profile),
    totalMicros,
    balanceAfterMicros: walletMicros - totalMicros,
    firstItem,
    fileId: fileIdOf(product),
  };
  return allowed(order, { kind: 'OrderPaid', order: paid, atMs: nowMs });
}

export function decideCompletion(
  state: State,
  history: History,
  { orderId, textCount, areTextsWritten, supplierPurchaseId }: CompleteOrder,
  nowMs: number,
): Fact | Rejection {
  const order = orderOf(state, history, orderId);
  if (order === undefined) return noOrder();
  if (textCount > 0 && !areTextsWritten && order.status === 'pending_delivery') {
    // It became so while the command waited for its turn.
    return new Rejection('TRANSITION_NOT_ALLOWED', `Order ${orderId} was not pending when its items came.`);
  }
  const completed: Order = { ...order, status: 'completed', textCount };
  if (
    supplierPurchaseId !== undefined &&
    state.supplierPurchases.ofOrder(orderId)?.supplierPurchaseId !== supplierPurchaseId
  )
    return noOrder();
  const ends = supplierPurchaseId === undefined ? {} : { supplierPurchaseId };
  return allowed(order, { kind: 'OrderDelivered', order: completed, ...ends, atMs: nowMs });
}

/** An order that isn't paid is cancelled; one that is gets its money back. */
export function decideFailure(
  state: State,
  history: History,
  { orderId, supplierPurchaseId }: FailOrder,
  nowMs: number,
): Fact | Rejection {
  const order = orderOf(state, history, orderId);
  if (order === undefined) return noOrder();
  if (
    supplierPurchaseId !== undefined &&
    state.supplierPurchases.ofOrder(orderId)?.supplierPurchaseId !== supplierPurchaseId
  )
    return noOrder();
  const failed: Order = { ...order, status: 'failed' };
  if (order.status === 'processing') {
    if (state.supplierPurchases.ofOrder(orderId) !== undefined) return beingPaid(order);
    return allowed(order, { kind: 'OrderCancelled', order: failed, atMs: nowMs });
  }
  const ends = supplierPurchaseId === undefined ? {} : { supplierPurchaseId };
  const balanceMicros = walletOf(state, order) + order.totalMicros;
  return allowed(order, { kind: 'OrderFailed', order: failed, balanceMicros, ...ends, atMs: nowMs });
}

export function decideRefund(
  state: State,
  history: History,
  { orderId }: RefundOrder,
  nowMs: number,
): Fact | Rejection {
  const order = orderOf(state, history, orderId);
  if (order === undefined) return noOrder();
  const refunded: Order = { ...order, status: 'refunded' };
  const balanceMicros = walletOf(state, order) + order.totalMicros;
  return allowed(order, { kind: 'OrderRefunded', order: refunded, balanceMicros, atMs: nowMs });
}

/** The step, unless the lifecycle doesn't have it. */
function allowed(before: Order, fact: OrderChange): Fact | Rejection {
  return isAllowed(before.status, fact.kind, fact.order.status) ? fact : notAllowed(before, fact.kind);
}

const DONE: Readonly<Record<OrderChange['kind'], string>> = {
  OrderPaid: 'paid',
  OrderDelivered: 'completed',
  OrderCancelled: 'failed',
  OrderFailed: 'failed',
  OrderRefunded: 'refunded',
};

function notAllowed({ orderId, status }: Order, kind: OrderChange['kind']): Rejection {
  const message = `Order ${orderId} is ${status} and cannot be ${DONE[kind]}.`;
  return new Rejection('TRANSITION_NOT_ALLOWED', message);
}

/** Its total is on hold, and its supplier is being asked. */
function beingPaid({ orderId }: Order): Rejection {
  const message = `Order ${orderId} is processing, and being paid at this moment: its supplier is being asked.`;
  return new Rejection('TRANSITION_NOT_ALLOWED', message);
}

function productOnSale(state: State, productId: number): Product | Rejection {
  const product = state.products.get(productId);
  return product !== undefined && isOnSale(product) ? product : new Rejection('NOT_FOUND');
}

function walletOf(state: State, { accountId }: Order): number {
  return state.accounts.get(accountId)?.walletMicros ?? 0;
}

function noOrder(): Rejection {
  return new Rejection('NOT_FOUND', 'There is no such order. Check the id.');
}
