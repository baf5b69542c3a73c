/**
 * Outcomes of purchases' keys, by hash, in two generations.
 *
 * A hash table of our own that holds numbers and nothing else, so that tens of thousands of keys are no work for
 * the garbage collector: the hash that the filter of keys needs anyway, and a `key-ref.ts`. Whether two keys with
 * one hash are the same is the owner's to say, who has their texts. Rejected: a `Map`, which would hash each key's
 * text again, twice per purchase.
 */
import { Generations } from './generations.ts';
import { emptied, grown } from './kept-room.ts';

/** Whether what `ref` refers to was asked for by the account with the key. */
export type IsKeyOf = (ref: number, accountId: number, key: string) => boolean;

const FIRST_KEYS = 2 ** 11;

class KeyTable {
  size = 0;
  readonly #isKeyOf: IsKeyOf;
  /** Indexes into the lists below, plus one; 0 is free. At least half are free. */
  #slots = new Uint32Array(FIRST_KEYS * 2);
  #hashes = new Float64Array(FIRST_KEYS);
  #refs = new Float64Array(FIRST_KEYS);

  constructor(isKeyOf: IsKeyOf) {
    this.#isKeyOf = isKeyOf;
  }

  get(hash: number, accountId: number, key: string): number | undefined {
    return this.#refs[this.#indexAt(this.#slotOf(hash, accountId, key))];
  }

  add(hash: number, accountId: number, key: string, ref: number): void {
    const index = this.size;
    if (index === this.#hashes.length) this.#grow();
    const slot = this.#slotOf(hash, accountId, key);
    if (this.#slots[slot] !== 0) throw new Error(`key ${key} of account ${accountId} has an outcome already`);
    this.#hashes[index] = hash;
    this.#refs[index] = ref;
    this.#slots[slot] = index + 1;
    this.size += 1;
  }

  clear(): void {
    this.#hashes = emptied(this.#hashes, this.size, FIRST_KEYS);
    this.#refs = emptied(this.#refs, this.size, FIRST_KEYS);
    this.#slots = emptied(this.#slots, this.size * 2, FIRST_KEYS * 2).fill(0);
    this.size = 0;
  }

  /** Where the account's key is, or the free slot where it belongs. */
  #slotOf(hash: number, accountId: number, key: string): number {
    for (let slot = this.#firstSlot(hash); ; slot = this.#nextSlot(slot)) {
      const index = this.#indexAt(slot);
      if (index < 0) return slot;
      if (this.#hashes[index] === hash && this.#isKeyOf(this.#refs[index] ?? 0, accountId, key)) return slot;
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
    this.#hashes = grown(this.#hashes);
    this.#refs = grown(this.#refs);
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let index = 0; index < this.size; index += 1) this.#occupy(this.#hashes[index] ?? 0, index);
  }

  #firstSlot(hash: number): number {
    return (hash >>> 0) & (this.#slots.length - 1);
  }

  #nextSlot(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }
}

export class RecentKeys extends Generations<KeyTable> {
  constructor(isKeyOf: IsKeyOf) {
    super(() => new KeyTable(isKeyOf));
  }

  /** `hash` is the key's `keyHash`. */
  get(hash: number, accountId: number, key: string): number | undefined {
    return this.current.get(hash, accountId, key) ?? this.older.get(hash, accountId, key);
  }

  /** Adds an account's key that has no outcome yet. */
  add(hash: number, accountId: number, key: string, ref: number): void {
    this.current.add(hash, accountId, key, ref);
  }
}
