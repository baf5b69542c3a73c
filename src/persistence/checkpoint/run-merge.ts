/**
 * Makes one run of keys out of several, step by step: between two steps it holds a block of each run in memory
 * and no position in LMDB, so that each step may be a transaction of its own.
 */
import type { Table } from '../lmdb/lmdb-environment.ts';
import { decodePlace, encodePlace, KeyBlock } from './key-block.ts';

/** Takes keys, which come ascending by hash. */
export interface KeySink {
  /** Blocks written so far. */
  readonly blocks: number;
  add(hash: number, ref: number): void;
  /** All keys have come. */
  flush(): void;
}

/** Writes them as the blocks of one run. */
export class RunWriter implements KeySink {
  readonly #table: Table;
  readonly #run: number;
  readonly #block = new KeyBlock();
  #blocks = 0;

  constructor(table: Table, run: number) {
    this.#table = table;
    this.#run = run;
  }

  get blocks(): number {
    return this.#blocks;
  }

  add(hash: number, ref: number): void {
    if (this.#block.isFull) this.flush();
    this.#block.add(hash, ref);
  }

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
  readonly #sink: KeySink;
  #isBegun = false;

  constructor(table: Table, runs: readonly { readonly run: number }[], sink: KeySink) {
    this.#cursors = runs.map(({ run }) => new RunCursor(table, run));
    this.#sink = sink;
  }

  /** Writes up to `blocks` blocks; true when nothing is left. Inside a transaction. */
  step(blocks: number): boolean {
    if (!this.#isBegun) for (const cursor of this.#cursors) cursor.advance();
    this.#isBegun = true;
    const enough = this.#sink.blocks + blocks;
    while (this.#sink.blocks < enough) {
      const cursor = this.#lowest();
      if (cursor === undefined) {
        this.#sink.flush();
        return true;
      }
      this.#sink.add(cursor.hash, cursor.ref);
      cursor.advance();
    }
    return false;
  }

  #lowest(): RunCursor | undefined {
    let lowest: RunCursor | undefined;
    let hash = NO_HASH;
    for (const cursor of this.#cursors) {
      if (cursor.hash < hash) {
        lowest = cursor;
        hash = cursor.hash;
      }
    }
    return lowest;
  }
}

/** Above all hashes. */
const NO_HASH = Number.POSITIVE_INFINITY;

/** Walks the keys of one run in order; at first it is before them. */
class RunCursor {
  /** Of the key that it is at, `NO_HASH` behind the last: fields, because each is looked at again and again. */
  hash = NO_HASH;
  ref = 0;
  readonly #table: Table;
  readonly #run: number;
  #block = new KeyBlock();
  #index = -1;
  /** The next block lies here or behind. */
  #next: Buffer;

  constructor(table: Table, run: number) {
    this.#table = table;
    this.#run = run;
    this.#next = encodePlace({ run, firstHash: 0, block: 0 });
  }

  /** To the next key. Reads the next block when it must. */
  advance(): void {
    this.#index += 1;
    if (this.#index < this.#block.count || this.#load()) {
      this.hash = this.#block.hash(this.#index);
      this.ref = this.#block.ref(this.#index);
    } else {
      this.hash = NO_HASH;
    }
  }

  /** False when there is no next block. */
  #load(): boolean {
    for (const { key, value } of this.#table.getRange({ start: this.#next, limit: 1 })) {
      const place = decodePlace(key);
      if (place.run !== this.#run) return false;
      this.#block = KeyBlock.decode(key, value);
      this.#next = encodePlace({ ...place, block: place.block + 1 });
      this.#index = 0;
      return true;
    }
    return false;
  }
}
