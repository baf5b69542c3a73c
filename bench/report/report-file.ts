/**
 * `report.json`: a run for programs, and for `compare`.
 *
 * Invariant: the file is whole, or as it was before: it is written beside its place and then moved there. Rejected: a
 * page with charts, which had no figure that the printed tables haven't, in a tenth of this workspace's lines.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BadFlagError } from '../commands/contention-options.ts';
import type { Results } from './results.ts';

/**
 * Makes the folder where there is none. To be called before a run too, which takes long. Throws a `BadFlagError`
 * that says what is wrong with the folder.
 */
export async function makeReportFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    // Written, not asked: root may do everything, and is refused all the same by some filesystems.
    const probe = join(folder, `.probe-${process.pid}`);
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new BadFlagError(
      `the report can't be written to ${folder} (${code ?? message}): name a folder that is yours`,
    );
  }
}

/** Resolves to the file's path. */
export async function writeReport(folder: string, results: Results): Promise<string> {
  await makeReportFolder(folder);
  const path = join(folder, 'report.json');
  const beside = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(beside, jsonOf(results));
    await rename(beside, path);
  } finally {
    await rm(beside, { force: true });
  }
  return path;
}

/** A line a system, a window and a row: short, and still readable with a pager. */
function jsonOf(results: Results): string {
  const known = Object.entries(results).filter(([, value]) => value !== undefined);
  const fields = known.map(([name, value]) => {
    if (!Array.isArray(value)) return `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    const lines = value.map((element) => JSON.stringify(element)).join(',\n');
    return `${JSON.stringify(name)}: [\n${lines}\n]`;
  });
  return `{\n${fields.join(',\n')}\n}\n`;
}
