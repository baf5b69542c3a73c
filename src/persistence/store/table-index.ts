/**
 * Names of blocks: of each its table, its first key, its place, its length, its CRC-32 and how many rows it has. A file has two levels: names
 * of blocks, some 256 together, and the names of these. The upper one is in memory, and small: 40 bytes for each
 * megabyte of rows.
 */
import { DamagedDataError } from '../codec/byte-reader.ts';
import { compareKeys } from './store-table.ts';

export interface Extent {
  readonly offset: number;
  readonly length: number;
  /** CRC-32 of its bytes. */
  readonly sum: number;
}

/** The name of a block, or, in the upper level, of names of blocks. */
export interface BlockName extends Extent {
  readonly table: number;
  /** The first key. */
  readonly a: number;
  readonly b: number;
  /** How many rows a block has; 0 for names of blocks. */
  readonly rows: number;
}

/** Columns: `a`, `b`, offsets of 8 bytes, lengths, sums, rows of 4, tables of 1, all little-endian. */
const NAME_BYTES = 37;

export class TableIndex {
  readonly count: number;
  readonly tables: Uint8Array;
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  readonly sums: Uint32Array;
  readonly rows: Uint32Array;

  /** Throws `DamagedDataError`. The arrays lie in `bytes`, so nothing is decoded. */
  constructor(bytes: Uint8Array) {
    const count = bytes.length / NAME_BYTES;
    if (!Number.isInteger(count)) throw new DamagedDataError('names of blocks are cut short');
    const { buffer, byteOffset } = bytes.byteOffset % 8 === 0 ? bytes : Uint8Array.from(bytes);
    const at = (column: number): number => byteOffset + column * count;
    this.count = count;
    this.a = new Float64Array(buffer, at(0), count);
    this.b = new Float64Array(buffer, at(8), count);
    this.offsets = new Float64Array(buffer, at(16), count);
    this.lengths = new Uint32Array(buffer, at(24), count);
    this.sums = new Uint32Array(buffer, at(28), count);
    this.rows = new Uint32Array(buffer, at(32), count);
    this.tables = new Uint8Array(buffer, at(36), count);
  }

  /** The last block that begins at the key or before it; -1 when there is none. */
  indexOf(table: number, a: number, b: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const of = this.tables[middle] ?? 0;
      const isBehind =
        of === table ? compareKeys(this.a[middle] ?? 0, this.b[middle] ?? 0, a, b) > 0 : of > table;
      if (isBehind) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }

  extent(at: number): Extent {
    return { offset: this.offsets[at] ?? 0, length: this.lengths[at] ?? 0, sum: this.sums[at] ?? 0 };
  }
}

export class IndexWriter {
  readonly #names: BlockName[] = [];

  get count(): number {
    return this.#names.length;
  }

  get first(): BlockName {
    return this.#names[0] as BlockName;
  }

  add(name: BlockName): void {
    this.#names.push(name);
  }

  /** The bytes of all names that were added, which are then forgotten. */
  take(): Buffer {
    const names = this.#names;
    const bytes = Buffer.alloc(names.length * NAME_BYTES);
    const index = new TableIndex(bytes);
    for (const [at, { table, a, b, offset, length, sum, rows }] of names.entries()) {
      index.tables[at] = table;
      index.a[at] = a;
      index.b[at] = b;
      index.offsets[at] = offset;
      index.lengths[at] = length;
      index.sums[at] = sum;
      index.rows[at] = rows;
    }
    names.length = 0;
    return bytes;
  }
}
