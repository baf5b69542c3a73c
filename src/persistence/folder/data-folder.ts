/**
 * The data folder: which files belong to a node, and which version wrote them.
 *
 *   format              what this file says the others are; written last, when all of them are there
 *   journal-….mdb       the journal's segments        checkpoint.mdb   what the journal was folded into
 *   stock.mdb           the items' texts              webhooks.mdb     events, and how their delivery goes
 *   files/              what file products deliver    lock.…           the running node's sockets
 *   master-key          opens key-ring                key-ring         the keys that seal texts and secrets
 *   operator-token, operator-address
 *
 * What always holds: a folder with a `format` has all the files it needs, so a missing one is damage and
 * never a reason to begin anew.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKPOINT_FILE, CHECKPOINT_TABLES } from '../checkpoint/checkpoint-tables.ts';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { writeDurably } from '../disk/durable-file.ts';
import { createLog, logFiles } from '../journal/open-log.ts';
import { createEnvironment } from '../lmdb/lmdb-environment.ts';
import { STOCK_TABLES } from '../stock/file/stock-file.ts';
import { OUTBOX_FILE, OUTBOX_TABLES } from '../webhooks/outbox-file.ts';
import { makeFolder } from './new-folder.ts';

export const STOCK_FILE = 'stock.mdb';
const FORMAT_FILE = 'format';
/** Written by a node that has started, so a folder that has it was begun. */
export const ADDRESS_FILE = 'operator-address';
const FORMAT = 'purser data folder, version 12\n';

/** The folder can't be used. The message is one line that says why and what to do. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

/** Makes the folder if need be; refuses what isn't one, or isn't ours. */
export function prepareFolder(folder: string): void {
  let names: string[];
  try {
    makeFolder(folder);
    names = readdirSync(folder);
  } catch (error) {
    const reason = folderTrouble(error);
    throw new DataFolderError(`the data folder ${folder} cannot be used: ${reason}`, { cause: error });
  }
  if (isBegun(folder)) {
    checkFormat(folder);
    return;
  }
  if (existsSync(join(folder, ADDRESS_FILE))) {
    throw new DataFolderError(`the data folder ${folder} has no file "format": restore a backup`);
  }
  const strangers = names.filter((name) => !isOurs(name));
  if (strangers.length > 0) {
    throw new DataFolderError(
      `${folder} holds other files (${strangers[0]}) and no Purser data: choose an empty folder with --data`,
    );
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
    writeDurably(join(folder, FORMAT_FILE), FORMAT);
  } catch (error) {
    const reason = folderTrouble(error);
    throw new DataFolderError(`the data folder ${folder} cannot be initialized: ${reason}`, { cause: error });
  }
}

/** Throws unless the folder has a format that this version knows, and all its files. */
export function checkFormat(folder: string): void {
  const format = readFormat(folder);
  if (format !== FORMAT) {
    const found = JSON.stringify(format.slice(0, 60).trim());
    throw new DataFolderError(
      `the data folder ${folder} has format ${found}, and this version of Purser reads ` +
        `"${FORMAT.trim()}": use the version that wrote it, or restore a backup`,
    );
  }
  const missing = dataFiles(folder).find((file) => !existsSync(file));
  if (missing !== undefined || logFiles(folder).length === 0) {
    throw new DataFolderError(
      `the data folder is incomplete: ${missing ?? join(folder, 'journal-….mdb')} is missing; restore a backup`,
    );
  }
}

function readFormat(folder: string): string {
  const file = join(folder, FORMAT_FILE);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const message = isMissing
      ? `${folder} is not a Purser data folder: it has no file "format"`
      : `${file} cannot be read: ${folderTrouble(error)}`;
    throw new DataFolderError(message, { cause: error });
  }
}

/** Every LMDB file of the folder that must be there, the journal's segments included. */
export function dataFiles(folder: string): string[] {
  return [
    ...logFiles(folder),
    ...[CHECKPOINT_FILE, STOCK_FILE, OUTBOX_FILE].map((name) => join(folder, name)),
  ];
}

const OUR_NAMES =
  /^(lock|format|files|master-key|key-ring|operator-token|operator-address|demo-key|demo-supplier|room-probe|(journal-\d{16}|checkpoint|stock|webhooks)\.mdb)([-.].*)?$/;

function isOurs(name: string): boolean {
  return OUR_NAMES.test(name);
}
