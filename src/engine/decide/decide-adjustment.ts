/**
 * Refunds of all or a part of an order, and new items for bad ones (docs/orders.md).
 *
 * Invariant: a key that the order knows changes nothing again: with the same request it gets the order as it is now,
 * with another one 409. A refusal uses up no key. Items are refunded only once they are delivered: a delivery brings
 * all that was bought, so the buyer would have an item and its money. Rejected: to deliver the others alone, for what a
 * supplier was asked for can't be taken back.
 */
import {
  type Adjustment,
  adjustmentOf,
  type RefundPart,
  refundedItems,
  refundedMicros,
  replacedItems,
  sharesMicros,
  tooManyAdjustments,
} from '../adjustments.ts';
import { usdtFromMicros } from '../money.ts';
import { isAllowed } from '../order-lifecycle.ts';
import { NO_ITEM, NO_KEY, type Order } from '../orders.ts';
import type { State } from '../state.ts';
import type { CommandOf } from './command.ts';
import { allowed, debitWaits, notAllowed, walletOf } from './decide-order.ts';
import { type Deciders, noSuch } from './decision.ts';
import { orderOf } from './history.ts';
import { Rejection } from './rejection.ts';
import { nextItems, soldItems } from './sale.ts';

type RefundOrder = CommandOf<'RefundOrder'>;

export const adjustmentDeciders = {
  RefundOrder(state, command, atMs, history) {
    const { orderId, key = NO_KEY, items = [] } = command;
    const order = orderOf(state, history, orderId);
    if (order === undefined) return noSuch('order');
    const earlier = key === NO_KEY ? undefined : adjustmentOf(order.adjustments, key);
    if (earlier !== undefined) {
      if (!isSameRefund(earlier, command)) return keyConflict();
      return { order, balanceMicros: walletOf(state, order), replayed: true };
    }
    if (!isAllowed(order.status, 'OrderRefunded', 'refunded')) return notAllowed(order, 'OrderRefunded');
    const waits = debitWaits(state, order);
    if (waits !== undefined) return waits;
    const amountMicros = amountOf(order, command);
    if (typeof amountMicros !== 'number') return amountMicros;
    const part = partOf(command);
    const full = part === 'rest' ? undefined : tooManyAdjustments(order.adjustments, items.length);
    if (full !== undefined) return full;
    const refund = { kind: 'refund', part, key, atMs, amountMicros, items } as const;
    const adjustments = [...order.adjustments, refund];
    const isAll = refundedMicros(adjustments) === order.totalMicros;
    const refunded = { ...order, status: isAll ? 'refunded' : order.status, adjustments } as const;
    const balanceMicros = walletOf(state, order) + amountMicros;
    return allowed(order, { kind: 'OrderRefunded', order: refunded, amountMicros, balanceMicros, atMs });
  },

  ReplaceItems(state, { orderId, key, items }, atMs, history) {
    const order = orderOf(state, history, orderId);
    if (order === undefined) return noSuch('order');
    const earlier = adjustmentOf(order.adjustments, key);
    if (earlier !== undefined) {
      const isSame = earlier.kind === 'replacement' && isSameList(earlier.items, items);
      return isSame ? { order, replayed: true } : keyConflict();
    }
    const refusal = replacementRefusal(state, order, items);
    if (refusal !== undefined) return refusal;
    if (state.gap !== null) return new Rejection('SALES_CLOSED');
    const newItems = nextItems(state, order.productId, items.length);
    if (newItems instanceof Rejection) return newItems;
    const before = replacedItems(order.adjustments);
    const sold = soldItems(state, order);
    const oldItems = items.map((place) => before.get(place) ?? sold[place] ?? null);
    const numbers = { items, oldItems, newItems };
    const replacement = { kind: 'replacement', key, atMs, amountMicros: 0, ...numbers } as const;
    const replaced = { ...order, adjustments: [...order.adjustments, replacement] };
    return allowed(order, { kind: 'OrderItemsReplaced', order: replaced, items, newItems, atMs });
  },
} satisfies Partial<Deciders>;

