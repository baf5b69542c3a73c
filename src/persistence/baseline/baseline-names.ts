/** Which files of a data folder are baselines (`baseline-file.ts`). */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { removeLmdbFile, removeStrayLocks } from '../lmdb/lock-file.ts';

const NAME = /^baseline-(\d{16})\.mdb$/;
const UNFINISHED = /^baseline-\d{16}\.mdb\.writing/;

export function baselineFile(folder: string, position: number): string {
  return join(folder, `baseline-${String(position).padStart(16, '0')}.mdb`);
}

export function isBaselineFile(file: string): boolean {
  return NAME.test(basename(file));
}

/** Those of a folder, the oldest first, whether a fact names them or not. */
export function baselineFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter(isBaselineFile)
    .sort()
    .map((name) => join(folder, name));
}

/** Those of a folder but the one at `kept`, and whatever was left of them. */
export async function removeBaselines(folder: string, kept?: number): Promise<void> {
  for (const file of baselineFiles(folder)) {
    if (kept === undefined || file !== baselineFile(folder, kept)) await removeLmdbFile(file);
  }
  await removeStrayLocks(folder, isBaselineFile);
}

/** What was left by a process that was killed while it wrote one. */
export function unfinishedBaselines(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => UNFINISHED.test(name))
    .map((name) => join(folder, name));
}
