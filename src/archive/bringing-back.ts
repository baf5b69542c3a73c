/**
 * `purser archive fetch`: a stopped folder gets the facts back that were moved to an archive, as files of its journal.
 *
 * What always holds: the files are made elsewhere in the folder, as one proved chain that ends where the folder's journal
 * begins, and get their names when all are whole and durable: the newest first, so that the journal has no hole, wherever
 * this is broken off. The baselines go last, for the journal begins with the first fact again.
 */
import { mkdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { removeBaselines } from '../persistence/baseline/baseline-names.ts';
import { syncFolderOf } from '../persistence/disk/durable-file.ts';
import { syncAll } from '../persistence/disk/durable-folder.ts';
import { checkFormat } from '../persistence/folder/data-folder.ts';
import { checkSegment } from '../persistence/folder/folder-check.ts';
import { lockFolder } from '../persistence/folder/folder-lock.ts';
import { readHead } from '../persistence/journal/journal-frame.ts';
import { buildLog, firstFactOf, logFiles, openLogReaders } from '../persistence/journal/open-log.ts';
import { ArchiveError, type ArchiveStore } from './archive-store.ts';

/** Below the data folder, until the files have their names. */
export const FETCHING_FOLDER = 'fetching';
const FRAMES_AT_ONCE = 1_000;

/** Gives the number of facts that are back. Rejects with `ArchiveError`, and as `lockFolder` and the target do. */
export async function bringBack(folder: string, store: () => ArchiveStore): Promise<number> {
  checkFormat(folder);
  const lock = await lockFolder(folder);
  try {
    const missing = firstFactOf(folder) - 1;
    if (missing > 0) await fetchThrough(folder, store(), missing);
    else await removeFetched(folder);
    await removeBaselines(folder);
    return missing;
  } finally {
    await lock.release();
  }
}

async function fetchThrough(folder: string, store: ArchiveStore, missing: number): Promise<void> {
  await removeFetched(folder);
  const made = join(folder, FETCHING_FOLDER);
  mkdirSync(made, { mode: 0o700 });
  try {
    await fetchInto(made, folder, store, missing);
    syncAll(made);
    for (const file of logFiles(made).reverse()) {
      const named = join(folder, basename(file));
      renameSync(file, named);
      syncFolderOf(named);
    }
  } finally {
    await removeFetched(folder);
  }
}

/** What has no name in the journal: of one that failed, or was killed. Nobody may be fetching. */
export async function removeFetched(folder: string): Promise<void> {
  await rm(join(folder, FETCHING_FOLDER), { recursive: true, force: true });
}

async function fetchInto(made: string, folder: string, store: ArchiveStore, missing: number): Promise<void> {
  const log = await buildLog(made);
  try {
    let frames: Buffer[] = [];
    for await (const frame of store.frames(missing)) {
      frames.push(frame);
      if (frames.length < FRAMES_AT_ONCE) continue;
      await log.append(frames);
      frames = [];
    }
    await log.append(frames);
    const { position, hash } = log.head;
    if (position !== missing)
      throw new ArchiveError(
        `${store.url} has facts up to ${position} only, and ${missing} are missing here`,
      );
    if (!hash.equals(await hashBefore(folder, missing)))
      throw new ArchiveError(`${store.url} has another history than this folder's journal goes on with`);
  } finally {
    await log.close();
  }
}

/** What the folder's first frame says of the one before. */
async function hashBefore(folder: string, position: number): Promise<Buffer> {
  const log = openLogReaders(folder, checkSegment)();
  try {
    for (const frame of log.read(position)) return readHead(frame).previousHash;
    throw new ArchiveError(`the journal of ${folder} has no facts behind ${position}`);
  } finally {
    await log.close();
  }
}