function partOf({ amountMicros, items }: RefundOrder): RefundPart {
  if (items !== undefined) return 'items';
  return amountMicros === undefined ? 'rest' : 'amount';
}

/** The amount of a refund that the order's status allows, in micro-USDT. */
function amountOf(order: Order, command: RefundOrder): number | Rejection {
  const { orderId, status, totalMicros, quantity, adjustments } = order;
  const leftMicros = totalMicros - refundedMicros(adjustments);
  if (command.items === undefined) {
    const { amountMicros = leftMicros } = command;
    if (amountMicros <= leftMicros) return amountMicros;
    return refusedNow(
      `Of order ${orderId}, ${usdtFromMicros(leftMicros)} USDT are left to refund, not more.`,
    );
  }
  const outside = outOfRange(command.items, quantity);
  if (outside !== undefined) return outside;
  if (status !== 'completed') {
    // Its delivery would still bring all of them.
    return refusedNow(
      `Order ${orderId} is ${status}, so there are no items to refund yet. Wait until it is delivered, or fail it, which returns all of its money.`,
    );
  }
  if (adjustments.some((adjustment) => adjustment.kind === 'refund' && adjustment.part === 'amount')) {
    return refusedNow(
      `Order ${orderId} was refunded by amount, so it cannot be refunded by items. Refund an amount.`,
    );
  }
  const refunded = alreadyRefunded(order, command.items);
  if (refunded !== undefined) return refunded;
  const amountMicros = sharesMicros(totalMicros, quantity, command.items);
  return amountMicros > 0
    ? amountMicros
    : refusedNow('The share of these items is 0 USDT: nothing to refund.');
}

/** Why these places of the order get no new items; undefined when it is a matter of the stock. */
function replacementRefusal(state: State, order: Order, items: readonly number[]): Rejection | undefined {
  const { orderId, status, productId, quantity, firstItem, textCount, adjustments } = order;
  if (!isAllowed(status, 'OrderItemsReplaced', status)) return notAllowed(order, 'OrderItemsReplaced');
  const isOfItems = state.products.get(productId)?.profile.type === 'standard';
  const places = firstItem === NO_ITEM ? textCount : quantity;
  if (!isOfItems || places === 0) {
    return refusedNow(
      `Order ${orderId} delivered no items of a standard product: there is nothing to replace.`,
    );
  }
  return (
    outOfRange(items, places) ??
    alreadyRefunded(order, items) ??
    tooManyAdjustments(adjustments, items.length)
  );
}

function outOfRange(items: readonly number[], places: number): Rejection | undefined {
  const outside = items.find((item) => item >= places);
  if (outside === undefined) return undefined;
  const message = `items has ${outside}, and the order's items have the numbers 0 to ${places - 1}.`;
  return new Rejection('BAD_REQUEST', message);
}

function alreadyRefunded({ orderId, adjustments }: Order, items: readonly number[]): Rejection | undefined {
  const refunded = refundedItems(adjustments);
  const twice = items.find((item) => refunded.has(item));
  return twice === undefined
    ? undefined
    : refusedNow(`Item ${twice} of order ${orderId} was refunded already.`);
}

function isSameRefund(earlier: Adjustment, command: RefundOrder): boolean {
  if (earlier.kind !== 'refund' || earlier.part !== partOf(command)) return false;
  if (earlier.part === 'rest') return true;
  if (earlier.part === 'amount') return earlier.amountMicros === command.amountMicros;
  return isSameList(earlier.items, command.items ?? []);
}

function isSameList(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

function keyConflict(): Rejection {
  const message =
    'This Idempotency-Key was used for another refund or replacement of this order. Use a new key.';
  return new Rejection('IDEMPOTENCY_CONFLICT', message);
}

function refusedNow(message: string): Rejection {
  return new Rejection('TRANSITION_NOT_ALLOWED', message);
}
