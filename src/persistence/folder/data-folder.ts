/**
 * The data folder: the files that belong to a node, and the version that wrote them.
 *
 *   format              what this file says the others are; written last, when all of them are there
 *   journal-….mdb       the journal's segments, journal-….run when they are packed
 *   checkpoint.mdb      what the journal was folded into
 *   stock.mdb           the items' texts              webhooks.mdb     events, and how their delivery goes
 *   checkpoint-….run, stock-….run   older rows of the two: `../runs/`
 *   files/              what file products deliver    lock.…           the running node's sockets
 *   master-key          opens key-ring                key-ring         the keys that seal texts and secrets
 *   operator-token, operator-address
 *   console-sessions    who is signed in at the console: `../../http/operator/sessions/`; in no backup
 *   told-alerts         which states were told and aren't over: `../../alerts/alert-memory.ts`; in no backup
 *   cluster             which log the folder follows, and how far it has come: `../../cluster/cluster-file.ts`
 *   before-N/           the folder as it was before its upgrade to version N, for as long as the operator keeps it
 *   clean-end           where a backup has a clean end: `../../backup/clean-end-mark.ts`
 *   last-drill, last-head, drill/   the last drill of the backup, the last signed head; what a drill makes
 *   migrating/          an upgrade that is under way, or was interrupted: `../migration/`
 *
 * Invariant: a folder with a `format` has all the files it needs, so a missing one is damage and never a reason to
 * begin anew.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../shared/error-code.ts';
import { CHECKPOINT_FILE, CHECKPOINT_TABLES } from '../checkpoint/checkpoint-tables.ts';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { createLog, isPackedSegment, logFiles } from '../journal/open-log.ts';
import { createEnvironment } from '../lmdb/lmdb-environment.ts';
import { STOCK_TABLES } from '../stock/file/stock-file.ts';
import { OUTBOX_FILE, OUTBOX_TABLES } from '../webhooks/outbox-file.ts';
import {
  FORMAT_FILE,
  FORMAT_VERSION,
  type FolderFormat,
  formatText,
  OLDEST_VERSION,
  parseFormat,
  readFormatText,
  writeFormat,
} from './folder-format.ts';
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

/** The folder can't be used. The message is one line that says why and what to do. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

/** Makes the folder if need be, and says what it made; refuses what `expectUsable` does. */
export function prepareFolder(folder: string, oldest = OLDEST_VERSION): string[] {
  try {
    const made = makeFolder(folder);
    expectUsable(folder, oldest);
    return made;
  } catch (error) {
    if (error instanceof DataFolderError) throw error;
    const reason = folderTrouble(error);
    throw new DataFolderError(`the data folder ${folder} cannot be used: ${reason}`, { cause: error });
  }
}

/** Refuses what isn't a folder, isn't ours, or is older than `oldest`. Changes nothing. Throws `DataFolderError`. */
export function expectUsable(folder: string, oldest = OLDEST_VERSION): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    const reason = folderTrouble(error);
    throw new DataFolderError(`the data folder ${folder} cannot be used: ${reason}`, { cause: error });
  }
  if (isBegun(folder)) {
    const format = formatOf(folder);
    if (isCurrent(format)) requireFiles(folder);
    else if (!mayMigrate(format, oldest)) throw refusal(folder, format, oldest);
    return;
  }
  if (existsSync(join(folder, ADDRESS_FILE))) {
    throw new DataFolderError(`the data folder ${folder} has no file "format": restore a backup`);
  }
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

/** Whether the folder has all that a node begins with, master key and key ring included. */
export function isBegun(folder: string): boolean {
  return existsSync(join(folder, FORMAT_FILE));
}

/** Makes the files of a new folder; goes on with a beginning that was interrupted. The lock must be held. */
export async function beginFolder(folder: string): Promise<void> {
  if (existsSync(join(folder, FORMAT_FILE))) return;
  try {
    await createLog(folder);
    await createEnvironment(join(folder, CHECKPOINT_FILE), CHECKPOINT_TABLES);
    await createEnvironment(join(folder, STOCK_FILE), STOCK_TABLES);
    await createEnvironment(join(folder, OUTBOX_FILE), OUTBOX_TABLES);
    writeFormat(folder, { version: FORMAT_VERSION });
  } catch (error) {
    const reason = folderTrouble(error);
    throw new DataFolderError(`the data folder ${folder} cannot be initialized: ${reason}`, { cause: error });
  }
}

