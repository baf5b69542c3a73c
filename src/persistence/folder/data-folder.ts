/**
 * The data folder: the files that belong to a node, and the version that wrote them.
 *
 *   format              what this file says the others are; written last, when all of them are there
 *   journal-….mdb       the journal's segments, journal-….run when they are packed
 *   checkpoint/         what the journal was folded into: `../checkpoint/checkpoint.ts`
 *   stock.mdb           the items' texts              webhooks.mdb     events, and how their delivery goes
 *   stock-….run         older rows of stock: `../runs/`
 *   files/              what file products deliver    lock.…           the running node's sockets
 *   master-key          opens key-ring                key-ring         the keys that seal texts and secrets
 *   master-key-saved    which master key its owner has elsewhere: `../keys/saved-key.ts`; in no backup
 *   operator-token, operator-address
 *   console-sessions    who is signed in at the console: `../../http/operator/sessions/`; in no backup
 *   told-alerts         which states were told and aren't over: `../../alerts/alert-memory.ts`; in no backup
 *   cluster             which log the folder follows, and how far it has come: `../../cluster/cluster-file.ts`
 *   clean-end           where a backup has a clean end: `../../backup/clean-end/clean-end-mark.ts`
 *   last-drill          the last drill of the backup
 *   unfinished/         what hasn't got its name yet: `../disk/unfinished.ts`
 *
 * Invariant: a folder with a `format` has all the files it needs, so a missing one is damage and never a reason to
 * begin anew.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../shared/error-code.ts';
import { checkpointIn, createCheckpoint } from '../checkpoint/checkpoint.ts';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { UNFINISHED_FOLDER } from '../disk/unfinished.ts';
import { createLog, isPackedSegment, logFiles } from '../journal/open-log.ts';
import { createEnvironment } from '../lmdb/lmdb-environment.ts';
import { STOCK_TABLES } from '../stock/file/stock-file.ts';
import { LIST_FILE } from '../store/file-list.ts';
import { OUTBOX_FILE, OUTBOX_TABLES } from '../webhooks/outbox-file.ts';
import { DataFolderError } from './data-folder-error.ts';
import { FORMAT_FILE, formatRefusal, isCurrentFormat, readFormatText, writeFormat } from './folder-format.ts';
import { makeFolder } from './new-folder.ts';
import { otherFiles } from './other-files.ts';

export const STOCK_FILE = 'stock.mdb';
/** The token of the owner, unless it is in the environment. */
export const TOKEN_FILE = 'operator-token';
/** Written by a node that has started, so a folder that has it was begun. */
export const ADDRESS_FILE = 'operator-address';

/** Sessions of the console. The file stays with this folder alone: folders that are made of it know nobody. */
export const SESSIONS_FILE = 'console-sessions';
export const TOLD_ALERTS_FILE = 'told-alerts';

/** Says where a backup has a clean end that isn't taken back yet. */
export const CLEAN_END_FILE = 'clean-end';

/** The folder belongs to a node of a cluster. */
export const CLUSTER_FILE = 'cluster';

/** Makes the folder if need be, and says what it made; refuses what `expectUsable` does. */
export function prepareFolder(folder: string): string[] {
  try {
    const made = makeFolder(folder);
    expectUsable(folder);
    return made;
  } catch (error) {
    if (error instanceof DataFolderError) throw error;
    const reason = folderTrouble(error);
    throw new DataFolderError(`the data folder ${folder} cannot be used: ${reason}`, { cause: error });
  }
}

/** Refuses what isn't a folder, isn't ours, or has another format. Changes nothing. Throws `DataFolderError`. */
export function expectUsable(folder: string): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    const reason = folderTrouble(error);
    throw new DataFolderError(`the data folder ${folder} cannot be used: ${reason}`, { cause: error });
  }
  if (isBegun(folder)) return checkFormat(folder);
  if (existsSync(join(folder, ADDRESS_FILE))) {
    throw new DataFolderError(`the data folder ${folder} has no file "format": restore a backup`);
  }
  const unfinished = join(folder, UNFINISHED_FOLDER);
  if (existsSync(unfinished)) names.push(...readdirSync(unfinished));
  const strangers = names.filter((name) => !isOurs(name));
  if (strangers.length > 0) {
    throw new DataFolderError(otherFiles(folder, strangers));
  }
}

