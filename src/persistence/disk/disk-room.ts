/**
 * Whether a folder has room, found out by writing: free-space figures ignore quotas and reserved blocks.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, withCauses } from '../../shared/error-code.ts';
import { type RetryOptions, retry } from '../../shared/retry.ts';
import { unfinishedOf } from './unfinished.ts';

/** LMDB rewrites pages beside the new one, and the checkpoint wants room as well. */
const SPARE_BYTES = 1024 * 1024;
/** Room that is left for the journal, so that purchases go on: work that can be refused without harm never takes it. */
const JOURNAL_ROOM_BYTES = 2 * 1024 * 1024;
const EIO = 5;
const MDB_MAP_FULL = -30792;
const NO_ROOM = new Set<string | undefined>(['ENOSPC', 'EDQUOT']);
const LOOK_INTERVAL_MS = 1_000;
const CHUNK = Buffer.alloc(256 * 1024);

/** Whether something failed, or was caused to, for want of room: on the disk, of a quota, or in LMDB's own map. */
export function isOutOfSpace(error: unknown): boolean {
  for (const each of withCauses(error)) {
    if (NO_ROOM.has(codeOf(each)) || (each as { code?: unknown } | null)?.code === MDB_MAP_FULL) return true;
  }
  return false;
}

/**
 * Any failure other than want of room is thrown. Room that the figures say is not there is not taken from others, even
 * for a moment.
 */
function hasRoom(folder: string, neededBytes: number): boolean {
  if (freeBytes(folder) < neededBytes + SPARE_BYTES) return false;
  try {
    // Several threads may ask at once.
    const file = unfinishedOf(join(folder, `room-probe.${randomUUID()}`));
    const descriptor = openSync(file, 'w', 0o600);
    // Without a name its room comes back, whatever ends the process.
    rmSync(file, { force: true });
    try {
      for (let written = 0; written < neededBytes + SPARE_BYTES; ) written += writeSync(descriptor, CHUNK);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return true;
  } catch (error) {
    if (isOutOfSpace(error)) return false;
    throw error;
  }
}

/** Free bytes by the system's figures. Blocks that a file system keeps for root are root's to use. */
function freeBytes(folder: string): number {
  const { bavail, bfree, bsize } = statfsSync(folder);
  return (process.getuid?.() === 0 ? bfree : bavail) * bsize;
}

/**
 * Throws `ENOSPC` unless the folder has room for so much. By the system's figures, which may be wrong where there
 * are quotas: then the write itself fails.
 */
export function requireRoom(folder: string, neededBytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= neededBytes) return;
  const message = `${folder} has no room for ${neededBytes} bytes more`;
  throw Object.assign(new Error(message), { code: 'ENOSPC', path: folder });
}

/**
 * Throws `ENOSPC` for a write that can be refused without harm, unless there is room for it beside what the journal
 * needs.
 */
export function keepRoomForJournal(folder: string, neededBytes: number): void {
  requireRoom(folder, neededBytes + JOURNAL_ROOM_BYTES);
}

/**
 * Judges a write that fails; made when it begins. Somebody may make room between a write and the look at why it failed: a
 * disk that was full must not count as one that has failed.
 */
export class RoomForWrite {
  readonly #folder: string;
  readonly #neededBytes: number;
  readonly #wasThere: boolean;

  constructor(folder: string, neededBytes: number) {
    this.#folder = folder;
    this.#neededBytes = neededBytes;
    this.#wasThere = this.#tells(() => freeBytes(folder) >= neededBytes + SPARE_BYTES);
  }

  /**
   * Whether the write failed for want of room: the system said so, whatever room there is by now; or LMDB reports an I/O
   * error, as it does for a short write, and there was no room when the write began, or is none now.
   */
  isWantedBy(error: unknown): boolean {
    if (isOutOfSpace(error)) return true;
    if ((error as { code?: unknown } | null)?.code !== EIO) return false;
    return !this.#wasThere || !this.#tells(() => hasRoom(this.#folder, this.#neededBytes));
  }

  /** A disk that fails at this, too, has failed. */
  #tells(look: () => boolean): boolean {
    try {
      return look();
    } catch {
      return true;
    }
  }
}

/** Resolves when `folder` has room for `neededBytes` again. Looks every second, first after one. */
export async function roomAgain(folder: string, neededBytes: number): Promise<void> {
  do {
    await delay(LOOK_INTERVAL_MS, undefined, { ref: false });
  } while (!hasRoom(folder, neededBytes));
}

/** The result of `work`, which is tried again every second while it fails for want of room, unless it `isOver`. */
export function whenRoom<Result>(
  work: () => Result | Promise<Result>,
  isOver = () => false,
  onFailure: RetryOptions['onFailure'] = () => {},
): Promise<Result> {
  const mayHelp = (error: unknown) => isOutOfSpace(error) && !isOver();
  return retry(work, { pauseMs: LOOK_INTERVAL_MS, mayHelp, onFailure });
}