/** Throws unless the folder has the format that this version reads and writes, and all its files. */
export function checkFormat(folder: string): void {
  const format = formatOf(folder);
  if (!isCurrent(format)) throw refusal(folder, format);
  requireFiles(folder);
}

export function isCurrent({ version, replacedBy }: FolderFormat): boolean {
  return version === FORMAT_VERSION && replacedBy === undefined;
}

function requireFiles(folder: string): void {
  const missing = dataFiles(folder).find((file) => !existsSync(file));
  const newest = logFiles(folder).at(-1);
  // A segment is packed when the next one has begun.
  if (missing !== undefined || newest === undefined || isPackedSegment(newest)) {
    throw new DataFolderError(
      `the data folder is incomplete: ${missing ?? join(folder, 'journal-….mdb')} is missing; restore a backup`,
    );
  }
}

/** Throws when the folder has none, or one that can't be read. */
export function formatOf(folder: string): FolderFormat {
  let text: string;
  try {
    text = readFormatText(folder);
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT';
    const message = isMissing
      ? `${folder} is not a Purser data folder: it has no file "format"`
      : `${join(folder, FORMAT_FILE)} cannot be read: ${folderTrouble(error)}`;
    throw new DataFolderError(message, { cause: error });
  }
  const format = parseFormat(text);
  if (format === undefined) throw refusalOf(folder, text.slice(0, 60).trim());
  return format;
}

/** Whether an upgrade leads from it to this version, or has only to be completed. True of this version, too. */
export function mayMigrate(
  { version, replacedBy = version }: FolderFormat,
  oldest = OLDEST_VERSION,
): boolean {
  return replacedBy >= oldest && replacedBy <= FORMAT_VERSION;
}

/** Why this version does not open it as it is. */
export function refusal(folder: string, format: FolderFormat, oldest = OLDEST_VERSION): DataFolderError {
  if (!mayMigrate(format, oldest)) return refusalOf(folder, formatText(format));
  if (format.replacedBy === format.version)
    return new DataFolderError(
      `the import into the data folder ${folder} was interrupted: a start of the node completes it`,
    );
  if (format.replacedBy !== undefined)
    return new DataFolderError(
      `the upgrade of the data folder ${folder} was interrupted: \`purser migrate\`, or a start, completes it`,
    );
  return new DataFolderError(
    `the data folder ${folder} has version ${format.version}, and this version of Purser reads ${FORMAT_VERSION}: ` +
      '`purser migrate`, or a start, makes one of it',
  );
}

function refusalOf(folder: string, found: string): DataFolderError {
  return new DataFolderError(
    `the data folder ${folder} has format ${JSON.stringify(found)}, and this version of Purser reads ` +
      `"${formatText({ version: FORMAT_VERSION })}": use the version that wrote it, or restore a backup`,
  );
}

/** Every file of the folder that must be there and is named by no other, the journal's segments included. */
export function dataFiles(folder: string): string[] {
  return [
    ...logFiles(folder),
    ...[CHECKPOINT_FILE, STOCK_FILE, OUTBOX_FILE].map((name) => join(folder, name)),
  ];
}

const OUR_NAMES =
  /^(lock|format|files|master-key|key-ring|operator-token|operator-address|console-sessions|demo-key|demo-supplier|room-probe|clean-end|cluster|last-drill|last-head|told-alerts|drill|(journal-\d{16}|checkpoint|stock|webhooks)\.mdb|(checkpoint|stock)-\d{10}\.run|journal-\d{16}\.run)([-.].*)?$/;

function isOurs(name: string): boolean {
  return OUR_NAMES.test(name);
}

/** Whether it goes when another version's files take the place of these. The format and the lock stay. */
export function isReplaced(name: string): boolean {
  return isOurs(name) && !/^(lock|format|room-probe|drill|cluster)([-.].*)?$/.test(name);
}
