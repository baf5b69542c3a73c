/** Which files of a data folder are baselines (`baseline-file.ts`). */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const NAME = /^baseline-(\d{16})\.mdb$/;

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
