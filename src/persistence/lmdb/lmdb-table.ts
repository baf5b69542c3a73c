/**
 * One named database of a file: the part of the library's that Purser uses. The table stays valid when the file is
 * opened anew (`lmdb-renewal.ts`).
 *
 * A read begins with the library's snapshot of this tick of the event loop, or makes it; only making it can meet a file
 * that was given up. So ranges are looked at before they are gone through.
 */
import type { Database, GetOptions, RangeOptions } from 'lmdb';
import type { Renewal } from './lmdb-renewal.ts';

export type TableDatabase = Database<Buffer, Buffer>;

export interface TableEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Figures of a table as the library gives them. */
interface TableStats {
  readonly entryCount: number;
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** Runs a function inside one write transaction. */
export type Transact = (work: () => void) => void;

/** The key of a row that no table has. */
export const NO_KEY: Buffer = Buffer.of(0);

/** Rows by key, as most of Purser sees them: of the database alone, or also of run files (`../runs/tiered-table.ts`). */
export interface Table {
  get(key: Buffer, options?: GetOptions): Buffer | undefined;
  /** The result of `decode` for a row, whose bytes are valid until it returns; undefined when there is no such row. */
  read<Result>(key: Buffer, decode: (row: Buffer) => Result): Result | undefined;
  doesExist(key: Buffer): boolean;
  getRange(range?: RangeOptions): Iterable<TableEntry>;
  getKeys(range?: RangeOptions): Iterable<Buffer>;
  getKeysCount(range?: RangeOptions): number;
  /** How many rows it has. */
  readonly size: number;
  /** Inside a transaction it is written with that; otherwise later, as the library sees fit. `flags` are LMDB's own. */
  put(key: Buffer, value: Buffer, flags?: { readonly append: boolean }): Promise<boolean>;
  putSync(key: Buffer, value: Buffer): void;
  remove(key: Buffer): Promise<boolean>;
  removeSync(key: Buffer): void;
}

export class LmdbTable implements Table {
  readonly #open: () => TableDatabase;
  readonly #renewal: Pick<Renewal, 'keep'>;
  #database: TableDatabase | undefined;

  constructor(open: () => TableDatabase, renewal: Pick<Renewal, 'keep'>) {
    this.#open = open;
    this.#renewal = renewal;
    this.#database = renewal.keep(open);
  }

  /** The next use opens it again. */
  letGo(): void {
    this.#database = undefined;
  }

  get(key: Buffer, options?: GetOptions): Buffer | undefined {
    return this.#renewal.keep(() => this.#opened().get(key, options));
  }

  read<Result>(key: Buffer, decode: (row: Buffer) => Result): Result | undefined {
    const row = this.get(key);
    return row && decode(row);
  }

  doesExist(key: Buffer): boolean {
    return this.#renewal.keep(() => this.#opened().doesExist(key));
  }

  getRange(range?: RangeOptions): Iterable<TableEntry> {
    return this.#readable().getRange(range);
  }

  getKeys(range?: RangeOptions): Iterable<Buffer> {
    return this.#readable().getKeys(range);
  }

  getKeysCount(range?: RangeOptions): number {
    return this.#readable().getKeysCount(range);
  }

  get size(): number {
    return this.#stats().entryCount;
  }

  /** Bytes of the pages that its rows are in. */
  get pageBytes(): number {
    const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = this.#stats();
    return pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages);
  }

  put(key: Buffer, value: Buffer, flags?: { readonly append: boolean }): Promise<boolean> {
    // The library's typings name only a version here.
    return this.#opened().put(key, value, flags as unknown as number);
  }

  /** The rows that `write` puts are one transaction, later: all of them or none. */
  batch(write: () => void): Promise<boolean> {
    return this.#opened().batch(write);
  }

  putSync(key: Buffer, value: Buffer): void {
    this.#opened().putSync(key, value);
  }

  remove(key: Buffer): Promise<boolean> {
    return this.#opened().remove(key);
  }

  removeSync(key: Buffer): void {
    this.#opened().removeSync(key);
  }

  /** Removes all rows, inside a transaction. */
  clearSync(): void {
    this.#opened().clearSync();
  }

  #stats(): TableStats {
    return this.#readable().getStats() as TableStats;
  }

  #opened(): TableDatabase {
    this.#database ??= this.#open();
    return this.#database;
  }

  #readable(): TableDatabase {
    this.doesExist(NO_KEY);
    return this.#opened();
  }
}
