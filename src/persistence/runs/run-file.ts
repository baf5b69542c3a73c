/**
 * Reads a run file. Each block's checksum is looked at when it is read, every time: so nothing need be proved before,
 * and damage that comes later is found as well. The file stays open, and readable when its name is gone.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { DamagedFileError, RefusedFileError } from '../lmdb/damaged-file.ts';
import { TableFilter } from '../store/table-filter.ts';
import { NameBlock } from './name-block.ts';
import { decodeBlock, firstFrom, type Row, valueUnder } from './run-block.ts';
import { RunCursor } from './run-cursor.ts';
import { decodeEnd, type Extent, type RunEnd, SUM_BYTES, sumOf, TAIL_BYTES } from './run-format.ts';
import type { WrittenRun } from './run-writer.ts';

/** Blocks that name others, of one file: some four megabytes, and all that a file of 380 MB of small rows has. */
const MAX_KEPT_BLOCKS = 512;

/** Longer than most blocks. */
const REUSED_BYTES = 64 * 1024;
/** Undefined while it is in use. */
let reused: Buffer | undefined = Buffer.allocUnsafeSlow(REUSED_BYTES);

/** A range as the database has it: with `reverse`, from `start` down. `end` is not part of it. */
export interface RowRange {
  readonly start?: Buffer | undefined;
  readonly end?: Buffer | undefined;
  readonly reverse?: boolean | undefined;
}

export class RunFile {
  readonly file: string;
  readonly #descriptor: number;
  readonly #end: RunEnd;
  readonly #kept = new Map<number, NameBlock>();
  /** The packed block that was read last: who looks for a row mostly reads on from there. */
  #unpacked: { readonly offset: number; readonly rows: Buffer } | undefined;
  #filter: TableFilter | undefined;

  /** Throws `DamagedFileError` when it isn't what `written`, its list, says, or the file system's error. */
  constructor(file: string, written?: WrittenRun) {
    this.file = file;
    this.#descriptor = openSync(file, 'r');
    try {
      const size = fstatSync(this.#descriptor).size;
      if (written !== undefined && size !== written.bytes)
        throw this.#damage(`has ${size} bytes, and ${written.bytes} were written`);
      const end = this.#extentOfEnd(size, written);
      this.#end = this.#decoded(end, this.#read(end), decodeEnd);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get rows(): number {
    return this.#end.rows;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** False when no row has this hash; the filter is in memory from the first question on. */
  mayHave(hash: number): boolean {
    const { filter } = this.#end;
    if (filter === undefined) return true;
    this.#filter ??= new TableFilter(this.#read(filter));
    return this.#filter.has(hash);
  }

  /** Whether there is such a row. `look` gets its value, whose bytes are valid until it returns. */
  find(key: Buffer, look: (value: Buffer) => void): boolean {
    const { first, last, top, depth } = this.#end;
    if (key.compare(first) < 0 || key.compare(last) > 0) return false;
    for (const extent of this.#names(top, depth, key, false)) {
      return withReusedBytes(extent.length, (bytes) => {
        this.#readTo(bytes, extent);
        const value = this.#decodedRows(extent, bytes, (rows) => valueUnder(rows, key));
        if (value !== undefined) look(value);
        return value !== undefined;
      });
    }
    return false;
  }

  *range({ start, end, reverse = false }: RowRange = {}): IterableIterator<Row> {
    const { first, last } = this.#end;
    // What lies beside is not read for.
    if (!reverse && ((start?.compare(last) ?? -1) > 0 || (end?.compare(first) ?? 1) <= 0)) return;
    if (reverse && ((start?.compare(first) ?? 1) < 0 || (end?.compare(last) ?? -1) >= 0)) return;
    const from = start ?? (reverse ? last : first);
    for (const rows of this.#blocks(from, reverse)) {
      if (reverse) {
        for (let at = behind(rows, from) - 1; at >= 0; at -= 1) {
          const row = rows[at] as Row;
          if (end !== undefined && row.key.compare(end) <= 0) return;
          yield row;
        }
      } else {
        for (let at = firstFrom(rows, from); at < rows.length; at += 1) {
          const row = rows[at] as Row;
          if (end !== undefined && row.key.compare(end) >= 0) return;
          yield row;
        }
      }
    }
  }

  /** All blocks of rows, in their order, as `run-block.ts` has them. */
  *blocks(): IterableIterator<Buffer> {
    for (const extent of this.#names(this.#end.top, this.#end.depth, this.#end.first, false)) {
      yield this.#decodedRows(extent, this.#read(extent), (bytes) => bytes);
    }
  }

  /** Reads all of it; what `look` gets is valid until it returns. Throws `DamagedFileError`, and what `look` throws. */
  check(look: (key: Buffer, value: Buffer) => void): void {
    let rows = 0;
    let last = Buffer.alloc(0);
    const row = new RunCursor(this);
    while (row.next()) {
      const key = row.key.subarray(0, row.keyLength);
      look(key, row.bytes.subarray(row.valueStart, row.valueEnd));
      if (rows > 0 && last.compare(key) >= 0) throw this.#damage('has rows that are out of order');
      last = Buffer.from(key);
      rows += 1;
    }
    if (rows !== this.rows) throw this.#damage(`has ${rows} rows instead of ${this.rows}`);
    if (this.#end.filter !== undefined) this.#read(this.#end.filter);
  }

  /** Blocks of rows, from the one in which `from` is, or would be. */
  *#blocks(from: Buffer, reverse: boolean): IterableIterator<readonly Row[]> {
    for (const extent of this.#names(this.#end.top, this.#end.depth, from, reverse)) {
      yield this.#decodedRows(extent, this.#read(extent), decodeBlock);
    }
  }

  /** Blocks of rows by their names, from the one in which `from` is, or would be. */
  *#names(extent: Extent, depth: number, from: Buffer, reverse: boolean): IterableIterator<Extent> {
    if (depth === 0) {
      yield extent;
      return;
    }
    const names = this.#kept.get(extent.offset) ?? this.#keep(extent);
    const step = reverse ? -1 : 1;
    for (let at = names.indexOf(from); at >= 0 && at < names.length; at += step) {
      yield* this.#names(names.at(at), depth - 1, from, reverse);
    }
  }

  #keep(extent: Extent): NameBlock {
    const names = this.#decoded(extent, this.#read(extent), (bytes) => new NameBlock(this.file, bytes));
    if (this.#kept.size >= MAX_KEPT_BLOCKS) {
      for (const oldest of this.#kept.keys()) {
        this.#kept.delete(oldest);
        break;
      }
    }
    this.#kept.set(extent.offset, names);
    return names;
  }

  #decodedRows<Result>(extent: Extent, bytes: Buffer, decode: (rows: Buffer) => Result): Result {
    const { isPacked } = this.#end;
    return this.#decoded(extent, bytes, () => decode(isPacked ? this.#unpack(extent, bytes) : bytes));
  }

