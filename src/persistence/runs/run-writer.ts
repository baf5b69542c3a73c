/**
 * Writes a run file. The file has its name only when it is whole and durable; whoever finds one that no list names
 * (`run-list.ts`) removes it.
 */
import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { BrokenInvariantError } from '../../engine/apply/broken-invariant.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { syncFolderOf } from '../disk/durable-file.ts';
import { unfinishedOf } from '../disk/unfinished.ts';
import type { TableFilter } from '../store/table-filter.ts';
import { BlockWriter, type RawRow, rawRow } from './run-block.ts';
import {
  BLOCK_BYTES,
  type Extent,
  encodeEnd,
  encodeExtent,
  PACKED_BLOCK_BYTES,
  SUM_BYTES,
  sumOf,
  TAIL_BYTES,
} from './run-format.ts';

/**
 * Bytes that are gathered before the system is called. So much is synced at once, too: a file of hundreds of megabytes
 * that is synced at its end holds up the journal's syncs for a quarter of a second.
 */
const CHUNK_BYTES = 1024 * 1024;

/**
 * The level of packing. Lower ones are hardly faster. Higher ones save little more, and take up to three times as long.
 */
const PACKING = { level: 3 };

/** The file as a list names it. */
export interface WrittenRun {
  readonly rows: number;
  readonly bytes: number;
  /** CRC-32 of the file's end. */
  readonly sum: number;
}

export interface RunWriterOptions {
  /** The rows repeat each other enough. Default: false. */
  readonly isPacked?: boolean;
  /** Rows are gathered up to here before they are written. Default: 4 KiB, or 8 KiB when they are packed. */
  readonly blockBytes?: number;
  /** No list will name it. Default: false. */
  readonly isUnlisted?: boolean;
}

export class RunWriter {
  readonly #file: string;
  /** The file's name until the run is whole. */
  readonly #unfinished: string;
  readonly #isPacked: boolean;
  readonly #blockBytes: number;
  readonly #isUnlisted: boolean;
  readonly #descriptor: number;
  readonly #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #isClosed = false;
  #chunkLength = 0;
  #written = 0;
  /** Rows at first, then the blocks that name blocks of the level below. */
  readonly #rowBlock = new BlockWriter();
  readonly #levels = [this.#rowBlock];
  readonly #extent = new ByteWriter(32);
  #rows = 0;
  #first: Buffer = Buffer.alloc(0);

  /** Throws what the file system does. */
  constructor(file: string, options: RunWriterOptions = {}) {
    const { isPacked = false, isUnlisted = false } = options;
    const { blockBytes = isPacked ? PACKED_BLOCK_BYTES : BLOCK_BYTES } = options;
    this.#file = file;
    this.#isPacked = isPacked;
    this.#blockBytes = blockBytes;
    this.#isUnlisted = isUnlisted;
    this.#unfinished = unfinishedOf(file);
    this.#descriptor = openSync(this.#unfinished, 'w', 0o600);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Bytes so far. */
  get length(): number {
    return this.#written + this.#chunkLength;
  }

  /** `key` is above the last one. */
  add(key: Buffer, value: Uint8Array): void {
    this.addRaw(rawRow(key, value));
  }

  /** Adds a row that lies elsewhere. The row's key is above the last one. */
  addRaw(row: RawRow): void {
    this.#addTo(0, row);
    if (this.#rows === 0) this.#first = this.#rowBlock.first;
    this.#rows += 1;
  }

  /** All rows have come, at least one. The file is durable, name included. `filter`: of all hashes that are in its rows. */
  finish(filter?: TableFilter): WrittenRun {
    const { top, depth } = this.#finishLevels();
    const filterExtent = filter && this.#write(filter.bytes);
    const { length, sum } = this.#write(
      encodeEnd({
        rows: this.#rows,
        first: this.#first,
        last: this.#rowBlock.last,
        depth,
        top,
        isPacked: this.#isPacked,
        filter: filterExtent,
      }),
    );
    const tail = Buffer.alloc(SUM_BYTES + TAIL_BYTES);
    tail.writeUInt32LE(sum);
    tail.writeUInt32LE(length, SUM_BYTES);
    this.#write(this.#isUnlisted ? tail : tail.subarray(SUM_BYTES));
    this.#flush();
    fsyncSync(this.#descriptor);
    this.#close();
    renameSync(this.#unfinished, this.#file);
    syncFolderOf(this.#file);
    return { rows: this.#rows, bytes: this.#written, sum };
  }

  /** Gives up the file: it is not wanted any more, or could not be written. */
  abandon(): void {
    this.#close();
    rmSync(this.#unfinished, { force: true });
  }

  #close(): void {
    if (!this.#isClosed) closeSync(this.#descriptor);
    this.#isClosed = true;
  }

  #addTo(level: number, row: RawRow): void {
    let block = this.#levels[level];
    if (block === undefined) {
      block = new BlockWriter();
      this.#levels.push(block);
    }
    const most = level === 0 ? this.#blockBytes : BLOCK_BYTES;
    if (block.length > 0 && block.length + row.valueEnd - row.valueStart > most) this.#put(level, block);
    block.add(row);
  }

  /** Writes a block, and names it in the one above. */
  #put(level: number, block: BlockWriter): void {
    const extent = this.#writeBlock(level, block);
    block.clear();
    this.#extent.reset();
    encodeExtent(this.#extent, extent);
    // A copy: the block above may have to be put first.
    this.#addTo(level + 1, rawRow(block.first, this.#extent.copy()));
  }

  #writeBlock(level: number, block: BlockWriter): Extent {
    const isPacked = level === 0 && this.#isPacked;
    return this.#write(isPacked ? deflateRawSync(block.view(), PACKING) : block.view());
  }

  #finishLevels(): { readonly top: Extent; readonly depth: number } {
    for (let level = 0; ; level += 1) {
      const block = this.#levels[level];
      if (block === undefined) throw new BrokenInvariantError('a run without rows');
      if (level === this.#levels.length - 1) return { top: this.#writeBlock(level, block), depth: level };
      this.#put(level, block);
    }
  }

  #write(bytes: Uint8Array): Extent {
    const extent = { offset: this.length, length: bytes.length, sum: sumOf(bytes) };
    if (this.#chunkLength + bytes.length > CHUNK_BYTES) this.#flush();
    if (bytes.length > CHUNK_BYTES) {
      this.#writeOut(bytes);
    } else {
      this.#chunk.set(bytes, this.#chunkLength);
      this.#chunkLength += bytes.length;
    }
    return extent;
  }

  #flush(): void {
    this.#writeOut(this.#chunk.subarray(0, this.#chunkLength));
    this.#chunkLength = 0;
  }

  #writeOut(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done);
    fdatasyncSync(this.#descriptor);
    this.#written += bytes.length;
  }
}
