/**
 * Moves old rows out of the database into run files, and merges run files, so that there are few. In the thread that
 * writes the rows, between its other work, in parts of a tenth of a second or so.
 *
 * Invariant: a file is durable before the list names it, and the rows that moved to it leave the database in the same
 * transaction. So whatever is interrupted, every row is in one place. Runs of a table are merged with their neighbours
 * by age only, so the younger still counts. Nobody waits for any of it.
 *
 * The database so has a bounded number of rows, whatever the history, and a start, which reads all of it, takes no
 * longer with a longer one. Rejected: to write run files from the fold itself. A fold comes every few seconds and may
 * be small, and LMDB has what it takes already: transactions with the state's rows, and a way back after a full disk.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../shared/error-code.ts';
import { keepRoomForJournal } from '../disk/disk-room.ts';
import { DamagedFileError, RefusedFileError } from '../lmdb/damaged-file.ts';
import type { Environment, Table } from '../lmdb/lmdb-environment.ts';
import type { Transact } from '../lmdb/lmdb-table.ts';
import { TableFilter } from '../store/table-filter.ts';
import { copyRows, dueOf } from './merged-table.ts';
import { RunFile } from './run-file.ts';
import { type ListedRun, type RunList, readRunList, removeUnlisted, writeRunList } from './run-list.ts';
import type { RunSet } from './run-set.ts';
import { RunWriter, type WrittenRun } from './run-writer.ts';
import type { TieredTable } from './tiered-table.ts';

/** Rows leave the database when they take so much there. */
const MOVED_BYTES = 16 * 1024 * 1024;
const STEP_BYTES = 4 * 1024 * 1024;

export interface CompactionLimits {
  /** Rows leave the database when they take so much there. */
  readonly movedBytes: number;
  readonly stepBytes: number;
}

const LIMITS: CompactionLimits = {
  movedBytes: MOVED_BYTES,
  stepBytes: STEP_BYTES,
};

export interface CompactedTables {
  readonly environment: Environment;
  readonly meta: Table;
  /** The first part of the files' names. */
  readonly kind: string;
  readonly runs: RunSet;
  readonly tiered: readonly TieredTable[];
}

/** The result of a step: whether the next one is wanted at once, or may rest; false when nothing is left to do. */
export type StepDone = 'hurry' | 'rest' | false;

/** The most runs that are left for long: a look for a row may have to ask each of them. */
const MANY_RUNS = 64;

/** A merge, in parts. */
type Merge = Iterator<undefined, void>;

export class Compaction {
  readonly #tables: CompactedTables;
  readonly #transact: Transact;
  readonly #limits: CompactionLimits;
  /** Tables with a damaged run: they keep the runs that they have. */
  readonly #damaged = new Set<string>();
  #merge: Merge | undefined;
  #next = 0;
  /** Whether there may be a file that was written, and not listed. */
  #isUntidy = true;

