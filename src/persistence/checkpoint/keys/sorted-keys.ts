/**
 * The keys of one transaction of a fold, sorted by hash.
 *
 * A comparison function would take a fifth of the whole fold, so they are sorted as numbers: the upper bits of a hash
 * and the key's index in one double. Keys that are then still out of order have equal upper bits and lie side by side,
 * where an insertion sort puts them right.
 */
import type { KeyWriter } from './run-merge.ts';

/** Most keys of one transaction: with the upper bits, their index fits a double. */
const MAX_KEYS = 2 ** 20;
const LOWER_BITS = 2 ** 21;

const FIRST_KEYS = 2 ** 12;

export class SortedKeys {
  #hashes = new Float64Array(FIRST_KEYS);
  #refs = new Float64Array(FIRST_KEYS);
  #sortKeys = new Float64Array(FIRST_KEYS);
  #indexes = new Uint32Array(FIRST_KEYS);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(hash: number, ref: number): void {
    if (this.#count === this.#hashes.length) this.#grow();
    this.#hashes[this.#count] = hash;
    this.#refs[this.#count] = ref;
    this.#count += 1;
  }

  /** Forgets them, and keeps their room. */
  clear(): void {
    this.#count = 0;
  }

  /** Ascending by hash. */
  writeTo(writer: KeyWriter): void {
    this.#sort();
    for (let place = 0; place < this.#count; place += 1) {
      const index = this.#indexes[place] ?? 0;
      writer.add(this.#hashes[index] ?? 0, this.#refs[index] ?? 0);
    }
  }

  #sort(): void {
    const sortKeys = this.#sortKeys.subarray(0, this.#count);
    for (let index = 0; index < sortKeys.length; index += 1) {
      sortKeys[index] = Math.floor((this.#hashes[index] ?? 0) / LOWER_BITS) * MAX_KEYS + index;
    }
    sortKeys.sort();
    for (let index = 0; index < sortKeys.length; index += 1) {
      const sortKey = sortKeys[index] ?? 0;
      // Not by `%`, which takes twenty times as long with numbers of this size.
      this.#insert(index, sortKey - Math.floor(sortKey / MAX_KEYS) * MAX_KEYS);
    }
  }

  /** Puts `key` behind the first `length` indexes, and before those with a higher hash. */
  #insert(length: number, key: number): void {
    const indexes = this.#indexes;
    const hash = this.#hashes[key] ?? 0;
    let place = length;
    while (place > 0 && (this.#hashes[indexes[place - 1] ?? 0] ?? 0) > hash) {
      indexes[place] = indexes[place - 1] ?? 0;
      place -= 1;
    }
    indexes[place] = key;
  }

  #grow(): void {
    const length = this.#hashes.length * 2;
    if (length > MAX_KEYS) throw new RangeError(`a transaction of more than ${MAX_KEYS} keys`);
    const [hashes, refs] = [this.#hashes, this.#refs];
    this.#hashes = new Float64Array(length);
    this.#hashes.set(hashes);
    this.#refs = new Float64Array(length);
    this.#refs.set(refs);
    this.#sortKeys = new Float64Array(length);
    this.#indexes = new Uint32Array(length);
  }
}
