/**
 * `<data>/unfinished/`: whatever has to be whole or not there at all is written here before it gets its name. A start
 * empties it, after it has the lock, so nothing else looks for leftovers of a crash. Whoever fails while the node runs
 * takes its own away.
 *
 * Invariant: nothing in here is needed by anybody after a crash. A file gets its name by one rename, after its content
 * was synced; the folder of the new name is synced then. This one isn't: when a power cut brings a name back, there are
 * two of one file, and a start removes the one here.
 *
 * Rejected: a mark in the name, beside the finished ones. Each kind of file needs its own search for it at a start, and
 * everybody who lists a folder has to pass over it.
 */
import { mkdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../shared/error-code.ts';

export const UNFINISHED_FOLDER = 'unfinished';
const MODE = { mode: 0o700 };

/** The path at which a file of the data folder is written. Makes the folder when it isn't there. */
export function unfinishedOf(file: string): string {
  const path = unfinishedPathOf(file);
  try {
    mkdirSync(dirname(path), MODE);
  } catch (error) {
    expectExists(error);
  }
  return path;
}

/** `unfinishedOf` without holding up the thread. */
export async function unfinishedOfAsync(file: string): Promise<string> {
  const path = unfinishedPathOf(file);
  await mkdir(dirname(path), MODE).catch(expectExists);
  return path;
}

/** The path alone, for whoever knows that the folder is there. */
export function unfinishedPathOf(file: string): string {
  return join(dirname(file), UNFINISHED_FOLDER, basename(file));
}

function expectExists(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}
