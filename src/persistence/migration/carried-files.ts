/**
 * The files that a step leaves as they are, in the next version's folder: all but those that it replaces.
 *
 * Invariant: later writes to the next folder leave the older one as it is. So a file that is still written to is
 * copied, and the others get a second name, which takes no room: full segments of the journal, product files, and small
 * files that are only ever replaced as a whole (`durable-file.ts`). A file system without hard links holds no data
 * folder anyway: the lock needs them.
 */
import { constants, copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FILES_FOLDER, FilesFolder } from '../files/files-folder.ts';
import { DataFolderError, dataFiles, isReplaced } from '../folder/data-folder.ts';
import { logFiles } from '../journal/open-log.ts';

/** The newest, and the one before, in case that a start found the newest one unfinished. */
const WRITTEN_SEGMENTS = 2;

type Replaces = (name: string) => boolean;

/** How many bytes `carryOver` writes. */
export function carriedBytes(folder: string, replaces: Replaces): number {
  return carried(folder, replaces)
    .filter(({ isCopied }) => isCopied)
    .reduce((sum, { name }) => sum + statSync(join(folder, name)).size, 0);
}

/** `to` is there and empty. */
export function carryOver(folder: string, to: string, replaces: Replaces): void {
  for (const { name, isCopied } of carried(folder, replaces)) {
    if (isCopied) copyFileSync(join(folder, name), join(to, name), constants.COPYFILE_FICLONE);
    else linkSync(join(folder, name), join(to, name));
  }
  const [files, nextFiles] = [new FilesFolder(folder), new FilesFolder(to)];
  if (!existsSync(join(folder, FILES_FOLDER))) return;
  mkdirSync(join(to, FILES_FOLDER), { mode: 0o700 });
  for (const name of files.names()) linkSync(files.path(name), nextFiles.path(name));
}

/** Throws `DataFolderError` when a part of the folder can get no name elsewhere in it. */
export function requireOneFileSystem(folder: string): void {
  const files = join(folder, FILES_FOLDER);
  if (!existsSync(files) || statSync(files).dev === statSync(folder).dev) return;
  throw new DataFolderError(
    `${files} is on another file system than ${folder}, so the folder cannot be upgraded: move it into the folder`,
  );
}

function carried(
  folder: string,
  replaces: Replaces,
): { readonly name: string; readonly isCopied: boolean }[] {
  const written = new Set([
    ...dataFiles(folder).filter((file) => !logFiles(folder).includes(file)),
    ...logFiles(folder).slice(-WRITTEN_SEGMENTS),
  ]);
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => isReplaced(name) && !isPassing(name) && !replaces(name))
    .filter((entry) => statSync(join(folder, entry.name)).isFile())
    .map(({ name }) => ({ name, isCopied: written.has(join(folder, name)) }));
}

/** Whether a file is passing: one that LMDB makes anew, or that an interrupted write left. */
function isPassing(name: string): boolean {
  return name.endsWith('-lock') || name.includes('.creating-') || name.endsWith('.writing');
}
