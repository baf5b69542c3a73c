/**
 * Advice for a folder that has files of somebody else. The root of a file system has some, too, and needs other advice.
 */
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The folder that `mkfs` leaves at the root of a file system. */
const MADE_BY_MKFS = 'lost+found';

/** One sentence without its end. `names` are the files, of which there is one at least. */
export function otherFiles(folder: string, names: readonly string[]): string {
  const path = resolve(folder);
  const [first = ''] = names;
  if (isRoot(path, names))
    return `${folder} is the root of a file system (it has ${first}): take a folder in it, --data ${join(path, 'data')}`;
  return `${folder} holds other files (${first}) and no Purser data: take a folder of its own, such as --data ${join(path, 'purser')}`;
}

/** `path` is absolute. */
export function isRoot(path: string, names: readonly string[]): boolean {
  if (names.length === 1 && names[0] === MADE_BY_MKFS) return true;
  const own = statSync(path, { throwIfNoEntry: false });
  return own !== undefined && (dirname(path) === path || statSync(dirname(path)).dev !== own.dev);
}
