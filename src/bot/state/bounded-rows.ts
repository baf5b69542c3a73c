/**
 * Rows of a table that are few enough to be in memory too, numbered as they came. Beyond `most`, the oldest goes.
 *
 * Writes belong into a transaction of the file. One that fails ends the bot, so memory needs no way back.
 */
import type { LmdbTable } from '../../persistence/lmdb/lmdb-environment.ts';

export class BoundedRows<Row> {
  readonly #table: LmdbTable;
  readonly #most: number;
  readonly #onGone: (row: Row) => void;
  /** The oldest first. */
  readonly #rows = new Map<number, Row>();
  #next = 1;

  /** `onGone` hears of each row that isn't there any more. */
  constructor(table: LmdbTable, most = Number.POSITIVE_INFINITY, onGone: (row: Row) => void = () => {}) {
    this.#table = table;
    this.#most = most;
    this.#onGone = onGone;
    for (const { key, value } of table.getRange({})) {
      const number = Number(key.readBigUInt64BE());
      this.#rows.set(number, JSON.parse(value.toString()));
      this.#next = number + 1;
    }
  }

  get size(): number {
    return this.#rows.size;
  }

  entries(): IterableIterator<[number, Row]> {
    return this.#rows.entries();
  }

  get(number: number): Row | undefined {
    return this.#rows.get(number);
  }

  add(row: Row): number {
    const number = this.#next;
    this.#next += 1;
    this.set(number, row);
    for (const [oldest] of this.#rows) {
      if (this.#rows.size <= this.#most) break;
      this.remove(oldest);
    }
    return number;
  }

  set(number: number, row: Row): void {
    this.#table.putSync(keyOf(number), Buffer.from(JSON.stringify(row)));
    this.#rows.set(number, row);
  }

  remove(number: number): void {
    const row = this.#rows.get(number);
    if (row === undefined) return;
    this.#table.removeSync(keyOf(number));
    this.#rows.delete(number);
    this.#onGone(row);
  }

  clear(): void {
    for (const number of [...this.#rows.keys()]) this.remove(number);
  }
}

function keyOf(number: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  key.writeBigUInt64BE(BigInt(number));
  return key;
}
