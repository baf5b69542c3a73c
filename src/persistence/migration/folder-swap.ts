/**
 * The names of an upgrade, and the moment when a proved folder takes the place of the older one, inside the data folder:
 * that may be a mounted disk, which nobody can rename.
 *
 *   migrating/N/        the folder of version N while it is made and proved
 *   before-N/           the older one afterwards: a data folder of its own, with its format
 *
 * Invariant: until `format` says that a version is being replaced, nothing of the old folder was touched, and
 * `migrating/` is worth nothing. From then on there is only the way forward, and every start goes it to its end before
 * anything else: the old names go to `before-N/`; its `format` says that it has them all; the new ones come in;
 * `format` says that they are there. Each part can be repeated, and its names are durable before the next one begins.
 *
 * Rejected: to rename whole folders, for the sake of mounted disks; and a name in `format` of the folder that counts,
 * for then every reader would have to look there first.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolderOf } from '../disk/durable-file.ts';
import { isReplaced } from '../folder/data-folder.ts';
import { FORMAT_FILE, writeFormat } from '../folder/folder-format.ts';

const WORK_FOLDER = 'migrating';

/** Where the folder of version `from` is kept. */
export function keptFolder(folder: string, from: number, to: number): string {
  return join(folder, from === to ? `restored-${to}` : `before-${to}`);
}

/** Where the folder of this version is made. */
export function workFolder(folder: string, to: number): string {
  return join(folder, WORK_FOLDER, String(to));
}

export function hasWork(folder: string): boolean {
  return existsSync(join(folder, WORK_FOLDER));
}

/**
 * As often as it is tried again, within half a minute: the process of a node that was killed writes until it hears of that,
 * and has the lowest priority.
 */
const MAX_RETRIES = 24;

/** Removes the work of an upgrade that was broken off, or that is complete. */
export function removeWork(folder: string): void {
  rmSync(join(folder, WORK_FOLDER), { recursive: true, force: true, maxRetries: MAX_RETRIES });
}

/** Puts the folder of version `to`, which is whole, proved and durable, in the place of the one of version `from`. */
export function swapFolders(folder: string, from: number, to: number): void {
  writeFormat(folder, { version: from, replacedBy: to });
  completeSwap(folder, from, to);
}

/** Goes on where it was interrupted. Throws the file system's errors: then it can be called again. */
export function completeSwap(folder: string, from: number, to: number): void {
  const kept = keptFolder(folder, from, to);
  if (!existsSync(join(kept, FORMAT_FILE))) {
    if (!existsSync(kept)) mkdirSync(kept, { mode: 0o700 });
    move(folder, kept, readdirSync(folder).filter(isReplaced));
    writeFormat(kept, { version: from });
  }
  const work = workFolder(folder, to);
  move(work, folder, readdirSync(work).filter(isReplaced));
  writeFormat(folder, { version: to });
  removeWork(folder);
}

function move(from: string, to: string, names: readonly string[]): void {
  for (const name of names) renameSync(join(from, name), join(to, name));
  // Each in its own folder: any name would do.
  for (const folder of [to, from]) syncFolderOf(join(folder, FORMAT_FILE));
}
