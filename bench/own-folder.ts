/** The folder of a run: where its data goes, also when the run is broken off. */
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BadFlagError } from './commands/contention-options.ts';

/** Works in a folder that is empty before and gone afterwards; below the temporary folder without `parent`. */
export async function inOwnFolder(
  parent: string | undefined,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await makeFolderIn(resolve(parent ?? tmpdir()));
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      // Last of all: those who started something end it at the exit, too.
      process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
      process.exit(code);
    });
  }
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function makeFolderIn(parent: string): Promise<string> {
  try {
    return await mkdtemp(join(parent, 'purser-bench-'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new BadFlagError(
      `no data can be put in ${parent} (${code ?? message}): give --dir a folder that is there and is yours`,
    );
  }
}
