/**
 * Writes the rows of several files to one, in parts. The youngest file's row counts where several have one key; sums are added.
 *
 * A block whose rows all come before what the other files have is copied as it is, and rows that follow each other in a
 * block are copied together: orders, which come in their order, cost hardly more than their bytes.
 */
import { ByteWriter } from '../codec/byte-writer.ts';
import { BlockCursor } from './block-cursor.ts';
import { compareKeys, type StoreTable } from './store-table.ts';
import { addTo, writeSums } from './sums.ts';
import type { BlockPlace, TableFile, TablePart } from './table-file.ts';
import { BLOCK_BYTES, type TableWriter } from './table-writer.ts';

/** A file on its way through one table. */
class MergeSource {
  readonly cursor = new BlockCursor();
  readonly #file: TableFile;
  readonly #table: StoreTable;
  readonly #part: TablePart;
  /** The block that the cursor is in, or, when it is in none, the next one. */
  #place: BlockPlace | undefined;
  readonly #bytes = Buffer.allocUnsafeSlow(64 * 1024);
  isOpen = false;
  /** The next row's key. */
  a: number;
  b: number;
  /** Bytes that were read. */
  read = 0;

  constructor(file: TableFile, table: StoreTable, part: TablePart) {
    this.#file = file;
    this.#table = table;
    this.#part = part;
    this.#place = file.placeOf(table, part.firstA, part.firstB);
    this.a = part.firstA;
    this.b = part.firstB;
  }

  get isAtEnd(): boolean {
    return this.#place === undefined;
  }

  /** Copies the next block as it is when all of it is below the limit; false when it can't be. */
  copyBlock(writer: TableWriter, limitA: number, limitB: number): boolean {
    const place = this.#place as BlockPlace;
    const names = this.#file.names(place.top);
    const length = names.lengths[place.at] ?? 0;
    if (length < BLOCK_BYTES / 2) return false;
    const next = this.#next();
    const part = this.#part;
    const nextNames = next && this.#file.names(next.top);
    // Its rows are below the next block's first one.
    const isBelow =
      next === undefined
        ? compareKeys(part.lastA, part.lastB, limitA, limitB) < 0
        : compareKeys(nextNames?.a[next.at] ?? 0, nextNames?.b[next.at] ?? 0, limitA, limitB) <= 0;
    if (!isBelow) return false;
    const a = names.a[place.at] ?? 0;
    const b = names.b[place.at] ?? 0;
    const [lastA, lastB] = next === undefined ? [part.lastA, part.lastB] : [a, b];
    const sum = names.sums[place.at] ?? 0;
    const rows = names.rows[place.at] ?? 0;
    writer.addBlock(this.#file.block(place, this.#bytes), { sum, rows, a, b, lastA, lastB });
    this.read += length;
    this.#leave(next);
    return true;
  }

  /** The cursor is at the next row. */
  openBlock(): void {
    const bytes = this.#file.block(this.#place as BlockPlace, this.#bytes);
    this.read += bytes.length;
    this.cursor.open(this.#table, bytes);
    this.cursor.next();
    this.isOpen = true;
  }

  /** Passes over the row at the cursor. */
  pass(): void {
    if (!this.isOpen) this.openBlock();
    this.moved(this.cursor.next());
  }

  /** The cursor has moved on; `has`: to a row. */
  moved(has: boolean): void {
    if (has) {
      this.a = this.cursor.a;
      this.b = this.cursor.b;
    } else this.#leave(this.#next());
  }

  #next(): BlockPlace | undefined {
    const next = this.#file.next(this.#place as BlockPlace);
    return next && this.#file.names(next.top).tables[next.at] === this.#table.number ? next : undefined;
  }

  #leave(next: BlockPlace | undefined): void {
    this.isOpen = false;
    this.#place = next;
    if (next === undefined) return;
    const names = this.#file.names(next.top);
    this.a = names.a[next.at] ?? 0;
    this.b = names.b[next.at] ?? 0;
  }
}

export interface MergeOptions {
  /** All tables that the files may have, by their numbers. */
  readonly tables: readonly StoreTable[];
  /** No other file is older, so tombstones need not be kept. */
  readonly isOldest: boolean;
  /** About so much is read between two parts. */
  readonly stepBytes: number;
}

/** `files`: the youngest first. */
export function* mergeFiles(
  files: readonly TableFile[],
  writer: TableWriter,
  { tables, isOldest, stepBytes }: MergeOptions,
): IterableIterator<undefined> {
  let behind = 0;
  for (const table of tables) {
    const sources: MergeSource[] = [];
    let rows = 0;
    for (const file of files) {
      const part = file.part(table);
      if (part === undefined) continue;
      rows += part.rows;
      sources.push(new MergeSource(file, table, part));
    }
    if (rows === 0) continue;
    writer.begin(table, rows);
    const drops = isOldest && table.ends;
    while (sources.length > 0) {
      const read = mergeRun(table, sources, writer, drops);
      behind += read;
      if (behind < stepBytes) continue;
      yield;
      behind = 0;
    }
    writer.end();
  }
}

const scratch = new ByteWriter(256);

/** Rows of the source that comes first, until another one comes. Returns how much was read. */
function mergeRun(table: StoreTable, sources: MergeSource[], writer: TableWriter, drops: boolean): number {
  let best = sources[0] as MergeSource;
  let hasTwins = false;
  let limitA = Number.POSITIVE_INFINITY;
  let limitB = 0;
  for (let at = 1; at < sources.length; at += 1) {
    const source = sources[at] as MergeSource;
    const order = compareKeys(source.a, source.b, best.a, best.b);
    if (order === 0) {
      hasTwins = true;
    } else if (order < 0) {
      limitA = best.a;
      limitB = best.b;
      best = source;
      hasTwins = false;
    } else if (compareKeys(source.a, source.b, limitA, limitB) < 0) {
      limitA = source.a;
      limitB = source.b;
    }
  }
  const before = best.read;
  if (hasTwins) mergeTwins(table, sources, best, writer, drops);
  else if (best.isOpen || drops || table.isFiltered || !best.copyBlock(writer, limitA, limitB)) {
    if (!best.isOpen) best.openBlock();
    const { cursor } = best;
    if (drops && cursor.valueEnd < cursor.valueStart) best.moved(cursor.next());
    else if (drops) {
      writer.add(cursor.a, cursor.b, cursor.bytes, cursor.valueStart, cursor.valueEnd);
      best.moved(cursor.next());
    } else best.moved(writer.addFrom(cursor, limitA, limitB));
  }
  for (let at = sources.length - 1; at >= 0; at -= 1) if (sources[at]?.isAtEnd) sources.splice(at, 1);
  return best.read - before;
}

function mergeTwins(
  table: StoreTable,
  sources: readonly MergeSource[],
  { a, b }: MergeSource,
  writer: TableWriter,
  drops: boolean,
): void {
  const sums: number[] = [];
  let isFirst = true;
  for (const source of sources) {
    if (source.a !== a || source.b !== b) continue;
    if (!source.isOpen) source.openBlock();
    const { cursor } = source;
    if (table.adds) addTo(sums, cursor.bytes.subarray(cursor.valueStart, cursor.valueEnd));
    else if (isFirst && !(drops && cursor.valueEnd < cursor.valueStart))
      writer.add(a, b, cursor.bytes, cursor.valueStart, cursor.valueEnd);
    isFirst = false;
    source.pass();
  }
  if (!table.adds) return;
  scratch.reset();
  writeSums(scratch, sums);
  writer.add(a, b, scratch.view(), 0, scratch.length);
}
