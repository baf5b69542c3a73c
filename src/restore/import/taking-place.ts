/**
 * The moment when a folder that was made by an import takes the restored one's place. No node runs; both are locked, or
 * nobody knows of them.
 *
 * What always holds: what was made is all that the lost folder has at that moment. What the node has beside its data goes
 * with the place: its token and address, and the mark of a clean end. Of two marks, one in each folder, only one could be
 * taken back by the next start, so such folders are refused.
 */
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CleanEnd, CleanEndMark } from '../../backup/clean-end-mark.ts';
import { CheckpointHistory } from '../../persistence/checkpoint/checkpoint-history.ts';
import { openCheckpoint } from '../../persistence/checkpoint/checkpoint-tables.ts';
import { syncAll } from '../../persistence/disk/durable-folder.ts';
import { ADDRESS_FILE, CLEAN_END_FILE, TOKEN_FILE } from '../../persistence/folder/data-folder.ts';
import { FORMAT_VERSION } from '../../persistence/folder/folder-format.ts';
import { lockForReading } from '../../persistence/folder/folder-lock.ts';
import { keptFolder, swapFolders, workFolder } from '../../persistence/migration/folder-swap.ts';
import { RestoreError } from '../restore-error.ts';
import type { FindOrder } from './entered-since.ts';
import { withJournal } from './proved-journal.ts';

/** `work` with the orders of the folder that was made, which is proved and has no name yet. */
export async function withMade<Result>(
  folder: string,
  work: (find: FindOrder) => Promise<Result>,
): Promise<Result> {
  const tables = openCheckpoint(workFolder(folder, FORMAT_VERSION));
  try {
    const history = new CheckpointHistory(tables);
    return await work((orderId) => history.order(orderId));
  } finally {
    await tables.environment.close();
  }
}

/**
 * Resolves with where the restored folder is kept. `position` is the last fact of `from` that was read. Rejects with
 * `RestoreError`, `FolderInUseError` and the file system's errors; once names are being changed, there is only the way
 * forward: what an interruption leaves, the next start completes.
 */
export async function takePlace(folder: string, from: string, position: number): Promise<string> {
  const lock = await lockForReading(from);
  try {
    await expectEnd(from, position);
    const work = workFolder(folder, FORMAT_VERSION);
    const mark = cleanEndOf(folder, from);
    // Without its run: the node that this folder now becomes may have runs there that are newer.
    if (mark !== undefined) {
      const { url, isRestored, objects = [] } = mark;
      new CleanEndMark(work).set(url, { isRestored, objects });
    }
    for (const name of [TOKEN_FILE, ADDRESS_FILE]) {
      if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(work, name));
    }
    syncAll(work);
    swapFolders(folder, FORMAT_VERSION, FORMAT_VERSION);
    return keptFolder(folder, FORMAT_VERSION, FORMAT_VERSION);
  } finally {
    await lock.release();
  }
}

/** The mark that the next start is to find. Throws `RestoreError` when there are two. */
export function cleanEndOf(folder: string, from: string): CleanEnd | undefined {
  const own = new CleanEndMark(folder).read();
  const lost = new CleanEndMark(from).read();
  if (own === undefined || lost === undefined) return own ?? lost;
  if (own.url === lost.url) return { ...own, isRestored: own.isRestored && lost.isRestored };
  throw new RestoreError(
    `the backups at ${own.url} and at ${lost.url} both have a clean end, and the next start can take back only one of them: ` +
      `decide which one nobody will restore from, and remove ${CLEAN_END_FILE} in ${folder} or in ${from}`,
  );
}

async function expectEnd(from: string, position: number): Promise<void> {
  const hasMore = await withJournal(from, (log) => log.read(position).next().done !== true);
  if (!hasMore) return;
  throw new RestoreError(
    `a node has written to ${from} while it was read: make sure that it is off for good, and import again`,
  );
}
