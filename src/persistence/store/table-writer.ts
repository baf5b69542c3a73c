/**
 * Writes a table file: blocks of rows table by table, the names of blocks, filters, the end. The file has its name only
 * when it is whole and durable. So much as is gathered is synced at once: a large file that is synced at its end holds up the
 * journal's syncs.
 */
import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { ByteWriter } from '../codec/byte-writer.ts';
import { syncFolderOf } from '../disk/durable-file.ts';
import { unfinishedOf } from '../disk/unfinished.ts';
import type { BlockCursor } from './block-cursor.ts';
import { BlockWriter } from './block-writer.ts';
import type { StoreTable } from './store-table.ts';
import { TableFilter } from './table-filter.ts';
import { type Extent, IndexWriter } from './table-index.ts';

const CHUNK_BYTES = 1024 * 1024;
export const BLOCK_BYTES = 4 * 1024;
const NAMES_PER_BLOCK = 256;

/** A file as the list names it. */
export interface WrittenFile {
  readonly bytes: number;
  readonly rows: number;
  readonly endBytes: number;
  /** CRC-32 of the file's end. */
  readonly sum: number;
}

/** A block that is copied as it is. */
export interface RawBlock {
  readonly sum: number;
  readonly rows: number;
  readonly a: number;
  readonly b: number;
  /** Its last key, or, when it isn't the last block of its table, any key of it. */
  readonly lastA: number;
  readonly lastB: number;
}

export class TableWriter {
  readonly #file: string;
  readonly #unfinished: string;
  readonly #descriptor: number;
  readonly #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  readonly #block = new BlockWriter();
  readonly #names = new IndexWriter();
  readonly #top = new IndexWriter();
  readonly #ends = new ByteWriter(512);
  #chunkLength = 0;
  #written = 0;
  #isClosed = false;
  #table: StoreTable | undefined;
  #filter: TableFilter | undefined;
  #tables = 0;
  #rows = 0;
  /** How many of them are in blocks that were put. */
  #rowsPut = 0;
  #allRows = 0;
  #firstA = 0;
  #firstB = 0;
  #lastA = 0;
  #lastB = 0;

  constructor(file: string) {
    this.#file = file;
    this.#unfinished = unfinishedOf(file);
    this.#descriptor = openSync(this.#unfinished, 'w', 0o600);
  }

  /** Rows of this table follow, whose number is above the last one's; at most so many. */
  begin(table: StoreTable, rows: number): void {
    this.#table = table;
    this.#rows = 0;
    this.#rowsPut = 0;
    this.#filter = table.isFiltered ? TableFilter.of(rows) : undefined;
  }

  add(a: number, b: number, bytes: Uint8Array, start: number, end: number): void {
    const block = this.#block;
    const table = this.#table as StoreTable;
    if (block.length >= BLOCK_BYTES) this.#put();
    block.add(table, a, b, bytes, start, end);
    this.#count(a, b);
    this.#filter?.add(a);
  }

  /**
   * Adds the row that the cursor has, and those behind it in its block that are below the limit. The cursor is then at the
   * first row that isn't, or it has none (false).
   */
  addFrom(cursor: BlockCursor, limitA: number, limitB: number): boolean {
    const block = this.#block;
    const filter = this.#filter;
    this.add(cursor.a, cursor.b, cursor.bytes, cursor.valueStart, cursor.valueEnd);
    // What follows is encoded as it will be here, because the same row is before it.
    let start = cursor.rowEnd;
    let end = start;
    let { a, b } = cursor;
    let more = true;
    for (;;) {
      more = cursor.next();
      if (!more) break;
      const nextA = cursor.a;
      if (nextA > limitA || (nextA === limitA && cursor.b >= limitB)) break;
      if (block.length + end - start >= BLOCK_BYTES) {
        if (end > start) block.addEncoded(cursor.bytes, start, end, a, b);
        this.add(nextA, cursor.b, cursor.bytes, cursor.valueStart, cursor.valueEnd);
        start = cursor.rowEnd;
        end = start;
        a = nextA;
        b = cursor.b;
        continue;
      }
      a = nextA;
      b = cursor.b;
      end = cursor.rowEnd;
      this.#rows += 1;
      filter?.add(a);
    }
    if (end > start) block.addEncoded(cursor.bytes, start, end, a, b);
    this.#lastA = a;
    this.#lastB = b;
    return more;
  }

