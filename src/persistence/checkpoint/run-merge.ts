/**
 * Walks the keys of several runs in one order, and writes runs. Between two keys it holds a block of each run in memory
 * and no position in LMDB, so that each part of a merge may be a transaction of its own.
 *
 * What always holds: a run that was walked to its end has as many keys as the list says, sorted, in blocks that lie where
 * a search finds them; or `DamagedDataError` was thrown.
 */
import { DamagedDataError } from '../codec/byte-reader.ts';
import type { Table } from '../lmdb/lmdb-environment.ts';
import { decodePlace, encodePlace, KeyBlock, startOfRun } from './key-block.ts';

export interface Run {
  /** Its number. */
  readonly run: number;
  readonly keys: number;
}

/** A key by its hash, and what it led to. */
export interface HashedKey {
  readonly hash: number;
  readonly ref: number;
}

/** Writes keys, which come ascending by hash, as the blocks of one run. */
export class RunWriter {
  readonly #table: Table;
  readonly #run: number;
  readonly #block = new KeyBlock();
  #blocks = 0;

  constructor(table: Table, run: number) {
    this.#table = table;
    this.#run = run;
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
    const place = encodePlace({ run: this.#run, firstHash: this.#block.hash(0), block: this.#blocks });
    this.#table.put(place, this.#block.encode(place));
    this.#blocks += 1;
    this.#block.clear();
  }
}

export class RunMerge {
  readonly #cursors: readonly RunCursor[];
  #lowest: RunCursor | undefined;
  #isBegun = false;

  constructor(table: Table, runs: readonly Run[]) {
    this.#cursors = runs.map((run) => new RunCursor(table, run));
  }

  /** The next key, ascending by hash; undefined behind the last. Valid until the next call. */
  next(): HashedKey | undefined {
    if (this.#isBegun) this.#lowest?.advance();
    else for (const cursor of this.#cursors) cursor.advance();
    this.#isBegun = true;
    let lowest: RunCursor | undefined;
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

/** Above all hashes. */
const NO_HASH = Number.POSITIVE_INFINITY;

/** Walks the keys of one run in order; at first it is before them. */
class RunCursor implements HashedKey {
  /** Of the key that it is at, `NO_HASH` behind the last: fields, because each is looked at again and again. */
  hash = -1;
  ref = 0;
  readonly #table: Table;
  readonly #run: Run;
  #block = new KeyBlock();
  #index = -1;
  #keys = 0;
  /** The next block lies here or behind. */
  #next: Buffer;

  constructor(table: Table, run: Run) {
    this.#table = table;
    this.#run = run;
    this.#next = startOfRun(run.run);
  }

  /** To the next key. Reads the next block when it must. */
  advance(): void {
    this.#index += 1;
    if (this.#index < this.#block.count || this.#load()) {
      const hash = this.#block.hash(this.#index);
      if (hash < this.hash) throw new DamagedDataError(`the keys of run ${this.#run.run} are not sorted`);
      this.hash = hash;
      this.ref = this.#block.ref(this.#index);
    } else {
      const { run, keys } = this.#run;
      if (this.#keys !== keys)
        throw new DamagedDataError(`run ${run} has ${this.#keys} keys instead of ${keys}`);
      this.hash = NO_HASH;
    }
  }

  /** False when there is no next block. */
  #load(): boolean {
    for (const { key, value } of this.#table.getRange({ start: this.#next, limit: 1 })) {
      const place = decodePlace(key);
      if (place.run !== this.#run.run) return false;
      this.#block = KeyBlock.decode(key, value);
      if (place.firstHash !== this.#block.hash(0)) {
        throw new DamagedDataError(`a block of keys in run ${place.run} lies in the wrong place`);
      }
      this.#keys += this.#block.count;
      this.#next = encodePlace({ ...place, block: place.block + 1 });
      this.#index = 0;
      return true;
    }
    return false;
  }
}
