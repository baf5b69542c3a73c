/**
 * The port through which the engine looks up what memory no longer holds.
 *
 * Synchronous, because `decide` must not wait between reading the state and changing it. Answers come from the
 * checkpoint only; younger rows are in the state's own tables, which are asked first.
 */

import type { Lot } from '../lots.ts';
import type { Order, PurchaseOutcome } from '../orders.ts';
import type { State } from '../state.ts';
import type { SupplierPurchaseEnd } from '../supplying/supplier-purchase-ends.ts';
import { supplierPurchaseIdIn } from '../supplying/supplier-purchases.ts';
import type { CreditOutcome, KeyedCall } from './idempotency.ts';

/** The error of a look-up whose row lies in a damaged part of the disk. The message names file and place. */
export class UnreadableHistoryError extends Error {
  override readonly name = 'UnreadableHistoryError';
}

/** Each look-up may throw `UnreadableHistoryError`: then nothing is known, and nothing may be decided on it. */
export interface History {
  /** `hash`: the `keyHash` of the key, where it is known. */
  purchaseOutcome(accountId: number, idempotencyKey: string, hash?: number): PurchaseOutcome | undefined;
  /** The credit of a reference; for `ANY_ACCOUNT` that of a transfer. */
  creditOutcome(accountId: number, reference: string): CreditOutcome | undefined;
  call(operatorId: number, key: string): KeyedCall | undefined;
  order(orderId: number): Order | undefined;
  /** The highest number of an order that it has; 0 when there is none. */
  lastOrderId(): number;
  /** The amount that the account bought for in each minute from this one on (`spending-change.ts`), as Unix minutes, oldest first. */
  spentSince(accountId: number, minute: number): Iterable<{ minute: number; amountMicros: number }>;
  lot(lotId: number): Lot | undefined;
  supplierPurchaseEnd(supplierPurchaseId: number): SupplierPurchaseEnd | undefined;
  /** At most `limit` lots of a product whose items come before `beforeItem`, the newest first. */
  lotsOf(productId: number, beforeItem: number, limit: number): Lot[];
}

/** An order as it is now, wherever it lies: memory has what the checkpoint doesn't know yet. */
export function orderOf(state: State, history: History, orderId: number): Order | undefined {
  return state.orders.get(orderId) ?? history.order(orderId);
}

/** How the supplier purchase with this number ended; undefined while it is open, and when there never was one. */
export function endOf(
  state: State,
  history: History,
  supplierPurchaseId: number,
): SupplierPurchaseEnd | undefined {
  if (state.supplierPurchases.get(supplierPurchaseId) !== undefined) return undefined;
  return (
    state.supplierPurchaseEnds.get(supplierPurchaseId) ?? history.supplierPurchaseEnd(supplierPurchaseId)
  );
}

/** The end of a supplier purchase as `endOf` has it, by the supplier's reference. */
export function endOfReference(
  state: State,
  history: History,
  reference: string,
): SupplierPurchaseEnd | undefined {
  const supplierPurchaseId = supplierPurchaseIdIn(reference);
  const end = supplierPurchaseId === undefined ? undefined : endOf(state, history, supplierPurchaseId);
  return end?.supplierPurchase.reference === reference ? end : undefined;
}

/** The history of an empty node. */
export const noHistory: History = {
  purchaseOutcome: () => undefined,
  creditOutcome: () => undefined,
  call: () => undefined,
  order: () => undefined,
  lastOrderId: () => 0,
  spentSince: () => [],
  lot: () => undefined,
  supplierPurchaseEnd: () => undefined,
  lotsOf: () => [],
};
