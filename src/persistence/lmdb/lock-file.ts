/**
 * LMDB's lock file, made before LMDB makes it: with room on the disk for all its bytes.
 *
 * LMDB makes it as a hole and writes to it through memory. On a full disk such a write ends the process with SIGBUS,
 * where writing a file ends with an error. The file gets its name when it is whole, because another thread may be
 * opening the same environment.
 */
import { existsSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { isOutOfSpace } from '../disk/disk-room.ts';
import { unfinishedOf } from '../disk/unfinished.ts';

/** More than its header and 126 readers take (8,272). */
const LOCK_FILE_BYTES = 12 * 1024;

export function lockFileOf(file: string): string {
  return `${file}-lock`;
}

/** Throws `ENOSPC` when there is no room for it. Nobody else may open the environment yet. */
export function writeLockFile(lock: string): void {
  writeFileSync(lock, Buffer.alloc(LOCK_FILE_BYTES));
}

/** Throws `ENOSPC` when there is no room for it. */
export function makeLockFile(file: string): void {
  const lock = lockFileOf(file);
  if (existsSync(lock)) return;
  let unfinished: string | undefined;
  try {
    unfinished = `${unfinishedOf(lock)}-${threadId}`;
    writeLockFile(unfinished);
    linkSync(unfinished, lock);
  } catch (error) {
    // Otherwise somebody else was faster, or there are no links here, and LMDB makes it.
    if (isOutOfSpace(error)) throw Object.assign(error as Error, { path: lock });
  } finally {
    if (unfinished !== undefined) rmSync(unfinished, { force: true });
  }
}