  #unpack({ offset }: Extent, bytes: Buffer): Buffer {
    if (this.#unpacked?.offset !== offset) this.#unpacked = { offset, rows: inflateRawSync(bytes) };
    return this.#unpacked.rows;
  }

  #decoded<Result>(extent: Extent, bytes: Buffer, decode: (bytes: Buffer) => Result): Result {
    try {
      return decode(bytes);
    } catch (cause) {
      // Its checksum is right, so it was written so.
      throw this.#damage(`has a block at ${extent.offset} that can't be read`, { cause });
    }
  }

  #extentOfEnd(size: number, written: WrittenRun | undefined): Extent {
    const behind = size - TAIL_BYTES - (written === undefined ? SUM_BYTES : 0);
    const tail = Buffer.allocUnsafe(size - behind);
    this.#readAt(tail, behind);
    const length = tail.readUInt32LE(tail.length - TAIL_BYTES);
    return { offset: behind - length, length, sum: written?.sum ?? tail.readUInt32LE() };
  }

  #read(extent: Extent): Buffer {
    const bytes = Buffer.allocUnsafe(extent.length);
    this.#readTo(bytes, extent);
    return bytes;
  }

  /** `bytes` is as long as it. */
  #readTo(bytes: Buffer, { offset, length, sum }: Extent): void {
    this.#readAt(bytes, offset);
    if (sumOf(bytes) !== sum)
      throw this.#damage(`is damaged: its ${length} bytes at ${offset} have a wrong checksum`);
  }

  #readAt(bytes: Buffer, offset: number): void {
    if (offset < 0) throw this.#damage('is damaged: its end is longer than the file');
    for (let done = 0; done < bytes.length; ) {
      const count = this.#readInto(bytes, done, offset + done);
      if (count === 0) throw this.#damage(`ends before ${offset + bytes.length}`);
      done += count;
    }
  }

  #readInto(bytes: Buffer, from: number, position: number): number {
    try {
      return readSync(this.#descriptor, bytes, from, bytes.length - from, position);
    } catch (cause) {
      throw new RefusedFileError(this.file, `cannot be read at ${position}`, cause);
    }
  }

  #damage(what: string, options?: ErrorOptions): DamagedFileError {
    return new DamagedFileError(this.file, what, options);
  }
}

/** How many rows have a key up to `key`. */
function behind(rows: readonly { readonly key: Buffer }[], key: Buffer): number {
  const at = firstFrom(rows, key);
  return rows[at]?.key.equals(key) ? at + 1 : at;
}

/** `use` gets `length` bytes, valid until it returns. They are mostly the same ones, so nothing is left to be collected. */
function withReusedBytes<Result>(length: number, use: (bytes: Buffer) => Result): Result {
  const lent = reused;
  if (lent === undefined || length > lent.length) return use(Buffer.allocUnsafe(length));
  reused = undefined;
  try {
    return use(lent.subarray(0, length));
  } finally {
    reused = lent;
  }
}
