/**
 * The run files that a database's list names, open: as the snapshot has the list that its rows are read from.
 *
 * Invariant: a look into the database first, and then here, misses nothing: a row leaves the database in the
 * transaction that names its file. A file goes after the transaction in which another one took its place, so a reader
 * of an older list may miss it, and reads the list anew.
 */
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../shared/error-code.ts';
import { DamagedFileError, RefusedFileError } from '../lmdb/damaged-file.ts';
import type { Environment, Table } from '../lmdb/lmdb-environment.ts';
import { RunFile } from './run-file.ts';
import { decodeRunList, type ListedRun, RUN_LIST_KEY, readRunList, runFileName } from './run-list.ts';

/** A run file that was read to its end. */
export interface CheckedRun {
  readonly name: string;
  readonly table: string;
  readonly rows: number;
}

const NO_FILES: readonly RunFile[] = [];
const ATTEMPTS = 5;

export class RunSet {
  readonly #environment: Environment;
  readonly #meta: Table;
  readonly #kind: string;
  #bytes: Buffer | undefined;
  #open = new Map<number, RunFile>();
  #byTable = new Map<string, RunFile[]>();

  /** `kind` is the first part of the files' names. */
  constructor(environment: Environment, meta: Table, kind: string) {
    this.#environment = environment;
    this.#meta = meta;
    this.#kind = kind;
  }

  /** The files of a table, the youngest first. Throws `DamagedFileError`. */
  of(table: string): readonly RunFile[] {
    this.follow();
    return this.#byTable.get(table) ?? NO_FILES;
  }

  /** Reads all of them. Throws `DamagedFileError`, and what `look` throws. */
  check(look: (table: string, key: Buffer, row: Buffer) => void): CheckedRun[] {
    this.follow();
    return readRunList(this.#meta).runs.map((run) => {
      this.#open.get(run.number)?.check((key, row) => look(run.table, key, row));
      return { name: basename(this.path(run)), table: run.table, rows: run.rows };
    });
  }

  path({ number }: Pick<ListedRun, 'number'>): string {
    return join(dirname(this.#environment.file), runFileName(this.#kind, number));
  }

  close(): void {
    for (const file of this.#open.values()) file.close();
    this.#open.clear();
    this.#byTable.clear();
    this.#bytes = undefined;
  }

  /** Lets go of files whose place others have taken, so that their room is free. */
  letGo(): void {
    try {
      this.follow();
    } catch (error) {
      // Who looks for a row is told.
      if (!(error instanceof DamagedFileError)) throw error;
    }
  }

  /** Opens what the list names now. Throws `DamagedFileError`. */
  follow(): void {
    for (let attempt = 1; ; attempt += 1) {
      const bytes = this.#meta.get(RUN_LIST_KEY);
      if (bytes === this.#bytes || (bytes !== undefined && this.#bytes?.equals(bytes))) return;
      try {
        this.#replace(decodeRunList(bytes).runs);
        this.#bytes = bytes && Buffer.from(bytes);
        return;
      } catch (error) {
        const code = codeOf(error);
        if (code === undefined) throw error;
        const { path = '' } = error as NodeJS.ErrnoException;
        if (code !== 'ENOENT') throw new RefusedFileError(path, 'cannot be opened', error);
        if (attempt === ATTEMPTS) throw new DamagedFileError(path, 'is missing', { cause: error });
        this.#environment.resetReadTxn();
      }
    }
  }

  #replace(runs: readonly ListedRun[]): void {
    const open = new Map<number, RunFile>();
    const byTable = new Map<string, RunFile[]>();
    try {
      for (const run of runs) {
        const file = this.#open.get(run.number) ?? new RunFile(this.path(run), run);
        open.set(run.number, file);
        byTable.set(run.table, [file, ...(byTable.get(run.table) ?? [])]);
      }
    } catch (error) {
      for (const [number, file] of open) if (!this.#open.has(number)) file.close();
      throw error;
    }
    for (const [number, file] of this.#open) if (!open.has(number)) file.close();
    this.#open = open;
    this.#byTable = byTable;
  }
}
