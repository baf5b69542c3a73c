/**
 * Makes a folder and those above it that are missing, one at a time, each name synced before the next.
 *
 * Not by `mkdirSync` with `recursive`: that one never returns where a file system says of a name in an existing
 * folder that there is no such thing (/proc does), and syncs nothing, so that a power cut soon after the first
 * start could take the whole data folder with it.
 */
import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { syncFolderOf } from '../disk/durable-file.ts';

/**
 * The folders that were made, the outermost first; none when the folder is there. Throws the file system's errors, also
 * when it is a file.
 */
export function makeFolder(folder: string): string[] {
  const made = missingFolders(resolve(folder));
  for (const missing of made) {
    try {
      mkdirSync(missing, { mode: 0o700 });
    } catch (error) {
      // Another node, started at the same time, may have made it.
      if (!statSync(missing, { throwIfNoEntry: false })?.isDirectory()) throw error;
    }
    syncFolderOf(missing);
  }
  return made;
}

/** Removes folders that were made for nothing; one that has something in it stays, with the folders around it. */
export function unmakeFolders(made: readonly string[]): void {
  try {
    for (const folder of made.toReversed()) rmdirSync(folder);
  } catch {
    // It is somebody's.
  }
}

/** Folders that are missing, from the outermost to `folder` itself. */
function missingFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let path = folder; statSync(path, { throwIfNoEntry: false }) === undefined; path = dirname(path)) {
    missing.unshift(path);
  }
  return missing;
}
