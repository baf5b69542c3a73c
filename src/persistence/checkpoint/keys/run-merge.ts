/**
 * Walks the keys of several runs in one order, and writes runs. Between two keys it holds a block of each run in memory
 * and no position in LMDB, so that each part of a merge may be a transaction of its own.
 *
 * Invariant: a run that was walked to its end has as many keys as the list says, sorted, in blocks that lie where a
 * search finds them; or `DamagedDataError` was thrown.
 */
import type { FilterLayer } from '../../../engine/recent/filter-layer.ts';
import { DamagedDataError } from '../../codec/byte-reader.ts';
import type { Table } from '../../lmdb/lmdb-environment.ts';
import type { RunWriter } from '../../runs/run-writer.ts';
import { encodePlace, KeyBlock } from './key-block.ts';
import { filePlace, type KeyRun, type PlacedBlock } from './key-run.ts';

/** A key by its hash, and the reference of its outcome. */
export interface HashedKey {
  readonly hash: number;
  readonly ref: number;
}

/** Writes keys, which come ascending by hash, as the blocks of one run. */
export class KeyWriter {
  readonly #put: (block: KeyBlock, number: number) => void;
  readonly #block = new KeyBlock();
  #blocks = 0;

  /** `put` gets each block, which it may not keep. */
  constructor(put: (block: KeyBlock, number: number) => void) {
    this.#put = put;
  }

  /** The writer of a run in the database. Inside a transaction, like all that it does. */
  static toTable(table: Table, run: number): KeyWriter {
    return new KeyWriter((block, number) => {
      const place = encodePlace({ run, firstHash: block.hash(0), block: number });
      table.put(place, block.encode(place));
    });
  }

  /** The writer of a run file, whose filter gets the hashes. */
  static toFile(file: RunWriter, filter: FilterLayer): KeyWriter {
    return new KeyWriter((block, number) => {
      file.add(filePlace(block.hash(0), number), block.bytes);
      for (let index = 0; index < block.count; index += 1) filter.add(block.hash(index));
    });
  }

  /** Blocks written so far. */
  get blocks(): number {
    return this.#blocks;
  }

  add(hash: number, ref: number): void {
    if (this.#block.isFull) this.flush();
    this.#block.add(hash, ref);
  }

  /** All keys have come. */
  flush(): void {
    if (this.#block.count === 0) return;
    this.#put(this.#block, this.#blocks);
    this.#blocks += 1;
    this.#block.clear();
  }
}

/** Copies keys of up to so many blocks; true when nothing is left. */
export function copyKeys(merge: RunMerge, writer: KeyWriter, blocks: number): boolean {
  for (const enough = writer.blocks + blocks; writer.blocks < enough; ) {
    const key = merge.next();
    if (key === undefined) {
      writer.flush();
      return true;
    }
    writer.add(key.hash, key.ref);
  }
  return false;
}

export class RunMerge {
  readonly #cursors: readonly KeyCursor[];
  #lowest: KeyCursor | undefined;
  #isBegun = false;

  /** Among keys with equal hashes, those of the first run come first. */
  constructor(runs: readonly KeyRun[]) {
    this.#cursors = runs.map((run) => new KeyCursor(run));
  }

  /** The next key, ascending by hash; undefined behind the last. Valid until the next call. */
  next(): HashedKey | undefined {
    if (this.#isBegun) this.#lowest?.advance();
    else for (const cursor of this.#cursors) cursor.advance();
    this.#isBegun = true;
    let lowest: KeyCursor | undefined;
    let hash = NO_HASH;
    for (const cursor of this.#cursors) {
      if (cursor.hash < hash) {
        lowest = cursor;
        hash = cursor.hash;
      }
    }
    this.#lowest = lowest;
    return lowest;
  }
}

/** A number above all hashes. */
const NO_HASH = Number.POSITIVE_INFINITY;

/** Walks the keys of one run in order; at first it is before them. */
class KeyCursor implements HashedKey {
  /**
   * The hash of the key that it is at, `NO_HASH` behind the last: a field, like `ref`, because each is looked at again
   * and again.
   */
  hash = -1;
  ref = 0;
  readonly #run: KeyRun;
  readonly #blocks: Iterator<PlacedBlock>;
  #block = new KeyBlock();
  #index = -1;
  #keys = 0;

  constructor(run: KeyRun) {
    this.#run = run;
    this.#blocks = run.walk();
  }

  /** To the next key. Reads the next block when it must. */
  advance(): void {
    this.#index += 1;
    if (this.#index < this.#block.count || this.#load()) {
      const hash = this.#block.hash(this.#index);
      if (hash < this.hash) throw new DamagedDataError(`the keys of ${this.#run.name} are not sorted`);
      this.hash = hash;
      this.ref = this.#block.ref(this.#index);
    } else {
      const { name, keys } = this.#run;
      if (this.#keys !== keys)
        throw new DamagedDataError(`${name} has ${this.#keys} keys instead of ${keys}`);
      this.hash = NO_HASH;
    }
  }

  /** False when there is no next block. */
  #load(): boolean {
    const next = this.#blocks.next();
    if (next.done) return false;
    const { firstHash, block } = next.value;
    if (firstHash !== block.hash(0)) {
      throw new DamagedDataError(`a block of keys in ${this.#run.name} lies in the wrong place`);
    }
    this.#block = block;
    this.#keys += block.count;
    this.#index = 0;
    return true;
  }
}
