/**
 * Adjustments: changes of an order after its sale. Money went back, or items took the place of bad ones.
 *
 * Invariant: an order keeps all of its adjustments, oldest first, each with the key that asked for it; so what is left
 * to refund, what each place delivers now, and whether a request is a repeated one follow from the order alone. An item
 * is refunded once, by its place, and none is after a refund of an amount, which says nothing of items. The sum of what
 * went back is never more than the total. Nearly all orders share one empty list. Rejected: a table of the keys of
 * refunds, which would live apart from the money that they moved.
 */

import { Rejection } from './decide/rejection.ts';
import { MAX_ADJUSTED_ITEMS, MAX_ADJUSTMENTS } from './limits.ts';

/** The scope of a refund: all that is left, an amount, or the shares of items. */
export type RefundPart = 'rest' | 'amount' | 'items';

interface Refund {
  readonly kind: 'refund';
  readonly part: RefundPart;
}

interface Replacement {
  readonly kind: 'replacement';
  /** The numbers of the items that were there before, one for each of `items`; null of a text that never was in stock. */
  readonly oldItems: readonly (number | null)[];
  /** The numbers of the items of own stock that took their places. */
  readonly newItems: readonly number[];
}

export type Adjustment = (Refund | Replacement) & {
  /** The operator's `Idempotency-Key`; `NO_KEY` of a refund without one. */
  readonly key: string;
  /** Unix milliseconds. */
  readonly atMs: number;
  /** The amount that went back to the wallet, in micro-USDT; 0 for a replacement. */
  readonly amountMicros: number;
  /** By their places in the order, which begin at 0, ascending; none of a refund of the rest or of an amount. */
  readonly items: readonly number[];
};

/** The empty list that nearly all orders share. */
export const NO_ADJUSTMENTS: readonly Adjustment[] = Object.freeze([]);

/** The sum of all refunds so far, in micro-USDT. */
export function refundedMicros(adjustments: readonly Adjustment[]): number {
  let sumMicros = 0;
  for (const { amountMicros } of adjustments) sumMicros += amountMicros;
  return sumMicros;
}

export function refundedItems(adjustments: readonly Adjustment[]): ReadonlySet<number> {
  return new Set(adjustments.flatMap(({ kind, items }) => (kind === 'refund' ? items : [])));
}

/** By place: the number of the item that is there now. Places that have what was sold are left out. */
export function replacedItems(adjustments: readonly Adjustment[]): ReadonlyMap<number, number> {
  const now = new Map<number, number>();
  for (const adjustment of adjustments) {
    if (adjustment.kind !== 'replacement') continue;
    for (const [at, place] of adjustment.items.entries()) now.set(place, adjustment.newItems[at] ?? 0);
  }
  return now;
}

/**
 * The shares of the items at these places, which differ, in micro-USDT: total ÷ quantity rounded down for each, and the
 * rest for the last one of the order.
 */
export function sharesMicros(totalMicros: number, quantity: number, items: readonly number[]): number {
  const shareMicros = Math.floor(totalMicros / quantity);
  const restMicros = items.includes(quantity - 1) ? totalMicros - shareMicros * quantity : 0;
  return shareMicros * items.length + restMicros;
}

/** The adjustment made with the key; undefined when the key is new. */
export function adjustmentOf(adjustments: readonly Adjustment[], key: string): Adjustment | undefined {
  return adjustments.find((adjustment) => adjustment.key === key);
}

/** Why one more of so many items is too much for an order. */
export function tooManyAdjustments(adjustments: readonly Adjustment[], items: number): Rejection | undefined {
  const named = adjustments.reduce((sum, adjustment) => sum + adjustment.items.length, items);
  if (adjustments.length < MAX_ADJUSTMENTS && named <= MAX_ADJUSTED_ITEMS) return undefined;
  return new Rejection(
    'TRANSITION_NOT_ALLOWED',
    `An order has at most ${MAX_ADJUSTMENTS} refunds and replacements, of at most ${MAX_ADJUSTED_ITEMS} items together. Refund all that is left.`,
  );
}
