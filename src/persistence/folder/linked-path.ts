/** A folder's name may be a link: where it leads, before anything is made there. */
import { readlink, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** The most links in a row: as many as Linux follows. */
const MAX_LINKS = 40;

/** Where a link leads, and the links behind it, also to what isn't there yet. Rejects with what the file system says. */
export async function linkedPath(path: string): Promise<string> {
  let found = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const to = await readlink(found).catch(() => undefined);
    if (to === undefined) return found;
    found = resolve(dirname(found), to);
  }
  return realpath(path);
}
