/** The folder that a report is written to. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BadFlagError } from '../commands/contention-options.ts';

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
