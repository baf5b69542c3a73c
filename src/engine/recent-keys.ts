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
    return this.outcomes[this.#indexAt(this.#slotOf(hash, accountId, key))];
  }

  add(hash: number, key: string, outcome: Outcome): void {
    const { accountId } = outcome;
    const index = this.outcomes.length;
    if (index === this.#hashes.length) this.#grow();
    const slot = this.#slotOf(hash, accountId, key);
    if (this.#slots[slot] !== 0) throw new Error(`key ${key} of account ${accountId} has an outcome already`);
    this.outcomes.push(outcome);
    this.#keys.push(key);
    this.#hashes[index] = hash;
    this.#slots[slot] = index + 1;
  }

  /** Where the account's key is, or the free slot where it belongs. */
  #slotOf(hash: number, accountId: number, key: string): number {
    for (let slot = this.#firstSlot(hash); ; slot = this.#nextSlot(slot)) {
      const index = this.#indexAt(slot);
      if (index < 0) return slot;
      if (this.#hashes[index] !== hash || this.#keys[index] !== key) continue;
      if (this.outcomes[index]?.accountId === accountId) return slot;
    }
  }

  /** -1 when the slot is free. */
  #indexAt(slot: number): number {
    return (this.#slots[slot] ?? 0) - 1;
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
