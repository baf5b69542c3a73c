/** Who else of this machine may read a data folder. Purser makes it for its owner alone; who made it before may not have. */
import { statSync } from 'node:fs';

const OPEN_TO_OTHERS = 0o077;

/** One sentence without its end, with what to do; undefined when nobody may. */
export function openToOthers(folder: string): string | undefined {
  // Windows has no permissions of this kind.
  if (process.getuid === undefined || (statSync(folder).mode & OPEN_TO_OTHERS) === 0) return undefined;
  return `others may look into ${folder} and read its databases: chmod 700 ${folder}`;
}
