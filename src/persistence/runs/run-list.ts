/**
 * The list of run files, with the table of each: a row of the database's table `meta`, so it changes in one transaction
 * with the rows that move. A file that no list names is of no use to anybody.
 */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decodeJson, encodeJson, seal, unseal } from '../codec/sealed-row.ts';
import type { Environment, Table } from '../lmdb/lmdb-environment.ts';
import type { WrittenRun } from './run-writer.ts';

export interface ListedRun extends WrittenRun {
  readonly table: string;
  /** The number of its file. Never given out again. */
  readonly number: number;
}

export interface RunList {
  /** The runs; of each table the oldest first. */
  readonly runs: readonly ListedRun[];
  readonly next: number;
}

const NO_RUNS: RunList = { runs: [], next: 1 };
/** The key of its row in `meta`. */
export const RUN_LIST_KEY: Buffer = Buffer.from('run-files');

/** Throws `DamagedDataError`. */
export function readRunList(meta: Table): RunList {
  return decodeRunList(meta.get(RUN_LIST_KEY));
}

/** The list of the row as it lies there. Throws `DamagedDataError`. */
export function decodeRunList(row: Buffer | undefined): RunList {
  return row === undefined ? NO_RUNS : decodeJson<RunList>(unseal('meta', RUN_LIST_KEY, row));
}

/** Inside a transaction. */
export function writeRunList(meta: Table, list: RunList): void {
  meta.put(RUN_LIST_KEY, seal(RUN_LIST_KEY, encodeJson(list)));
}

/** `kind`: whose rows, such as `stock`. */
export function runFileName(kind: string, number: number): string {
  return `${kind}-${String(number).padStart(10, '0')}.run`;
}

const NAME = /^stock-(\d{10})\.run$/;

/** Whether a file of a data folder is one. */
export function isRunFile(name: string): boolean {
  return NAME.test(name);
}

/** Run files of a folder, whoever names them. */
export function runFilesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter(isRunFile)
    .map((name) => join(folder, name));
}

/** Removes runs that were merged, or written for nothing, before an interruption. Called by the list's writer, while it writes no file. */
export function removeUnlisted({ file }: Environment, runs: RunList['runs'], kind: string): void {
  const listed = new Set(runs.map(({ number }) => runFileName(kind, number)));
  const folder = dirname(file);
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${kind}-`) && isRunFile(name) && !listed.has(name)) rmSync(join(folder, name));
  }
}
