/**
 * Outcomes by account and key, in two generations: `cut` starts a new one, `dropOlder` forgets the one before.
 *
 * A hash table of our own, in which a key is found by the hash that the filter of keys needs anyway. A `Map`
 * would hash each key's text again, twice per purchase, and a map by account and key together would first
 * have to build that text.
 */
import { keyHash } from './key-filter.ts';

interface OfAccount {
  readonly accountId: number;
}

const FIRST_SLOTS = 2 ** 12;

class Generation<Outcome extends OfAccount> {
  readonly outcomes: Outcome[] = [];
  readonly #keys: string[] = [];
  /** Indexes into the lists above, plus one; 0 is free. At least half are free. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #hashes = new Float64Array(FIRST_SLOTS / 2);

  get(hash: number, accountId: number, key: string): Outcome | undefined {
    for (let slot = this.#firstSlot(hash); ; slot = this.#nextSlot(slot)) {
      const index = (this.#slots[slot] ?? 0) - 1;
      if (index < 0) return undefined;
      if (this.#hashes[index] !== hash || this.#keys[index] !== key) continue;
      const outcome = this.outcomes[index];
      if (outcome?.accountId === accountId) return outcome;
    }
  }

  add(hash: number, key: string, outcome: Outcome): void {
    if (this.get(hash, outcome.accountId, key) !== undefined) {
      throw new Error(`key ${key} of account ${outcome.accountId} has an outcome already`);
    }
    const index = this.outcomes.length;
    if (index === this.#hashes.length) this.#grow();
    this.outcomes.push(outcome);
    this.#keys.push(key);
    this.#hashes[index] = hash;
    this.#occupy(hash, index);
  }

  #occupy(hash: number, index: number): void {
    let slot = this.#firstSlot(hash);
    while (this.#slots[slot] !== 0) slot = this.#nextSlot(slot);
    this.#slots[slot] = index + 1;
  }

  #grow(): void {
    const hashes = new Float64Array(this.#hashes.length * 2);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let index = 0; index < this.outcomes.length; index += 1) this.#occupy(hashes[index] ?? 0, index);
  }

  #firstSlot(hash: number): number {
    return (hash >>> 0) & (this.#slots.length - 1);
  }

  #nextSlot(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }
}

export class RecentKeys<Outcome extends OfAccount> {
  #older = new Generation<Outcome>();
  #current = new Generation<Outcome>();

  get size(): number {
    return this.#older.outcomes.length + this.#current.outcomes.length;
  }

  get(accountId: number, key: string): Outcome | undefined {
    const hash = keyHash(accountId, key);
    return this.#current.get(hash, accountId, key) ?? this.#older.get(hash, accountId, key);
  }

  /** Of an account's key that has no outcome yet; `hash` is its `keyHash`. */
  add(hash: number, key: string, outcome: Outcome): void {
    this.#current.add(hash, key, outcome);
  }

  /** In the order in which they came. */
  *values(): IterableIterator<Outcome> {
    yield* this.#older.outcomes;
    yield* this.#current.outcomes;
  }

  /** Starts a new generation. The one before must have been dropped. */
  cut(): void {
    if (this.#older.outcomes.length > 0) {
      throw new Error('a generation was cut before the one before it was dropped');
    }
    this.#older = this.#current;
    this.#current = new Generation();
  }

  dropOlder(): void {
    this.#older = new Generation();
  }
}
