/**
 * Rows of one table that a fold collects: numbers side by side, values one behind the other. They are sorted by numbers
 * and written once. Arrays are kept from fold to fold.
 */

import { ByteWriter } from '../codec/byte-writer.ts';
import { compareKeys, type StoreTable } from './store-table.ts';
import type { TableWriter } from './table-writer.ts';

const FIRST_ROWS = 2 ** 12;
/** In what is sorted, a row's place has the low bits. */
const PLACE_BITS = 20;
const PLACES = 2 ** PLACE_BITS;
const FULL_ROWS = PLACES / 2;
const NUMBER_BITS = 53;
const ENDED = 2 ** 31;

export class RowBatch {
  readonly table: StoreTable;
  readonly values = new ByteWriter(4 * 1024);
  #a = new Float64Array(FIRST_ROWS);
  #b = new Float64Array(FIRST_ROWS);
  /** Where a row's value ends; plus `ENDED` for a tombstone. */
  #ends = new Float64Array(FIRST_ROWS);
  #count = 0;
  #isSorted = true;
  #maxA = 0;

  constructor(table: StoreTable) {
    this.table = table;
  }

  /** The rows of one more group of facts may be too many. */
  get isFull(): boolean {
    return this.#count >= FULL_ROWS;
  }

  /** The row's value is what was written to `values` since the last row. The last row counts where several have one key. */
  add(a: number, b = 0, ends = false): void {
    const at = this.#count;
    if (at === this.#a.length) this.#grow();
    if (at > 0) {
      const lastA = this.#a[at - 1] ?? 0;
      if (a < lastA || (a === lastA && b <= (this.#b[at - 1] ?? 0))) this.#isSorted = false;
    }
    if (a > this.#maxA) this.#maxA = a;
    this.#a[at] = a;
    this.#b[at] = b;
    this.#ends[at] = this.values.length + (ends ? ENDED : 0);
    this.#count = at + 1;
  }

  /** Writes all rows, which are then forgotten. */
  write(writer: TableWriter): void {
    const count = this.#count;
    if (count === 0) return;
    writer.begin(this.table, count);
    const places = this.#isSorted ? undefined : this.#sorted();
    const bytes = this.values.view();
    for (let index = 0; index < count; index += 1) {
      const at = places === undefined ? index : (places[index] ?? 0);
      const a = this.#a[at] ?? 0;
      const b = this.#b[at] ?? 0;
      if (places !== undefined && index + 1 < count) {
        const next = places[index + 1] ?? 0;
        if (this.#a[next] === a && this.#b[next] === b) continue;
      }
      const end = this.#ends[at] ?? 0;
      const before = at === 0 ? 0 : (this.#ends[at - 1] ?? 0);
      const start = before >= ENDED ? before - ENDED : before;
      writer.add(a, b, bytes, start, end >= ENDED ? start - 1 : end);
    }
    writer.end();
    this.clear();
  }

  clear(): void {
    this.#count = 0;
    this.#isSorted = true;
    this.#maxA = 0;
    this.values.reset();
  }

  /**
   * Places of the rows in their order. One number a row is sorted: its `a` above its place, or the high bits of `a` where
   * it is too wide for that. Rows that are alike so far are put in order one by one: they are few, or in order nearly.
   */
  #sorted(): Uint32Array {
    const count = this.#count;
    const width = Math.ceil(Math.log2(this.#maxA + 1));
    const scale = 2 ** Math.max(0, width + PLACE_BITS - NUMBER_BITS);
    const numbers = new Float64Array(count);
    for (let at = 0; at < count; at += 1) numbers[at] = Math.floor((this.#a[at] ?? 0) / scale) * PLACES + at;
    numbers.sort();
    const places = new Uint32Array(count);
    for (let index = 0; index < count; index += 1) {
      const number = numbers[index] ?? 0;
      places[index] = number - Math.floor(number / PLACES) * PLACES;
    }
    let moves = 0;
    for (let index = 1; index < count; index += 1) {
      const place = places[index] ?? 0;
      let to = index;
      while (to > 0 && this.#compare(places[to - 1] ?? 0, place) > 0) {
        places[to] = places[to - 1] ?? 0;
        to -= 1;
        moves += 1;
      }
      places[to] = place;
      if (moves > 64 * count) return places.sort((one, other) => this.#compare(one, other));
    }
    return places;
  }

  #compare(one: number, other: number): number {
    const order = compareKeys(this.#a[one] ?? 0, this.#b[one] ?? 0, this.#a[other] ?? 0, this.#b[other] ?? 0);
    return order === 0 ? one - other : order;
  }

  #grow(): void {
    this.#a = grown(this.#a);
    this.#b = grown(this.#b);
    this.#ends = grown(this.#ends);
  }
}

function grown(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(2 * numbers.length);
  longer.set(numbers);
  return longer;
}
