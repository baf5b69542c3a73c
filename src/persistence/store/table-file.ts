/**
 * Reads a table file. A block's checksum is looked at when it is read, every time: so nothing need be proved before, and
 * damage that comes later is found as well. The file stays open, and readable when its name is gone.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { codeOf } from '../../shared/error-code.ts';
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import { DamagedFileError, RefusedFileError } from '../lmdb/damaged-file.ts';
import { BlockCursor } from './block-cursor.ts';
import { compareKeys, type StoreTable } from './store-table.ts';
import { TableFilter } from './table-filter.ts';
import { type Extent, TableIndex } from './table-index.ts';
import type { WrittenFile } from './table-writer.ts';

/** Names of blocks that are kept, of one file: 256 blocks each. */
const MAX_KEPT_NAMES = 256;
const REUSED_BYTES = 64 * 1024;
const PIECE_BYTES = 1024 * 1024;

/** Rows of one table in a file. */
export interface TablePart {
  readonly rows: number;
  readonly firstA: number;
  readonly firstB: number;
  readonly lastA: number;
  readonly lastB: number;
  readonly filter: Extent;
}

/** Where a block's name is. */
export interface BlockPlace {
  /** In the upper level. */
  readonly top: number;
  readonly at: number;
}

export class TableFile {
  readonly file: string;
  readonly bytes: number;
  readonly #descriptor: number;
  readonly #top: TableIndex;
  readonly #parts: (TablePart | undefined)[] = [];
  readonly #filters: (TableFilter | undefined)[] = [];
  readonly #kept = new Map<number, TableIndex>();
  readonly #cursor = new BlockCursor();
  readonly #reused = Buffer.allocUnsafeSlow(REUSED_BYTES);
  /** The block in which a row was looked for last: neighbours are mostly asked for together. */
  #last: { readonly top: number; readonly at: number; readonly bytes: Buffer } | undefined;
  #isClosed = false;

