/**
 * The keys of all purchases that the checkpoint holds, in runs: each transaction of a fold appends its keys as one
 * sorted run, and runs are merged so that there are few.
 *
 * What always holds: once merged, each run is larger than all younger ones together (up to `MAX_RUN_KEYS`), so the number of
 * runs grows with the logarithm of the history, and so does the number of times that a key is written; a run
 * counts once it is in the list, which changes in one transaction; a run's number is never given out again, so
 * what an interrupted merge left is never taken for a part of another run. Rejected: one tree by key, in which every
 * fold touches a page for nearly each of its keys, keeps them all in memory until it commits, and costs more
 * the longer the history is.
 */
import type { Table } from '../lmdb/lmdb-environment.ts';
import { decodeJson, encodeJson, readRow, seal } from './checkpoint-rows.ts';
import { decodePlace, encodePlace, KeyBlock, MAX_BLOCK, startOfRun } from './key-block.ts';
import { type Run, RunMerge, RunWriter } from './run-merge.ts';
import type { SortedKeys } from './sorted-keys.ts';

/** Bounds how long one merge takes: 256 MiB are read and written. */
const MAX_RUN_KEYS = 2 ** 24;
/** Blocks that one transaction of a merge writes, or removes: 4 MiB. */
const BLOCKS_PER_TRANSACTION = 1024;

const LIST_KEY = Buffer.from('key-runs');

interface RunList {
  /** Oldest first. */
  readonly runs: readonly Run[];
  readonly nextRun: number;
}

export interface KeyRunTables {
  /** Where the list of runs is kept, under a key of its own. */
  readonly meta: Table;
  readonly keys: Table;
  /** That key; default: that of the purchases' keys. */
  readonly listKey?: Buffer;
}

/** What `key` led to, as references to look at, youngest first: other keys may have the same hash. */
export function* findRefs(tables: KeyRunTables, hash: number): IterableIterator<number> {
  for (const { run } of readList(tables).runs.toReversed()) {
    const start = encodePlace({ run, firstHash: hash, block: MAX_BLOCK });
    for (const { key, value } of tables.keys.getRange({ start, reverse: true })) {
      const place = decodePlace(key);
      if (place.run !== run) break;
      const block = KeyBlock.decode(key, value);
      for (let index = block.indexOf(hash); block.hash(index) === hash; index += 1) yield block.ref(index);
      if (place.firstHash < hash) break;
    }
  }
}

/** Runs a function inside one write transaction. */
export type Transact = (work: () => void) => void;

/** Writes runs. */
export class KeyRuns {
  readonly #tables: KeyRunTables;
  readonly #blocksPerTransaction: number;
  #list: RunList;

  constructor(tables: KeyRunTables, blocksPerTransaction = BLOCKS_PER_TRANSACTION) {
    this.#tables = tables;
    this.#blocksPerTransaction = blocksPerTransaction;
    this.#list = readList(tables);
  }

  /** Inside the caller's transaction. */
  append(keys: SortedKeys): void {
    if (keys.count === 0) return;
    const run = this.#list.nextRun;
    const writer = new RunWriter(this.#tables.keys, run);
    keys.writeTo(writer);
    writer.flush();
    this.#replace(this.#list.runs.length, { run, keys: keys.count });
  }

  /** Merges what is due, in as many transactions as keep each of them small. */
  merge(transact: Transact): void {
    const first = this.#firstDue();
    const merged = this.#list.runs.slice(first);
    if (merged.length > 1) this.#merge(first, merged, transact);
    this.#removeUnlisted(transact);
  }

  #merge(first: number, merged: readonly Run[], transact: Transact): void {
    const run = this.#list.nextRun;
    const keys = merged.reduce((sum, each) => sum + each.keys, 0);
    const merge = new RunMerge(this.#tables.keys, merged);
    const writer = new RunWriter(this.#tables.keys, run);
    let isDone = false;
    while (!isDone) {
      transact(() => {
        // With its first blocks, so that no other run gets its number if the merge is interrupted.
        if (this.#list.nextRun === run) this.#save({ runs: this.#list.runs, nextRun: run + 1 });
        isDone = copySome(merge, writer, this.#blocksPerTransaction);
        if (isDone) this.#replace(first, { run, keys });
      });
    }
  }

  /** Removes the blocks of runs that don't count: merged ones, and what an interrupted merge left. */
  #removeUnlisted(transact: Transact): void {
    let isDone = false;
    while (!isDone) {
      transact(() => {
        const run = this.#unlistedRun();
        if (run === undefined) isDone = true;
        else this.#removeSome(run);
      });
    }
  }

  /** The lowest run that has blocks and isn't in the list. */
  #unlistedRun(): number | undefined {
    const listed = new Set(this.#list.runs.map(({ run }) => run));
    let run = this.#runFrom(0);
    while (run !== undefined && listed.has(run)) run = this.#runFrom(run + 1);
    return run;
  }

  #runFrom(run: number): number | undefined {
    for (const key of this.#tables.keys.getKeys({ start: startOfRun(run), limit: 1 })) {
      return decodePlace(key).run;
    }
    return undefined;
  }

  #removeSome(run: number): void {
    const { keys } = this.#tables;
    const range = { start: startOfRun(run), end: startOfRun(run + 1), limit: this.#blocksPerTransaction };
    const places = Array.from(keys.getKeys(range));
    for (const place of places) keys.remove(place);
  }

  /** Where the runs begin that are to become one. */
  #firstDue(): number {
    const { runs } = this.#list;
    let first = runs.length;
    let keys = 0;
    for (let index = runs.length - 1; index >= 0; index -= 1) {
      const size = runs[index]?.keys ?? 0;
      if (size + keys > MAX_RUN_KEYS) break;
      // A run that is larger than all younger ones may still lie between two that are not: a fold can give several.
      if (size <= keys) first = index;
      keys += size;
    }
    return first;
  }

  /** The runs from `first` on become one. */
  #replace(first: number, run: Run): void {
    const nextRun = Math.max(this.#list.nextRun, run.run + 1);
    this.#save({ runs: [...this.#list.runs.slice(0, first), run], nextRun });
  }

  #save(list: RunList): void {
    this.#list = list;
    const { meta, listKey = LIST_KEY } = this.#tables;
    meta.put(listKey, seal(listKey, encodeJson(list)));
  }
}

/** Up to so many blocks; true when nothing is left. Inside a transaction. */
function copySome(merge: RunMerge, writer: RunWriter, blocks: number): boolean {
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

export function readList({ meta, listKey = LIST_KEY }: KeyRunTables): RunList {
  return readRow('meta', meta, listKey, decodeJson<RunList>) ?? { runs: [], nextRun: 1 };
}
