/**
 * Where a folder lies, whatever links lead there: a backup inside of the data folder is lost with it, and one inside of
 * another backup is taken for a part of that.
 */
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { codeOf } from '../../shared/error-code.ts';
import { TargetError } from './backup-target.ts';

/** The form in which names of runs end (`target-layout.ts`): every backup has one. */
const RUN = /^\d{6,}-\d{8,}\.json$/;

/** The path without links, also of what isn't there yet. Rejects with what the file system says. */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const around = dirname(path);
    if (codeOf(error) !== 'ENOENT' || around === path) throw error;
    return join(await realPath(around), basename(path));
  }
}

/** Whether `path` is `folder`, or lies in it, by their names alone. Both are absolute. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Rejects with a `TargetError` (`impossible`) when no backup of this data folder can be at `path`. */
export async function expectPlaceOfBackup(path: string, dataFolder: string): Promise<void> {
  const [place, data] = [await realPath(path), await realPath(dataFolder)];
  if (isWithin(data, place)) throw inDataFolder(path);
  if (isWithin(place, data)) throw aroundDataFolder(path);
  if (await isBackup(place)) return;
  for (
    let around = dirname(place), below = place;
    around !== below;
    below = around, around = dirname(around)
  ) {
    if (!(await isBackup(around))) continue;
    throw new TargetError('impossible', `${path} lies in the backup at ${around}: choose another place`);
  }
}

export function inDataFolder(path: string): TargetError {
  return new TargetError(
    'impossible',
    `${path} lies in the data folder, which it is to outlive: choose another place`,
  );
}

export function aroundDataFolder(path: string): TargetError {
  return new TargetError(
    'impossible',
    `${path} has the data folder in it, and a backup is a folder of its own: choose another place, such as ${join(path, 'backup')}`,
  );
}

async function isBackup(folder: string): Promise<boolean> {
  const names = await readdir(join(folder, 'runs')).catch(() => []);
  return names.some((name) => RUN.test(name));
}
