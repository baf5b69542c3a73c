/**
 * The keys of one transaction of a fold, sorted by hash.
 *
 * A comparison function would take a fifth of the whole fold, so they are sorted as numbers: the upper bits of
 * a hash and the key's index in one double. What is then still out of order has equal upper bits and lies side
 * by side, where an insertion sort puts it right.
 */
import type { RunWriter } from './run-merge.ts';

/** Most keys of one transaction: with the upper bits, their index fits a double. */
const MAX_KEYS = 2 ** 20;
const LOWER_BITS = 2 ** 21;

export class SortedKeys {
  readonly #hashes: number[] = [];
  readonly #refs: number[] = [];

  get count(): number {
    return this.#hashes.length;
  }

  add(hash: number, ref: number): void {
    if (this.count === MAX_KEYS) throw new RangeError(`a transaction of more than ${MAX_KEYS} keys`);
    this.#hashes.push(hash);
    this.#refs.push(ref);
  }

  clear(): void {
    this.#hashes.length = 0;
    this.#refs.length = 0;
  }

  /** Ascending by hash. */
  writeTo(writer: RunWriter): void {
    for (const index of this.#sorted()) writer.add(this.#hashes[index] ?? 0, this.#refs[index] ?? 0);
  }

  /** The indexes of the keys. */
  #sorted(): Uint32Array {
    const sortKeys = Float64Array.from(
      this.#hashes,
      (hash, index) => Math.floor(hash / LOWER_BITS) * MAX_KEYS + index,
    ).sort();
    const indexes = new Uint32Array(sortKeys.length);
    for (const [length, sortKey] of sortKeys.entries()) {
      // Not by `%`, which takes twenty times as long with numbers of this size.
      this.#insert(indexes, length, sortKey - Math.floor(sortKey / MAX_KEYS) * MAX_KEYS);
    }
    return indexes;
  }

  /** Puts `key` behind the first `length` indexes, and before those with a higher hash. */
  #insert(indexes: Uint32Array, length: number, key: number): void {
    const hash = this.#hashes[key] ?? 0;
    let place = length;
    while (place > 0 && (this.#hashes[indexes[place - 1] ?? 0] ?? 0) > hash) {
      indexes[place] = indexes[place - 1] ?? 0;
      place -= 1;
    }
    indexes[place] = key;
  }
}