  /** Adds a block as it lies in another file. */
  addBlock(bytes: Uint8Array, { sum, rows, a, b, lastA, lastB }: RawBlock): void {
    this.#put();
    this.#name(a, b, this.#write(bytes, sum), rows);
    this.#count(a, b);
    this.#rows += rows - 1;
    this.#rowsPut = this.#rows;
    this.#lastA = lastA;
    this.#lastB = lastB;
  }

  /** The table that was begun has all its rows. */
  end(): void {
    this.#put();
    const table = this.#table as StoreTable;
    if (this.#rows === 0) return;
    const out = this.#ends;
    out.byte(table.number);
    out.varint(this.#rows);
    for (const number of [this.#firstA, this.#firstB, this.#lastA, this.#lastB]) out.varint(number);
    const filter = this.#filter && this.#write(this.#filter.bytes);
    writeExtent(out, filter ?? { offset: 0, length: 0, sum: 0 });
    this.#tables += 1;
    this.#allRows += this.#rows;
  }

  /** All tables have come. The file is durable, name included. */
  finish(): WrittenFile {
    if (this.#names.count > 0) this.#putNames();
    const top = this.#write(this.#top.take());
    const out = new ByteWriter(1024);
    writeExtent(out, top);
    out.varint(this.#tables);
    out.bytes(this.#ends.view());
    const { length, sum } = this.#write(out.view());
    this.#flush();
    fsyncSync(this.#descriptor);
    this.#close();
    renameSync(this.#unfinished, this.#file);
    syncFolderOf(this.#file);
    return { bytes: this.#written, rows: this.#allRows, endBytes: length, sum };
  }

  abandon(): void {
    this.#close();
    rmSync(this.#unfinished, { force: true });
  }

  #count(a: number, b: number): void {
    if (this.#rows === 0) {
      this.#firstA = a;
      this.#firstB = b;
    }
    this.#rows += 1;
    this.#lastA = a;
    this.#lastB = b;
  }

  #close(): void {
    if (!this.#isClosed) closeSync(this.#descriptor);
    this.#isClosed = true;
  }

  #put(): void {
    const block = this.#block;
    if (block.length === 0) return;
    this.#name(block.firstA, block.firstB, this.#write(block.view()), this.#rows - this.#rowsPut);
    block.clear();
    this.#rowsPut = this.#rows;
  }

  #name(a: number, b: number, extent: Extent, rows: number): void {
    this.#names.add({ table: this.#table?.number ?? 0, a, b, rows, ...extent });
    if (this.#names.count === NAMES_PER_BLOCK) this.#putNames();
  }

  #putNames(): void {
    const { table, a, b } = this.#names.first;
    this.#top.add({ table, a, b, rows: 0, ...this.#write(this.#names.take()) });
  }

  #write(bytes: Uint8Array, sum = crc32(bytes)): Extent {
    const extent = { offset: this.#written + this.#chunkLength, length: bytes.length, sum };
    if (this.#chunkLength + bytes.length > CHUNK_BYTES) this.#flush();
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
      const part = bytes.subarray(start, start + CHUNK_BYTES);
      if (this.#chunkLength + part.length > CHUNK_BYTES) this.#flush();
      this.#chunk.set(part, this.#chunkLength);
      this.#chunkLength += part.length;
    }
    return extent;
  }

  #flush(): void {
    if (this.#chunkLength === 0) return;
    for (let done = 0; done < this.#chunkLength; )
      done += writeSync(this.#descriptor, this.#chunk, done, this.#chunkLength - done);
    fdatasyncSync(this.#descriptor);
    this.#written += this.#chunkLength;
    this.#chunkLength = 0;
  }
}

function writeExtent(out: ByteWriter, { offset, length, sum }: Extent): void {
  out.varint(offset);
  out.varint(length);
  out.uint32(sum);
}
