/**
 * Looks at every database of a data folder before LMDB opens it: its structure, and the checksum of each row.
 *
 * Without this, a flipped byte could send LMDB into a signal. The
 * check reads files once from end to end; so that a start stays quick however old the node is, of the journal only the
 * newest segment is read, and an older one when somebody opens it. `purser verify` reads them all.
 */
import { accessSync, constants, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { unseal } from '../codec/sealed-row.ts';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { FrameChain } from '../journal/frame-chain.ts';
import {
  checkPackedSegment,
  isPackedSegment,
  LOG_TABLES,
  logFiles,
  type ProveSegment,
} from '../journal/open-log.ts';
import type { DataKeys } from '../keys/data-keys.ts';
import { DamagedFileError, RefusedFileError } from '../lmdb/damaged-file.ts';
import { checkLmdbFile, type OnLmdbEntry } from '../lmdb/lmdb-file.ts';
import { lockFileOf } from '../lmdb/lock-file.ts';
import { RUN_LIST_KEY } from '../runs/run-list.ts';
import type { CheckedRun } from '../runs/run-set.ts';
import { isSealed, type OnFingerprint, StockCheck } from '../stock/file/stock-check.ts';
import { openStockFile, STOCK_TABLES } from '../stock/file/stock-file.ts';
import { OUTBOX_FILE, OUTBOX_TABLES } from '../webhooks/outbox-file.ts';
import { dataFiles, STOCK_FILE } from './data-folder.ts';
import { DataFolderError } from './data-folder-error.ts';

/**
 * The newest segments, which a start always opens; a thread that opens an older one looks at it first (`segmentProof`).
 */
const NEWEST_SEGMENTS = 1;

/** Throws `DataFolderError`, one line, when a file is damaged or may not be written to. */
export function checkNewestFiles(folder: string, keys: DataKeys): void {
  const old = new Set(unprovedSegments(folder));
  for (const file of dataFiles(folder)) {
    if (old.has(file)) continue;
    refuseUnwritable(file);
    checkByRules(file, rulesOf(basename(file), keys));
  }
}

/**
 * Whether `stock.mdb` has anything that a data key sealed, or a fingerprint. Throws `DataFolderError` when it is
 * damaged.
 */
export function hasTexts(folder: string): boolean {
  const file = join(folder, STOCK_FILE);
  refuseForbidden(file, constants.R_OK);
  let rows = 0;
  // A list of run files is a row of `meta`, too.
  const onEntry = (table: string, key: Uint8Array) => {
    rows += Number(table !== 'meta' || RUN_LIST_KEY.equals(key));
  };
  checkByRules(file, { tables: STOCK_TABLES, onEntry });
  return rows > 0;
}

/** Segments of the journal that a start doesn't read. */
export function unprovedSegments(folder: string): string[] {
  return logFiles(folder).slice(0, -NEWEST_SEGMENTS);
}

/**
 * For a thread that reads the journal: looks at a segment that the start left out before it is opened for the first time.
 * Segments that begin later are the node's own. Throws `DataFolderError`.
 */
export function segmentProof(folder: string): ProveSegment {
  const unproved = new Set(unprovedSegments(folder));
  return (file) => {
    if (!unproved.has(file)) return;
    checkSegment(file);
    unproved.delete(file);
  };
}

/** Checks one file, which this process may have no right to change; says how many entries it holds. */
export function checkFile(file: string, keys: DataKeys, onFingerprint?: OnFingerprint): number {
  refuseForbidden(file, constants.R_OK);
  return checkByRules(file, rulesOf(basename(file), keys, onFingerprint));
}

/**
 * Reads all run files of a folder whose databases are sound and may be opened; says what each has. Rejects with
 * `DataFolderError`.
 */
export async function checkRuns(
  folder: string,
  keys: DataKeys,
  onFingerprint?: OnFingerprint,
): Promise<CheckedRun[]> {
  try {
    return await checkStockRuns(folder, keys, onFingerprint);
  } catch (error) {
    throw damaged(error, `a run file of ${folder}`);
  }
}

async function checkStockRuns(
  folder: string,
  keys: DataKeys,
  onFingerprint: OnFingerprint | undefined,
): Promise<CheckedRun[]> {
  const { environment, tiers } = openStockFile(join(folder, STOCK_FILE), keys, { isReadOnly: true });
  try {
    const { row } = new StockCheck(keys, onFingerprint);
    const checked = tiers.runs.check((table, key, value) => {
      if (!isSealed(table)) row(table, key, value);
    });
    // Of what is sealed, a row that a younger one has replaced is never opened, and may be of a key ring that was lost.
    for (const table of tiers.tiered.filter(({ name }) => isSealed(name))) {
      for (const { key, value } of table.getRange()) row(table.name, key, value);
    }
    return checked;
  } finally {
    await environment.close();
  }
}

/** Checks one segment of the journal, which needs no key. */
export function checkSegment(file: string): void {
  refuseUnwritable(file);
  checkByRules(file, segmentRules());
}

function checkByRules(file: string, { tables, onEntry }: FileRules): number {
  try {
    if (isPackedSegment(file)) return checkPackedSegment(file);
    const { entries } = checkLmdbFile(file, onEntry);
    const unknown = [...entries.keys()].find((name) => !tables.includes(name));
    const missing = tables.find((name) => !entries.has(name));
    if (unknown !== undefined) throw new DamagedDataError(`it has an unknown table, ${unknown}`);
    if (missing !== undefined) throw new DamagedDataError(`its table ${missing} is missing`);
    return [...entries.values()].reduce((sum, count) => sum + count, 0);
  } catch (error) {
    throw damaged(error, file);
  }
}

function damaged(error: unknown, file: string): DataFolderError {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof RefusedFileError) return new DataFolderError(reason, { cause: error });
  const what = error instanceof DamagedFileError ? reason : `${file} is damaged: ${reason}`;
  return new DataFolderError(`${what}; stop using this folder and restore a backup`, { cause: error });
}

/** LMDB wants to write to a file and to its lock file even when it only reads, and doesn't say which it couldn't. */
function refuseUnwritable(file: string): void {
  for (const each of [file, lockFileOf(file)]) refuseForbidden(each, constants.R_OK | constants.W_OK);
}

function refuseForbidden(file: string, access: number): void {
  try {
    if (existsSync(file)) accessSync(file, access);
  } catch (error) {
    throw new DataFolderError(`${file} cannot be opened: ${folderTrouble(error)}`, { cause: error });
  }
}

interface FileRules {
  readonly tables: readonly string[];
  readonly onEntry: OnLmdbEntry;
}

function rulesOf(name: string, keys: DataKeys, onFingerprint?: OnFingerprint): FileRules {
  if (name === OUTBOX_FILE) return { tables: OUTBOX_TABLES, onEntry: (...entry) => void unseal(...entry) };
  if (name === STOCK_FILE) return { tables: STOCK_TABLES, onEntry: new StockCheck(keys, onFingerprint).row };
  return segmentRules();
}

function segmentRules(): FileRules {
  const chain = new FrameChain();
  return { tables: LOG_TABLES, onEntry: (_table, _key, frame) => void chain.add(frame) };
}
