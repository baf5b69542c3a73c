/** Makes a folder with all that is in it survive a power cut. */
import { closeSync, fsyncSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolderOf } from './durable-file.ts';

/** Every file in it, the names of all, and the folders' own names. */
export function syncAll(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) syncAll(path);
    else if (statSync(path).isFile()) syncFile(path);
  }
  for (const inside of [join(folder, 'any'), folder, join(folder, '..')]) syncFolderOf(inside);
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
