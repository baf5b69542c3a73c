/**
 * One run of keys, whether its blocks are rows of the database or of a run file. Blocks ascend by the hash of their first
 * key; of several that begin with the same one, by their numbers.
 */

import { readNumberKey, writeNumberKey } from '../../codec/number-key.ts';
import type { Table } from '../../lmdb/lmdb-environment.ts';
import type { RunFile } from '../../runs/run-file.ts';
import { decodePlace, encodePlace, KeyBlock, MAX_BLOCK } from './key-block.ts';

export interface PlacedBlock {
  readonly firstHash: number;
  /** The number of the block in the run. */
  readonly number: number;
  readonly block: KeyBlock;
}

export interface KeyRun {
  /** For messages. */
  readonly name: string;
  readonly keys: number;
  /** False when it has no key with this hash. Throws `DamagedFileError`. */
  mayHave(hash: number): boolean;
  /**
   * Blocks from this place on, or with `reverse` from it down. Not beyond this turn of the event loop. Throws
   * `DamagedDataError`.
   */
  blocks(firstHash: number, number: number, reverse?: boolean): IterableIterator<PlacedBlock>;
  /** All of them, as slowly as one likes. Throws `DamagedDataError`. */
  walk(): IterableIterator<PlacedBlock>;
}

/** A run in the database, where many runs share a table. */
export class TableRun implements KeyRun {
  readonly keys: number;
  readonly #run: number;
  readonly #table: Table;

  constructor(table: Table, { run, keys }: { readonly run: number; readonly keys: number }) {
    this.#table = table;
    this.#run = run;
    this.keys = keys;
  }

  get name(): string {
    return `run ${this.#run}`;
  }

  mayHave(): boolean {
    return true;
  }

  *blocks(firstHash: number, number: number, reverse = false): IterableIterator<PlacedBlock> {
    const start = encodePlace({ run: this.#run, firstHash, block: number });
    for (const { key, value } of this.#table.getRange({ start, reverse })) {
      const place = decodePlace(key);
      if (place.run !== this.#run) return;
      yield { firstHash: place.firstHash, number: place.block, block: KeyBlock.decode(key, value) };
    }
  }

  /** Holds no position in LMDB between two blocks, so each may be read in another transaction. */
  *walk(): IterableIterator<PlacedBlock> {
    let last: PlacedBlock | undefined;
    do {
      [last] = this.blocks(last?.firstHash ?? 0, last === undefined ? 0 : last.number + 1);
      if (last !== undefined) yield last;
    } while (last !== undefined);
  }
}

/** A run file of its own. */
export class FileRun implements KeyRun {
  readonly #file: RunFile;

  constructor(file: RunFile) {
    this.#file = file;
  }

  get name(): string {
    return this.#file.file;
  }

  get keys(): number {
    return this.#file.hashes;
  }

  mayHave(hash: number): boolean {
    return this.#file.mayHave(hash);
  }

  *blocks(firstHash: number, number: number, reverse = false): IterableIterator<PlacedBlock> {
    for (const { key, value } of this.#file.range({ start: filePlace(firstHash, number), reverse })) {
      yield { firstHash: readNumberKey(key), number: key.readUInt32BE(8), block: KeyBlock.of(value) };
    }
  }

  walk(): IterableIterator<PlacedBlock> {
    return this.blocks(0, 0);
  }
}

/** The key of a block in a run file. */
export function filePlace(firstHash: number, number: number): Buffer {
  const key = Buffer.allocUnsafe(12);
  writeNumberKey(key, firstHash, 0);
  key.writeUInt32BE(number, 8);
  return key;
}

/** References of the keys with this hash, the last one of the run first; those above `ref` are left out. */
export function* refsIn(run: KeyRun, hash: number, ref = Number.POSITIVE_INFINITY): IterableIterator<number> {
  const from = ref === Number.POSITIVE_INFINITY ? MAX_BLOCK : lastBlock(run, hash, ref);
  for (const { firstHash, block } of run.blocks(hash, from, true)) {
    // Hashes are whole numbers: behind those that are equal.
    for (let index = block.indexOf(hash + 1) - 1; block.hash(index) === hash; index -= 1) {
      if (block.ref(index) <= ref) yield block.ref(index);
    }
    if (firstHash < hash) return;
  }
}

/** The number of the last block that begins with this hash, and at `ref` or before; blocks are numbered in order. */
function lastBlock(run: KeyRun, hash: number, ref: number): number {
  const [first] = run.blocks(hash, 0);
  const [last] = run.blocks(hash, MAX_BLOCK, true);
  if (first?.firstHash !== hash || last?.firstHash !== hash) return 0;
  let low = first.number;
  let high = last.number;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const [found] = run.blocks(hash, middle);
    if (found?.firstHash === hash && found.block.ref(0) <= ref) low = middle + 1;
    else high = middle - 1;
  }
  return Math.max(0, high);
}
