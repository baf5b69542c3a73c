/**
 * A table whose older rows are in run files: rows that came lately are in the database, and count before the older
 * ones.
 *
 * Invariant: the database is looked into first (`run-set.ts`). A row that is removed while a run has one with its key
 * leaves a tombstone in the database: an empty row, which no other row of such a table is.
 */
import type { GetOptions, RangeOptions } from 'lmdb';
import type { LmdbTable, Table, TableEntry } from '../lmdb/lmdb-table.ts';
import { mergedRows } from './row-merge.ts';
import type { RunSet } from './run-set.ts';

const TOMBSTONE = Buffer.alloc(0);

/** The hash of a key: a whole number below 2^53 that is mixed well. */
export type HashOf = (key: Buffer) => number;

export interface TierOptions {
  readonly hashOf?: HashOf;
}

export class TieredTable implements Table {
  readonly name: string;
  /** The table of rows in the database alone. */
  readonly young: LmdbTable;
  /** Where keys are mostly looked for in vain: then each run has a filter of them. */
  readonly hashOf: HashOf | undefined;
  readonly #runs: RunSet;

  constructor(name: string, young: LmdbTable, runs: RunSet, { hashOf }: TierOptions = {}) {
    this.name = name;
    this.young = young;
    this.hashOf = hashOf;
    this.#runs = runs;
  }

  get(key: Buffer, options?: GetOptions): Buffer | undefined {
    const row = this.young.get(key, options) ?? this.#old(key);
    return row === undefined || row.length === 0 ? undefined : row;
  }

  read<Result>(key: Buffer, decode: (row: Buffer) => Result): Result | undefined {
    let result: Result | undefined;
    const look = (row: Buffer) => {
      if (row.length > 0) result = decode(row);
    };
    const young = this.young.get(key);
    if (young === undefined) this.#findOld(key, look);
    else look(young);
    return result;
  }

  doesExist(key: Buffer): boolean {
    return this.read(key, () => true) ?? false;
  }

  *getRange(range: RangeOptions = {}): IterableIterator<TableEntry> {
    const { limit = Number.POSITIVE_INFINITY, ...bounds } = range;
    let count = 0;
    if (count >= limit) return;
    for (const row of this.#rows(bounds)) {
      if (row.value.length === 0) continue;
      yield row;
      count += 1;
      if (count >= limit) return;
    }
  }

  *getKeys(range?: RangeOptions): IterableIterator<Buffer> {
    for (const { key } of this.getRange(range)) yield key;
  }

  getKeysCount(range?: RangeOptions): number {
    let count = 0;
    for (const _row of this.getRange(range)) count += 1;
    return count;
  }

  /** How many rows there are at most: one that was written again, or removed, may count twice. */
  get size(): number {
    return this.#runs.of(this.name).reduce((sum, { rows }) => sum + rows, this.young.size);
  }

  put(key: Buffer, value: Buffer): Promise<boolean> {
    return this.young.put(key, value);
  }

  putSync(key: Buffer, value: Buffer): void {
    this.young.putSync(key, value);
  }

  remove(key: Buffer): Promise<boolean> {
    return this.#findOld(key) ? this.young.put(key, TOMBSTONE) : this.young.remove(key);
  }

  removeSync(key: Buffer): void {
    if (this.#findOld(key)) this.young.putSync(key, TOMBSTONE);
    else this.young.removeSync(key);
  }

  /** A copy. */
  #old(key: Buffer): Buffer | undefined {
    let row: Buffer | undefined;
    this.#findOld(key, (value) => {
      row = Buffer.from(value);
    });
    return row;
  }

  /** Whether a run has a row with the key, or a tombstone; `look` gets the youngest one's. */
  #findOld(key: Buffer, look: (row: Buffer) => void = () => {}): boolean {
    const hash = this.hashOf?.(key);
    for (const file of this.#runs.of(this.name)) {
      if (hash !== undefined && !file.mayHave(hash)) continue;
      if (file.find(key, look)) return true;
    }
    return false;
  }

  /** Rows of the database and of run files, with tombstones. */
  #rows(range: RangeOptions): Iterable<TableEntry> {
    const young = this.young.getRange(range);
    const files = this.#runs.of(this.name);
    if (files.length === 0) return young;
    const { start, end, reverse } = range as { start?: Buffer; end?: Buffer; reverse?: boolean };
    return mergedRows([young, ...files.map((file) => file.range({ start, end, reverse }))], reverse);
  }
}