  constructor(tables: CompactedTables, transact: Transact, limits: Partial<CompactionLimits> = {}) {
    this.#tables = tables;
    this.#transact = transact;
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * Does a part of what is due; false when nothing is. Throws what LMDB and the file system do; `DamagedFileError` for
   * a run that is damaged, once for its table; and `RefusedFileError` for one that the system doesn't give now: the
   * next step tries again. The merge or move that was begun is given up then, and nothing has changed.
   */
  step(): StepDone {
    if (this.#isUntidy) this.#tidy();
    // Until the end: whether a commit that has failed is on disk is known when the list is read again.
    this.#isUntidy = true;
    const isDone = this.#doPart();
    this.#isUntidy = false;
    return isDone;
  }

  #doPart(): StepDone {
    if (this.#move()) return 'hurry';
    if (!this.#goOnMerging() && !this.#beginMerge(this.#dueMerge())) return false;
    return readRunList(this.#tables.meta).runs.length > MANY_RUNS ? 'hurry' : 'rest';
  }

  /** Whether rows come faster than they are moved: their writer should take a part in it. */
  get isBehind(): boolean {
    return youngBytes(this.#tables.tiered) >= 2 * this.#limits.movedBytes;
  }

  /** Gives up what is begun. The files on disk are whole at any time. */
  stop(): void {
    this.#merge?.return?.();
    this.#merge = undefined;
  }

  #tidy(): void {
    this.stop();
    const { environment, meta, kind } = this.#tables;
    const { runs, next } = readRunList(meta);
    removeUnlisted(environment, runs, kind);
    this.#next = next;
    this.#isUntidy = false;
  }

  /** Moves old rows to a run file; also amid a merge, which may take long. */
  #move(): boolean {
    const { tiered } = this.#tables;
    if (youngBytes(tiered) < this.#limits.movedBytes) return false;
    // The largest: those of the others would make many small files.
    const [largest] = tiered.toSorted((one, other) => other.young.pageBytes - one.young.pageBytes);
    return largest !== undefined && this.#moveRows(largest);
  }

  /** The first of them, as many as are moved at once. False when there are none. */
  #moveRows({ name, young, hashOf }: TieredTable): boolean {
    const { movedBytes } = this.#limits;
    let rows = 0;
    const run = this.#write(Math.min(young.pageBytes, movedBytes), (writer) => {
      const hashes: number[] = [];
      for (const row of young.getRange()) {
        writer.add(row.key, row.value);
        if (hashOf !== undefined) hashes.push(hashOf(row.key));
        if (writer.length >= movedBytes) break;
      }
      rows = writer.rows;
      const filter = hashOf && TableFilter.of(hashes.length);
      for (const hash of hashes) filter?.add(hash);
      return filter;
    });
    if (run === undefined) return false;
    this.#transact(() => {
      if (rows === young.size) young.clearSync();
      else for (const key of Array.from(young.getKeys({ limit: rows }))) young.removeSync(key);
      this.#change((runs) => [...runs, { ...run, table: name }]);
    });
    return true;
  }

  #goOnMerging(): boolean {
    if (this.#merge === undefined) return false;
    if (this.#merge.next().done === true) this.#merge = undefined;
    return true;
  }

  #beginMerge(due: DueMerge | undefined): boolean {
    if (due === undefined) return false;
    this.#merge = this.#merging(due);
    return this.#goOnMerging();
  }

  /** The merge of the first table that has one due. */
  #dueMerge(): DueMerge | undefined {
    const { meta, tiered } = this.#tables;
    const { runs } = readRunList(meta);
    for (const table of tiered) {
      const due = this.#damaged.has(table.name) ? [] : dueOf(runs, table.name);
      if (due.length > 0) return { table, due };
    }
    return undefined;
  }

  *#merging({ table, due }: DueMerge): Merge {
    const { meta } = this.#tables;
    const { name } = table;
    const isOldest = readRunList(meta).runs.find((run) => run.table === name)?.number === due[0]?.number;
    const files: RunFile[] = [];
    const bytes = due.reduce((sum, run) => sum + run.bytes, 0);
    const { stepBytes } = this.#limits;
    let writer: RunWriter | undefined;
    let written: WrittenRun | undefined;
    try {
      for (const run of due) files.push(openRun(this.#tables.runs.path(run), run));
      const { number, writer: begun } = this.#begin(bytes);
      writer = begun;
      const filter = yield* copyRows(table, files, writer, { isOldest, stepBytes });
      if (writer.rows > 0) written = writer.finish(filter);
      const inPlace = written === undefined ? [] : [{ ...written, table: name, number }];
      const merged = new Set(due.map((run) => run.number));
      this.#transact(() =>
        this.#change((runs) =>
          runs.flatMap((run) => {
            if (run.number === due[0]?.number) return inPlace;
            return merged.has(run.number) ? [] : [run];
          }),
        ),
      );
      for (const run of due) rmSync(this.#tables.runs.path(run), { force: true });
      this.#tables.runs.letGo();
    } catch (error) {
      const isDamaged = error instanceof DamagedFileError && !(error instanceof RefusedFileError);
      if (isDamaged) this.#damaged.add(name);
      throw error;
    } finally {
      for (const file of files) file.close();
      if (written === undefined) writer?.abandon();
    }
  }

  /** A new run of the rows that `fill` adds, about so many bytes; undefined when there are none. */
  #write(
    bytes: number,
    fill: (writer: RunWriter) => TableFilter | undefined,
  ): (WrittenRun & { readonly number: number }) | undefined {
    const { number, writer } = this.#begin(bytes);
    let written: WrittenRun | undefined;
    try {
      const filter = fill(writer);
      if (writer.rows > 0) written = writer.finish(filter);
    } finally {
      if (written === undefined) writer.abandon();
    }
    return written && { ...written, number };
  }

  /** Throws `ENOSPC` rather than take what the journal needs. */
  #begin(bytes: number): { readonly number: number; readonly writer: RunWriter } {
    keepRoomForJournal(dirname(this.#tables.environment.file), bytes);
    const number = this.#next;
    this.#next += 1;
    return { number, writer: new RunWriter(this.#tables.runs.path({ number })) };
  }

  /** Inside a transaction. */
  #change(change: (runs: RunList['runs']) => RunList['runs']): void {
    const { meta } = this.#tables;
    writeRunList(meta, { runs: change(readRunList(meta).runs), next: this.#next });
  }
}

interface DueMerge {
  readonly table: TieredTable;
  /** The oldest first; neighbours. */
  readonly due: readonly ListedRun[];
}

/** Nobody else removes it, so one that isn't there is damage. */
function openRun(path: string, run: ListedRun): RunFile {
  try {
    return new RunFile(path, run);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (code === 'ENOENT') throw new DamagedFileError(path, 'is missing', { cause: error });
    throw new RefusedFileError(path, 'cannot be opened', error);
  }
}

/** Bytes of the pages with the rows that are in the database. */
function youngBytes(tables: readonly TieredTable[]): number {
  return tables.reduce((sum, { young }) => sum + young.pageBytes, 0);
}
