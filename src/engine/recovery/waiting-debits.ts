/**
 * Debits of recovered orders that wait: their wallets had not the money, because a credit was lost with the order.
 *
 * Invariant: an order has at most one, of all that it cost, and nothing of it was moved; it leaves the table by the
 * fact that moves it. Rejected: a wallet below zero, which every reader of balances would have to know of.
 */
import type { ChangedRows } from '../apply/changed-rows.ts';

export interface WaitingDebit {
  readonly orderId: number;
  readonly accountId: number;
  readonly productId: number;
  /** More than 0. */
  readonly amountMicros: number;
  /** Unix milliseconds. */
  readonly sinceMs: number;
}

export class WaitingDebits {
  /** By order. */
  readonly #byOrder = new Map<number, WaitingDebit>();
  readonly #changed: ChangedRows;

  constructor(changed: ChangedRows) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#byOrder.size;
  }

  get(orderId: number): WaitingDebit | undefined {
    return this.#byOrder.get(orderId);
  }

  /** In the order in which they came; after a start by order. */
  values(): IterableIterator<WaitingDebit> {
    return this.#byOrder.values();
  }

  add(debit: WaitingDebit): void {
    this.#changed.note(debit.orderId);
    this.#byOrder.set(debit.orderId, debit);
  }

  delete(orderId: number): void {
    this.#changed.note(orderId);
    this.#byOrder.delete(orderId);
  }
}
