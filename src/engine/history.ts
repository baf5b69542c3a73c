/**
 * The port through which the engine looks up what memory no longer holds.
 *
 * Synchronous, because `decide` must not wait between reading the state and changing it. It answers from the
 * checkpoint only; what is younger is in the state's own tables, which are asked first.
 */
import type { CreditOutcome } from './idempotency.ts';
import type { Order, PurchaseOutcome } from './orders.ts';

export interface History {
  purchaseOutcome(accountId: number, idempotencyKey: string): PurchaseOutcome | undefined;
  creditOutcome(accountId: number, reference: string): CreditOutcome | undefined;
  order(orderId: number): Order | undefined;
}

/** The history of an empty node. */
export const noHistory: History = {
  purchaseOutcome: () => undefined,
  creditOutcome: () => undefined,
  order: () => undefined,
};
