/**
 * Changes of what accounts have bought, by facts: the one table for the state, which counts accounts with limits, and for
 * the checkpoint, which has all accounts.
 *
 * Invariant: an order counts with what is left of its total after refunds, at the time at which it was paid; so a refund
 * gives back where the purchase was counted, and never makes room in a window that hasn't the purchase. Holds are not
 * among these changes: the account says what it has on hold (`heldMicros`), and that counts whenever it was placed.
 */
import { refundedMicros } from '../adjustments.ts';
import type { Fact } from '../fact.ts';
import type { Order } from '../orders.ts';

export interface SpendingChange {
  readonly accountId: number;
  /** When it was bought, in Unix milliseconds. */
  readonly atMs: number;
  /** In micro-USDT; negative of money that went back. */
  readonly amountMicros: number;
}

/** Undefined when the fact changes nothing of it. */
export function spendingChangeOf(fact: Fact): SpendingChange | undefined {
  switch (fact.kind) {
    case 'OrderPlaced':
    case 'OrderPaid':
    case 'HoldCaptured':
    // Its debit may wait; it was bought all the same.
    case 'OrderRecovered':
      return changeBy(fact.order, fact.order.totalMicros);
    case 'OrderFailed':
    case 'OrderRefunded':
      return changeBy(fact.order, -fact.amountMicros);
    default:
      return undefined;
  }
}

/** The sum of all changes by the order so far, in micro-USDT. */
export function spentOn({
  status,
  totalMicros,
  adjustments,
}: Pick<Order, 'status' | 'totalMicros' | 'adjustments'>): number {
  const isUnpaid = status === 'processing' || status === 'failed';
  return isUnpaid ? 0 : totalMicros - refundedMicros(adjustments);
}

export function boughtAtMs({
  paidAtMs,
  createdAtMs,
}: Pick<Order, 'createdAtMs'> & { readonly paidAtMs?: number | undefined }): number {
  return paidAtMs ?? createdAtMs;
}

function changeBy(order: Order, amountMicros: number): SpendingChange {
  return { accountId: order.accountId, atMs: boughtAtMs(order), amountMicros };
}
