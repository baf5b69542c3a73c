/**
 * Reads the store: all files of a list as one table each. Synchronous, without a lock, in any thread: files don't change,
 * and those that are open stay readable when others have taken their place. `refresh` follows the list.
 */

import { codeOf } from '../../shared/error-code.ts';
import { Slices } from '../../shared/slices.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { DamagedFileError } from '../lmdb/damaged-file.ts';
import { BlockCursor } from './block-cursor.ts';
import { type FileList, readFileList, tablePath } from './file-list.ts';
import { compareKeys, type StoreTable } from './store-table.ts';
import { addTo, writeSums } from './sums.ts';
import { type BlockPlace, TableFile } from './table-file.ts';

export interface StoreRow {
  readonly a: number;
  readonly b: number;
  /** Valid until the next row is asked for. */
  readonly value: Uint8Array;
}

/** Rows from a key on, which is one of them, up to another one, which isn't; with `reverse` from above down. */
export interface StoreRange {
  readonly fromA: number;
  readonly fromB?: number;
  readonly toA: number;
  readonly toB?: number;
  readonly reverse?: boolean;
}

const ATTEMPTS = 5;

export class StoreReader {
  readonly #folder: string;
  #list: FileList | undefined;
  /** The youngest first. */
  #files: readonly TableFile[] = [];
  #byNumber = new Map<number, TableFile>();
  /** Open, and not followed yet. */
  readonly #prepared = new Map<number, TableFile>();

  constructor(folder: string) {
    this.#folder = folder;
    this.refresh();
  }

  get list(): FileList {
    return this.#list as FileList;
  }

  get files(): readonly TableFile[] {
    return this.#files;
  }

  close(): void {
    for (const file of [...this.#files, ...this.#prepared.values()]) file.close();
    this.#files = [];
    this.#prepared.clear();
    this.#byNumber.clear();
  }

  /** Throws `DamagedFileError`. */
  refresh(): void {
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#follow(readFileList(this.#folder));
        return;
      } catch (error) {
        // Others took its place since the list was read.
        if (codeOf(error) !== 'ENOENT') throw error;
        const { path = '' } = error as NodeJS.ErrnoException;
        if (attempt === ATTEMPTS) throw new DamagedFileError(path, 'is missing', { cause: error });
      }
    }
  }

