/**
 * Access to a data folder by other users of this machine. Purser makes the folder for its owner alone; somebody who
 * made it before may not have.
 */
import { statSync } from 'node:fs';

const OPEN_TO_OTHERS = 0o077;

/** One sentence without its end, with what to do; undefined when nobody may. */
export function openToOthers(folder: string): string | undefined {
  // Windows has no permissions of this kind.
  if (process.getuid === undefined || (statSync(folder).mode & OPEN_TO_OTHERS) === 0) return undefined;
  return `others may look into ${folder} and read its databases: chmod 700 ${folder}`;
}
