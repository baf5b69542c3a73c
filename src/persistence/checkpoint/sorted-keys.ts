/**
 * The keys of one fold, sorted by hash.
 *
 * A comparison function would take a fifth of the whole fold, so they are sorted as numbers: the upper bits of
 * a hash and the key's index in one double. What is then still out of order has equal upper bits and lies side
 * by side, where an insertion sort puts it right.
 */
import type { RunWriter } from './run-merge.ts';

/** Most keys of one fold: with the upper bits, their index fits a double. */
const MAX_KEYS = 2 ** 20;
const LOWER_BITS = 2 ** 21;

export class SortedKeys {
  readonly #hashes: number[] = [];
  readonly #refs: number[] = [];

  get count(): number {
    return this.#hashes.length;
  }

  add(hash: number, ref: number): void {
    this.#hashes.push(hash);
    this.#refs.push(ref);
  }

  /** Ascending by hash. */
  writeTo(writer: RunWriter): void {
    for (const index of this.#order()) writer.add(this.#hashes[index] ?? 0, this.#refs[index] ?? 0);
  }

  #order(): Uint32Array {
    const { count } = this;
    if (count > MAX_KEYS) throw new RangeError(`a fold of ${count} keys`);
    const places = new Float64Array(count);
    for (let index = 0; index < count; index += 1) {
      places[index] = Math.floor((this.#hashes[index] ?? 0) / LOWER_BITS) * MAX_KEYS + index;
    }
    places.sort();
    const order = new Uint32Array(count);
    for (let index = 0; index < count; index += 1)
      this.#insert(order, index, (places[index] ?? 0) % MAX_KEYS);
    return order;
  }

  /** Puts `key` behind the first `length` of `order`, and before those with a higher hash. */
  #insert(order: Uint32Array, length: number, key: number): void {
    const hash = this.#hashes[key] ?? 0;
    let place = length;
    while (place > 0 && (this.#hashes[order[place - 1] ?? 0] ?? 0) > hash) {
      order[place] = order[place - 1] ?? 0;
      place -= 1;
    }
    order[place] = key;
  }
}