  /**
   * `refresh`, for a thread that others must not wait for: filters of `table` are read before, in slices. Rejects with what
   * `refresh` throws.
   */
  async refreshGently(table: StoreTable): Promise<void> {
    const slices = new Slices();
    try {
      for (const listed of readFileList(this.#folder).files) {
        const { number } = listed;
        if (this.#byNumber.has(number) || this.#prepared.has(number)) continue;
        const file = new TableFile(tablePath(this.#folder, number), listed);
        this.#prepared.set(number, file);
        for (const _ of file.loadFilter(table)) if (slices.isFull) await slices.rest();
      }
    } catch (error) {
      // Others may have taken its place meanwhile: then `refresh` finds these.
      if (codeOf(error) !== 'ENOENT') throw error;
    }
    this.refresh();
  }

  /** Has the filters of a table in memory, damage included: else the first question for a hash does. */
  loadFilters(table: StoreTable): void {
    for (const file of this.#files) for (const _ of file.loadFilter(table));
  }

  /** The value of a row; `look` may read it until it returns. */
  get<Result>(
    table: StoreTable,
    a: number,
    b: number,
    look: (value: Uint8Array) => Result,
  ): Result | undefined {
    for (const file of this.#files) {
      const row = file.find(table, a, b);
      if (row === undefined) continue;
      return row.valueEnd < row.valueStart
        ? undefined
        : look(row.bytes.subarray(row.valueStart, row.valueEnd));
    }
    return undefined;
  }

  /** Whether a row with this hash may be there: `false` is certain. Mostly 64 bytes of each file are looked at. */
  mayHave(table: StoreTable, hash: number): boolean {
    for (const file of this.#files) if (file.mayHave(table, hash)) return true;
    return false;
  }

  *range(table: StoreTable, range: StoreRange): IterableIterator<StoreRow> {
    const isOfOneHash = table.isFiltered && range.toA === range.fromA + 1;
    const files = isOfOneHash ? this.#files.filter((file) => file.mayHave(table, range.fromA)) : this.#files;
    const sources = files.map((file) => new RangeSource(file, table, range)).filter((source) => source.has);
    const sign = range.reverse === true ? -1 : 1;
    while (sources.length > 0) {
      let best = sources[0] as RangeSource;
      for (let at = 1; at < sources.length; at += 1) {
        const source = sources[at] as RangeSource;
        if (sign * compareKeys(source.cursor.a, source.cursor.b, best.cursor.a, best.cursor.b) < 0)
          best = source;
      }
      const { a, b } = best.cursor;
      const value = table.adds ? summed(sources, a, b) : best.value;
      if (value !== undefined) yield { a, b, value };
      for (let at = sources.length - 1; at >= 0; at -= 1) {
        const source = sources[at] as RangeSource;
        if (source.cursor.a === a && source.cursor.b === b) source.next();
        if (!source.has) sources.splice(at, 1);
      }
    }
  }

  #opened(number: number): TableFile | undefined {
    return this.#byNumber.get(number) ?? this.#prepared.get(number);
  }

  #follow(list: FileList): void {
    const byNumber = new Map<number, TableFile>();
    try {
      for (const listed of list.files) {
        const { number } = listed;
        byNumber.set(number, this.#opened(number) ?? new TableFile(tablePath(this.#folder, number), listed));
      }
    } catch (error) {
      for (const [number, file] of byNumber) if (this.#opened(number) === undefined) file.close();
      throw error;
    }
    for (const files of [this.#byNumber, this.#prepared])
      for (const [number, file] of files) if (!byNumber.has(number)) file.close();
    this.#prepared.clear();
    this.#byNumber = byNumber;
    this.#files = [...byNumber.values()].reverse();
    this.#list = list;
  }
}

const NOTHING = new Uint8Array(0);
/** Key, and where the value begins and ends. */
const ROW_NUMBERS = 4;

/** One file's rows of a range. */
class RangeSource {
  readonly cursor = new BlockCursor();
  readonly #file: TableFile;
  readonly #table: StoreTable;
  readonly #range: StoreRange;
  #place: BlockPlace | undefined;
  /** In reverse: the rows of the block before the one at the cursor, four numbers each. */
  readonly #rows: number[] = [];
  has = false;

  constructor(file: TableFile, table: StoreTable, range: StoreRange) {
    this.#file = file;
    this.#table = table;
    this.#range = range;
    const part = file.part(table);
    if (part === undefined) return;
    const { fromA, fromB = range.reverse ? Number.MAX_SAFE_INTEGER : 0, toA, toB = 0 } = range;
    const isBeside = range.reverse
      ? compareKeys(fromA, fromB, part.firstA, part.firstB) < 0 ||
        compareKeys(toA, toB, part.lastA, part.lastB) >= 0
      : compareKeys(fromA, fromB, part.lastA, part.lastB) > 0 ||
        compareKeys(toA, toB, part.firstA, part.firstB) <= 0;
    if (isBeside) return;
    this.#place = file.placeOf(table, fromA, fromB);
    this.#open();
    do this.next();
    while (
      this.has &&
      (range.reverse ? -1 : 1) * compareKeys(this.cursor.a, this.cursor.b, fromA, fromB) < 0
    );
  }

  /** Undefined for a tombstone. */
  get value(): Uint8Array | undefined {
    const { bytes, valueStart, valueEnd } = this.cursor;
    if (!this.#table.hasValue) return NOTHING;
    return valueEnd < valueStart ? undefined : bytes.subarray(valueStart, valueEnd);
  }

  next(): void {
    const { reverse = false, toA, toB = 0 } = this.#range;
    while (!(reverse ? this.#back() : this.cursor.next())) {
      const place = this.#place && (reverse ? this.#file.before(this.#place) : this.#file.next(this.#place));
      const isOfTable = place && this.#file.names(place.top).tables[place.at] === this.#table.number;
      this.#place = isOfTable ? place : undefined;
      if (this.#place === undefined) {
        this.has = false;
        return;
      }
      this.#open();
    }
    const order = compareKeys(this.cursor.a, this.cursor.b, toA, toB);
    this.has = reverse ? order > 0 : order < 0;
  }

  #open(): void {
    const { cursor } = this;
    cursor.open(this.#table, this.#file.block(this.#place as BlockPlace));
    if (this.#range.reverse !== true) return;
    const { fromA, fromB = Number.MAX_SAFE_INTEGER } = this.#range;
    this.#rows.length = 0;
    while (cursor.next() && compareKeys(cursor.a, cursor.b, fromA, fromB) <= 0)
      this.#rows.push(cursor.a, cursor.b, cursor.valueStart, cursor.valueEnd);
  }

  #back(): boolean {
    const { cursor } = this;
    const rows = this.#rows;
    const at = rows.length - ROW_NUMBERS;
    if (at < 0) return false;
    cursor.a = rows[at] ?? 0;
    cursor.b = rows[at + 1] ?? 0;
    cursor.valueStart = rows[at + 2] ?? 0;
    cursor.valueEnd = rows[at + 3] ?? 0;
    rows.length = at;
    return true;
  }
}

function summed(sources: readonly RangeSource[], a: number, b: number): Uint8Array {
  const sums: number[] = [];
  for (const source of sources)
    if (source.cursor.a === a && source.cursor.b === b) addTo(sums, source.value ?? NOTHING);
  const out = new ByteWriter(64);
  writeSums(out, sums);
  return out.view();
}