/**
 * Takes away what a beginning that has failed left, but not what was there before (`had`). The lock must be held. Only
 * files that a start makes are taken away: no shop has begun there.
 */
export function clearBeginning(folder: string, had: readonly string[]): void {
  if (isBegun(folder)) return;
  for (const name of readdirSync(folder)) {
    if (isOurs(name) && !had.includes(name) && !name.startsWith('lock'))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * Removes what a crash left half-written. The lock must be held, and nothing be open. Throws `DataFolderError`.
 *
 * A folder in there is a whole shop, which a drill made: nobody waits for its removal, which `onStuck` hears of when it
 * fails. No name of a folder is taken twice.
 */
export function emptyUnfinished(folder: string, onStuck: (message: string) => void): void {
  const unfinished = join(folder, UNFINISHED_FOLDER);
  const trouble = (error: unknown) => `${unfinished} cannot be emptied: ${folderTrouble(error)}`;
  try {
    if (!existsSync(unfinished)) return;
    for (const entry of readdirSync(unfinished, { withFileTypes: true })) {
      const path = join(unfinished, entry.name);
      if (!entry.isDirectory()) rmSync(path, { force: true });
      // The process of a drill ends with its node, but may still be about to.
      else
        rm(path, { recursive: true, force: true, maxRetries: 10 }).catch((error) => onStuck(trouble(error)));
    }
  } catch (error) {
    throw new DataFolderError(trouble(error), { cause: error });
  }
}

/** Whether the folder has all that a node begins with, master key and key ring included. */
export function isBegun(folder: string): boolean {
  return existsSync(join(folder, FORMAT_FILE));
}

/** Makes the files of a new folder; goes on with a beginning that was interrupted. The lock must be held. */
export async function beginFolder(folder: string): Promise<void> {
  if (existsSync(join(folder, FORMAT_FILE))) return;
  try {
    await createLog(folder);
    createCheckpoint(folder);
    await createEnvironment(join(folder, STOCK_FILE), STOCK_TABLES);
    await createEnvironment(join(folder, OUTBOX_FILE), OUTBOX_TABLES);
    writeFormat(folder);
  } catch (error) {
    const reason = folderTrouble(error);
    throw new DataFolderError(`the data folder ${folder} cannot be initialized: ${reason}`, { cause: error });
  }
}

/** Throws unless the folder has the format that this version reads and writes, and all its files. */
export function checkFormat(folder: string): void {
  const text = formatOf(folder);
  if (!isCurrentFormat(text)) throw new DataFolderError(formatRefusal(folder, text));
  requireFiles(folder);
}

function requireFiles(folder: string): void {
  const needed = [join(checkpointIn(folder), LIST_FILE), ...dataFiles(folder)];
  const missing = needed.find((file) => !existsSync(file));
  const newest = logFiles(folder).at(-1);
  // A segment is packed when the next one has begun.
  if (missing !== undefined || newest === undefined || isPackedSegment(newest)) {
    throw new DataFolderError(
      `the data folder is incomplete: ${missing ?? join(folder, 'journal-….mdb')} is missing; restore a backup`,
    );
  }
}

/** Throws when the folder has none, or one that can't be read. */
function formatOf(folder: string): string {
  try {
    return readFormatText(folder);
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT';
    const message = isMissing
      ? `${folder} is not a Purser data folder: it has no file "format"`
      : `${join(folder, FORMAT_FILE)} cannot be read: ${folderTrouble(error)}`;
    throw new DataFolderError(message, { cause: error });
  }
}

/** The databases of the folder, the journal's segments included: all must be there. */
export function dataFiles(folder: string): string[] {
  return [...logFiles(folder), ...[STOCK_FILE, OUTBOX_FILE].map((name) => join(folder, name))];
}

const OUR_NAMES =
  /^(lock|format|files|master-key|key-ring|operator-token|operator-address|console-sessions|demo-key|demo-supplier|room-probe|clean-end|cluster|last-drill|told-alerts|unfinished|checkpoint|(journal-\d{16}|stock|webhooks)\.mdb|stock-\d{10}\.run|journal-\d{16}\.run)([-.].*)?$/;

function isOurs(name: string): boolean {
  return OUR_NAMES.test(name);
}