  /**
   * Throws `DamagedFileError` when it isn't what its list says, `RefusedFileError` when the system doesn't give it, and
   * `ENOENT`.
   */
  constructor(file: string, { bytes, endBytes, sum }: WrittenFile) {
    this.file = file;
    this.bytes = bytes;
    this.#descriptor = opened(file);
    try {
      const size = this.#size();
      if (size !== bytes) throw this.damage(`has ${size} bytes, and ${bytes} were written`);
      const end = this.read({ offset: size - endBytes, length: endBytes, sum });
      this.#top = this.decoded(() => this.#decodeEnd(end));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    if (!this.#isClosed) closeSync(this.#descriptor);
    this.#isClosed = true;
  }

  part(table: StoreTable): TablePart | undefined {
    return this.#parts[table.number];
  }

  /** False when no row of the table has this hash. The filter is in memory from the first question on. */
  mayHave(table: StoreTable, hash: number): boolean {
    if (this.#parts[table.number] === undefined) return false;
    let filter = this.#filters[table.number];
    if (filter === undefined) {
      for (const _ of this.loadFilter(table));
      filter = this.#filters[table.number];
    }
    return filter?.has(hash) ?? true;
  }

  /** Reads the table's filter, in pieces. Throws what `read` does. */
  *loadFilter(table: StoreTable): IterableIterator<undefined> {
    const extent = this.#parts[table.number]?.filter;
    if (extent === undefined || this.#filters[table.number] !== undefined) return;
    const bytes = Buffer.allocUnsafeSlow(extent.length);
    let sum = 0;
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      if (this.#isClosed) return;
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      this.#fill(piece, extent.offset + at);
      sum = crc32(piece, sum);
      yield;
    }
    if (sum !== extent.sum) throw this.#wrongChecksum(extent);
    this.#filters[table.number] = new TableFilter(bytes);
  }

  get filterBytes(): number {
    return this.#filters.reduce((sum, filter) => sum + (filter?.bytes.length ?? 0), 0);
  }

  /** The row with this key, if it is here; valid until the next call. A tombstone is a row. */
  find(table: StoreTable, a: number, b: number): BlockCursor | undefined {
    const part = this.#parts[table.number];
    if (part === undefined) return undefined;
    if (compareKeys(a, b, part.firstA, part.firstB) < 0 || compareKeys(a, b, part.lastA, part.lastB) > 0)
      return undefined;
    const place = this.placeOf(table, a, b);
    const cursor = this.#cursor;
    cursor.open(table, this.#lastBlock(place));
    return this.decoded(() => {
      while (cursor.next()) {
        if (cursor.a < a || (cursor.a === a && cursor.b < b)) continue;
        return cursor.a === a && cursor.b === b ? cursor : undefined;
      }
      return undefined;
    });
  }

  /** The block in which the key is, or would be; the table's first one when it is before all of its rows. */
  placeOf(table: StoreTable, a: number, b: number): BlockPlace {
    let top = this.#top.indexOf(table.number, a, b);
    let at = top < 0 ? -1 : this.names(top).indexOf(table.number, a, b);
    if (top < 0) top = 0;
    const place = { top, at };
    if (at < 0 || this.names(top).tables[at] !== table.number) {
      const next = this.next(place);
      at = next?.at ?? at;
      return next ?? { top, at: Math.max(0, at) };
    }
    return place;
  }

  next({ top, at }: BlockPlace): BlockPlace | undefined {
    if (at + 1 < this.names(top).count) return { top, at: at + 1 };
    return top + 1 < this.#top.count ? { top: top + 1, at: 0 } : undefined;
  }

  before({ top, at }: BlockPlace): BlockPlace | undefined {
    if (at > 0) return { top, at: at - 1 };
    return top > 0 ? { top: top - 1, at: this.names(top - 1).count - 1 } : undefined;
  }

  names(top: number): TableIndex {
    return this.#kept.get(top) ?? this.#keep(top);
  }

  /** The bytes of a block, in `into` when they have room there. */
  block({ top, at }: BlockPlace, into?: Buffer): Buffer {
    const names = this.names(top);
    const length = names.lengths[at] ?? 0;
    const bytes =
      into !== undefined && length <= into.length ? into.subarray(0, length) : Buffer.allocUnsafeSlow(length);
    this.#readTo(bytes, names.offsets[at] ?? 0, names.sums[at] ?? 0);
    return bytes;
  }

  read({ offset, length, sum }: Extent): Buffer {
    const bytes = Buffer.allocUnsafeSlow(length);
    this.#readTo(bytes, offset, sum);
    return bytes;
  }

  decoded<Result>(decode: () => Result): Result {
    try {
      return decode();
    } catch (cause) {
      if (!(cause instanceof DamagedDataError || cause instanceof RangeError)) throw cause;
      throw this.damage("has a block that can't be read", { cause });
    }
  }

  damage(what: string, options?: ErrorOptions): DamagedFileError {
    return new DamagedFileError(this.file, what, options);
  }

  #decodeEnd(bytes: Buffer): TableIndex {
    const input = new ByteReader(bytes);
    const top = readExtent(input);
    const tables = input.varint();
    for (let count = 0; count < tables; count += 1) {
      const number = input.byte();
      const rows = input.varint();
      const firstA = input.varint();
      const firstB = input.varint();
      const lastA = input.varint();
      const lastB = input.varint();
      this.#parts[number] = { rows, firstA, firstB, lastA, lastB, filter: readExtent(input) };
    }
    return new TableIndex(this.read(top));
  }

  #keep(top: number): TableIndex {
    const names = this.decoded(() => new TableIndex(this.read(this.#top.extent(top))));
    if (this.#kept.size >= MAX_KEPT_NAMES) {
      for (const oldest of this.#kept.keys()) {
        this.#kept.delete(oldest);
        break;
      }
    }
    this.#kept.set(top, names);
    return names;
  }

  #lastBlock(place: BlockPlace): Buffer {
    const { top, at } = place;
    if (this.#last?.top === top && this.#last.at === at) return this.#last.bytes;
    this.#last = undefined;
    const bytes = this.block(place, this.#reused);
    this.#last = { top, at, bytes };
    return bytes;
  }

  #readTo(bytes: Buffer, offset: number, sum: number): void {
    this.#fill(bytes, offset);
    if (crc32(bytes) !== sum) throw this.#wrongChecksum({ offset, length: bytes.length });
  }

  #wrongChecksum({ offset, length }: Pick<Extent, 'offset' | 'length'>): DamagedFileError {
    return this.damage(`is damaged: its ${length} bytes at ${offset} have a wrong checksum`);
  }

  #fill(bytes: Buffer, offset: number): void {
    for (let done = 0; done < bytes.length; ) {
      const count = this.#readInto(bytes, done, offset + done);
      if (count === 0) throw this.damage(`ends before ${offset + bytes.length}`);
      done += count;
    }
  }

  #size(): number {
    try {
      return fstatSync(this.#descriptor).size;
    } catch (cause) {
      throw new RefusedFileError(this.file, 'cannot be looked at', cause);
    }
  }

  #readInto(bytes: Buffer, from: number, position: number): number {
    try {
      return readSync(this.#descriptor, bytes, from, bytes.length - from, position);
    } catch (cause) {
      throw new RefusedFileError(this.file, `cannot be read at ${position}`, cause);
    }
  }
}

function opened(file: string): number {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw error;
    throw new RefusedFileError(file, 'cannot be opened', error);
  }
}

function readExtent(input: ByteReader): Extent {
  return { offset: input.varint(), length: input.varint(), sum: input.uint32() };
}
