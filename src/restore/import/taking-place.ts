/**
 * The moment when a folder that was made by an import takes the restored one's place. No node runs; both are locked, or
 * nobody knows of them.
 *
 * What the node has beside its data goes with the place: its token and address, and the mark of a clean end. Of two marks,
 * one in each folder, only one could be taken back by the next start, so such folders are refused.
 */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../../persistence/disk/durable-file.ts';
import { syncAll } from '../../persistence/disk/durable-folder.ts';
import { ADDRESS_FILE, CLEAN_END_FILE, TOKEN_FILE } from '../../persistence/folder/data-folder.ts';
import { FORMAT_VERSION } from '../../persistence/folder/folder-format.ts';
import { keptFolder, swapFolders, workFolder } from '../../persistence/migration/folder-swap.ts';
import { RestoreError } from '../restore-error.ts';

/**
 * Gives where the restored folder is kept. Throws `RestoreError` and the file system's errors; once names are being
 * changed, there is only the way forward: what an interruption leaves, the next start completes.
 */
export function takePlace(folder: string, from: string): string {
  const work = workFolder(folder, FORMAT_VERSION);
  const mark = cleanEndOf(folder, from);
  if (mark !== undefined) writeDurably(join(work, CLEAN_END_FILE), mark);
  for (const name of [TOKEN_FILE, ADDRESS_FILE]) {
    if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(work, name));
  }
  syncAll(work);
  swapFolders(folder, FORMAT_VERSION, FORMAT_VERSION);
  return keptFolder(folder, FORMAT_VERSION);
}

/** The content of the mark that the next start is to find. Throws `RestoreError` when there are two. */
export function cleanEndOf(folder: string, from: string): string | undefined {
  const [own, lost] = [markIn(folder), markIn(from)];
  if (own === undefined || lost === undefined || own === lost) return own ?? lost;
  throw new RestoreError(
    `the backups at ${own.trim()} and at ${lost.trim()} both have a clean end, and the next start can take back only one of them: ` +
      `decide which one nobody will restore from, and remove ${CLEAN_END_FILE} in ${folder} or in ${from}`,
  );
}

function markIn(folder: string): string | undefined {
  const file = join(folder, CLEAN_END_FILE);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
