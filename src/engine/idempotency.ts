/**
 * Which outcome a key already has: purchases by `Idempotency-Key`, wallet credits by `reference`.
 *
 * Keys belong to the account and never expire (SPEC.md §4). Memory holds those that are younger than the
 * checkpoint, in two generations like `RecentOrders`; the others are looked up through the `History` port.
 * One map by the key alone, in which accounts that chose the same key share an entry: that is rare, and a map
 * by account and key together would build and hash a new string for every look-up.
 */
import { type KeyFilter, keyHash } from './key-filter.ts';
import type { PurchaseOutcome } from './orders.ts';

export interface CreditOutcome {
  readonly accountId: number;
  readonly reference: string;
  /** Negative when the operator adjusted down. */
  readonly amountMicros: number;
  readonly balanceAfterMicros: number;
}

interface OfAccount {
  readonly accountId: number;
}

/** The outcome of a key, or those of all accounts that chose it. */
type Entry<Outcome> = Outcome | Outcome[];

export class RecentKeys<Outcome extends OfAccount> {
  #older = new Map<string, Entry<Outcome>>();
  #current = new Map<string, Entry<Outcome>>();
  #olderSize = 0;
  #currentSize = 0;

  get size(): number {
    return this.#olderSize + this.#currentSize;
  }

  get(accountId: number, key: string): Outcome | undefined {
    return find(this.#current.get(key), accountId) ?? find(this.#older.get(key), accountId);
  }

  /** Of an account's key that has no outcome yet. */
  set(key: string, outcome: Outcome): void {
    const others = this.#current.get(key);
    if (others === undefined) this.#current.set(key, outcome);
    else if (Array.isArray(others)) others.push(outcome);
    else this.#current.set(key, [others, outcome]);
    this.#currentSize += 1;
  }

  *values(): IterableIterator<Outcome> {
    for (const generation of [this.#older, this.#current]) {
      for (const entry of generation.values()) {
        if (Array.isArray(entry)) yield* entry;
        else yield entry;
      }
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

function find<Outcome extends OfAccount>(
  entry: Entry<Outcome> | undefined,
  accountId: number,
): Outcome | undefined {
  if (entry === undefined) return undefined;
  if (Array.isArray(entry)) return entry.find((outcome) => outcome.accountId === accountId);
  return entry.accountId === accountId ? entry : undefined;
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
    this.#filter?.add(keyHash(outcome.accountId, outcome.idempotencyKey));
    this.purchases.set(outcome.idempotencyKey, outcome);
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
