/**
 * The keys of all purchases that the checkpoint holds, in runs: each transaction of a fold appends its keys as one
 * sorted run, and runs are merged so that there are few. When they have many keys together, they become one run file
 * (`moved-keys.ts`), and these are merged in turn (`../../runs/compaction.ts`).
 *
 * Invariant: once merged, each run is larger than all younger ones together, so the number of runs grows with the
 * logarithm of the history, and so does the number of times that a key is written; a run counts once it is in the list,
 * which changes in one transaction; a run's number is never given out again, so what an interrupted merge left is never
 * taken for a part of another run. Rejected: one tree by key, in which every fold touches a page for nearly each of its
 * keys, keeps them all in memory until it commits, and costs more the longer the history is.
 */

import { decodeJson, encodeJson, readRow, seal } from '../../codec/sealed-row.ts';
import type { Table } from '../../lmdb/lmdb-environment.ts';
import type { Transact } from '../../lmdb/lmdb-table.ts';
import type { RunFile } from '../../runs/run-file.ts';
import type { RunSet } from '../../runs/run-set.ts';
import { decodePlace, startOfRun } from './key-block.ts';
import { FileRun, type KeyRun, refsIn, TableRun } from './key-run.ts';
import { copyKeys, KeyWriter, RunMerge } from './run-merge.ts';
import type { SortedKeys } from './sorted-keys.ts';

/** Blocks that one transaction of a merge writes, or removes: 4 MiB. */
const BLOCKS_PER_TRANSACTION = 1024;

const LIST_KEY = Buffer.from('key-runs');

interface KeyRunList {
  /** Oldest first. */
  readonly runs: readonly { readonly run: number; readonly keys: number }[];
  readonly nextRun: number;
}

/** The runs of purchases' keys. */
export function purchaseKeys({ meta, keys, runs }: PurchaseKeyTables): KeyRunTables {
  return { meta, keys, files: () => runs.of('keys') };
}

interface PurchaseKeyTables {
  readonly meta: Table;
  readonly keys: Table;
  readonly runs: RunSet;
}

export interface KeyRunTables {
  /** Where the list of runs is kept, under a key of its own. */
  readonly meta: Table;
  readonly keys: Table;
  /** The key of that list; default: that of the purchases' keys. */
  readonly listKey?: Buffer;
  /** Older runs, the youngest first. */
  readonly files: () => readonly RunFile[];
}

/** All runs, the youngest first. Throws `DamagedDataError`. */
export function keyRuns(tables: KeyRunTables): KeyRun[] {
  // First: who finds that a file is gone reads on with a younger snapshot, of which the database's list must be, too.
  const files = tables.files().map((file) => new FileRun(file));
  const young = readList(tables).runs.map((run) => new TableRun(tables.keys, run));
  return [...young.reverse(), ...files];
}

/** References of keys with this hash, to be looked at, youngest first: other keys may have the same one. */
export function* findRefs(tables: KeyRunTables, hash: number): IterableIterator<number> {
  for (const run of keyRuns(tables)) if (run.mayHave(hash)) yield* refsIn(run, hash);
}

/** Writes runs. */
export class KeyRuns {
  readonly #tables: KeyRunTables;
  readonly #blocksPerTransaction: number;
  #list: KeyRunList;

  constructor(tables: KeyRunTables, blocksPerTransaction = BLOCKS_PER_TRANSACTION) {
    this.#tables = tables;
    this.#blocksPerTransaction = blocksPerTransaction;
    this.#list = readList(tables);
  }

  /** Inside the caller's transaction. */
  append(keys: SortedKeys): void {
    if (keys.count === 0) return;
    const run = this.#list.nextRun;
    const writer = KeyWriter.toTable(this.#tables.keys, run);
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

  /** How many keys the database's runs have. */
  get count(): number {
    return this.#list.runs.reduce((sum, { keys }) => sum + keys, 0);
  }

  /** All keys of the database's runs, ascending. */
  all(): RunMerge {
    return new RunMerge(this.#tableRuns(this.#list.runs));
  }

  /** Takes all runs out of the list, because they are elsewhere. Inside a transaction; `merge` removes their blocks. */
  forgetAll(): void {
    this.#save({ runs: [], nextRun: this.#list.nextRun });
  }

  #tableRuns(runs: KeyRunList['runs']): TableRun[] {
    return runs.map((run) => new TableRun(this.#tables.keys, run));
  }

  #merge(first: number, merged: KeyRunList['runs'], transact: Transact): void {
    const run = this.#list.nextRun;
    const keys = merged.reduce((sum, each) => sum + each.keys, 0);
    const merge = new RunMerge(this.#tableRuns(merged));
    const writer = KeyWriter.toTable(this.#tables.keys, run);
    let isDone = false;
    while (!isDone) {
      transact(() => {
        // With its first blocks, so that no other run gets its number if the merge is interrupted.
        if (this.#list.nextRun === run) this.#save({ runs: this.#list.runs, nextRun: run + 1 });
        isDone = copyKeys(merge, writer, this.#blocksPerTransaction);
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
      // A run that is larger than all younger ones may still lie between two that are not: a fold can give several.
      if (size <= keys) first = index;
      keys += size;
    }
    return first;
  }

  /** The runs from `first` on become one. */
  #replace(first: number, run: KeyRunList['runs'][number]): void {
    const nextRun = Math.max(this.#list.nextRun, run.run + 1);
    this.#save({ runs: [...this.#list.runs.slice(0, first), run], nextRun });
  }

  #save(list: KeyRunList): void {
    this.#list = list;
    const { meta, listKey = LIST_KEY } = this.#tables;
    meta.put(listKey, seal(listKey, encodeJson(list)));
  }
}

function readList({ meta, listKey = LIST_KEY }: KeyRunTables): KeyRunList {
  return readRow('meta', meta, listKey, decodeJson<KeyRunList>) ?? { runs: [], nextRun: 1 };
}
