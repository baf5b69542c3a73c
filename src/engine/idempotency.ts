/**
 * Which outcome a key already has: purchases by `Idempotency-Key`, wallet credits by `reference`.
 *
 * Keys belong to the account and never expire (SPEC.md §4). Memory holds those that are younger than the
 * checkpoint, in two generations like `RecentOrders`; the others are looked up through the `History` port.
 */
import { type KeyFilter, keyHash } from './key-filter.ts';
import type { PurchaseOutcome } from './orders.ts';
import { RecentKeys } from './recent-keys.ts';

export interface CreditOutcome {
  readonly accountId: number;
  readonly reference: string;
  /** Negative when the operator adjusted down. */
  readonly amountMicros: number;
  readonly balanceAfterMicros: number;
}

export class Idempotency {
  readonly purchases = new RecentKeys<PurchaseOutcome>();
  readonly credits = new RecentKeys<CreditOutcome>();
  /** Of the purchases' keys; without one every key is looked for. */
  readonly #filter: KeyFilter | undefined;

  constructor(filter?: KeyFilter) {
    this.#filter = filter;
  }

  get size(): number {
    return this.purchases.size + this.credits.size;
  }

  /** False when the account's key surely has no outcome, here or in the checkpoint. */
  mayHavePurchase(accountId: number, key: string): boolean {
    return this.#filter?.mayHave(keyHash(accountId, key)) ?? true;
  }

  addPurchase(outcome: PurchaseOutcome): void {
    const hash = keyHash(outcome.accountId, outcome.idempotencyKey);
    this.#filter?.add(hash);
    this.purchases.add(hash, outcome.idempotencyKey, outcome);
  }

  addCredit(credit: CreditOutcome): void {
    this.credits.add(keyHash(credit.accountId, credit.reference), credit.reference, credit);
  }

  cut(): void {
    this.purchases.cut();
    this.credits.cut();
  }

  dropOlder(): void {
    this.purchases.dropOlder();
    this.credits.dropOlder();
  }
}
