/**
 * Which outcome a key already has: purchases by `Idempotency-Key`, wallet credits by `reference`.
 *
 * Keys belong to the account and never expire (SPEC.md §4). Memory holds those that are younger than the
 * checkpoint, in two generations like `RecentTable`; the others are looked up through the `History` port. A
 * map per account, because one map by account and key together would build and hash a new string for every
 * look-up.
 */
import type { PurchaseOutcome } from './orders.ts';

export interface CreditOutcome {
  readonly accountId: number;
  readonly reference: string;
  /** Negative when the operator adjusted down. */
  readonly amountMicros: number;
  readonly balanceAfterMicros: number;
}

type Generation<Outcome> = Map<number, Map<string, Outcome>>;

export class RecentKeys<Outcome> {
  #older: Generation<Outcome> = new Map();
  #current: Generation<Outcome> = new Map();
  #olderSize = 0;
  #currentSize = 0;

  get size(): number {
    return this.#olderSize + this.#currentSize;
  }

  get(accountId: number, key: string): Outcome | undefined {
    return this.#current.get(accountId)?.get(key) ?? this.#older.get(accountId)?.get(key);
  }

  /** Of an account's key that has no outcome yet. */
  set(accountId: number, key: string, outcome: Outcome): void {
    const ofAccount = this.#current.get(accountId);
    if (ofAccount === undefined) this.#current.set(accountId, new Map([[key, outcome]]));
    else ofAccount.set(key, outcome);
    this.#currentSize += 1;
  }

  *values(): IterableIterator<Outcome> {
    for (const generation of [this.#older, this.#current]) {
      for (const ofAccount of generation.values()) yield* ofAccount.values();
    }
  }

  /** Starts a new generation. The one before must have been dropped. */
  cut(): void {
    if (this.#olderSize > 0) throw new Error('a generation was cut before the one before it was dropped');
    this.#older = this.#current;
    this.#olderSize = this.#currentSize;
    this.#current = new Map();
    this.#currentSize = 0;
  }

  dropOlder(): void {
    this.#older = new Map();
    this.#olderSize = 0;
  }
}

export class Idempotency {
  readonly purchases = new RecentKeys<PurchaseOutcome>();
  readonly credits = new RecentKeys<CreditOutcome>();

  get size(): number {
    return this.purchases.size + this.credits.size;
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
