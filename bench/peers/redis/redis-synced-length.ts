/**
 * The part of Redis' append-only file that a power cut would leave. A killed process can't show it, because the system
 * keeps written bytes, synced or not.
 *
 * While Redis runs with `everysec`, its thread `bio_aof…` does nothing but sync that file. Linux counts how often a
 * thread went to sleep: when the count has grown and the thread sleeps again, a sync has ended since the last look.
 * At that moment the file's length is noted, in a file. After a kill, `cutToSyncedLength` cuts off what is beyond it.
 *
 * Every doubt is decided in Redis' favour: the length is the one after the sync, up to `lookEveryMs` later; a file
 * begun since the last sync stays whole; without /proc nothing is cut. A real disk may keep even less.
 *
 * Rejected: Redis' own INFO, which doesn't tell how much is synced (WAITAOF does from 7.2, Debian 12 has 7.0); strace
 * and dm-flakey, which not everybody has.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';

const lookEveryMs = 20;

export interface SyncedLengthWatch {
  end(): void;
}

/** Watches the file. Its bytes at the beginning count as synced. */
export function watchSyncedLength(folder: string, redisPid: number): SyncedLengthWatch {
  const note = () => {
    const file = newestAppendOnlyFile(folder);
    if (file === undefined) return;
    writeFileSync(noteFile(folder), JSON.stringify({ file, bytes: statSync(join(folder, file)).size }));
  };
  note();
  const statusFile = statusFileOfSyncThread(redisPid);
  if (statusFile === undefined) return { end: () => undefined };
  let sleeps = sleepsOf(statusFile);
  const timer = setInterval(() => {
    const now = sleepsOf(statusFile);
    if (now === undefined || now === sleeps) return;
    sleeps = now;
    try {
      note();
    } catch {
      // A rewrite has just removed the file: the next sync has another.
    }
  }, lookEveryMs);
  timer.unref();
  return { end: () => clearInterval(timer) };
}

/** For a Redis that starts without a watch: what an earlier one noted is no longer true. */
export async function forgetSyncedLength(folder: string): Promise<void> {
  await rm(noteFile(folder), { force: true });
}

/**
 * For a folder whose Redis was killed: leaves what a power cut would have left. Returns how many bytes it cut off.
 * @throws Error when that Redis was not watched.
 */
export async function cutToSyncedLength(folder: string): Promise<number> {
  const file = newestAppendOnlyFile(folder);
  const noted = readNote(folder);
  if (noted === undefined) {
    throw new Error(`nobody watched the syncs of ${folder}: start the system with watchSyncs`);
  }
  if (file === undefined || noted.file !== file) return 0;
  const lost = statSync(join(folder, file)).size - noted.bytes;
  if (lost > 0) await truncate(join(folder, file), noted.bytes);
  return Math.max(lost, 0);
}

function noteFile(folder: string): string {
  return join(folder, 'synced-length.json');
}

function readNote(folder: string): { readonly file: string; readonly bytes: number } | undefined {
  try {
    return JSON.parse(readFileSync(noteFile(folder), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Redis 7 begins a new one, with the next number, at every rewrite. */
function newestAppendOnlyFile(folder: string): string | undefined {
  const numberOf = (name: string) => Number(/\.(\d+)\.incr\.aof$/.exec(name)?.[1] ?? -1);
  let newest: string | undefined;
  for (const name of readdirSync(join(folder, 'appendonlydir'))) {
    if (numberOf(name) > numberOf(newest ?? '')) newest = name;
  }
  return newest === undefined ? undefined : join('appendonlydir', newest);
}

function statusFileOfSyncThread(pid: number): string | undefined {
  const threads = `/proc/${pid}/task`;
  try {
    const thread = readdirSync(threads).find((name) =>
      readFileSync(join(threads, name, 'comm'), 'utf8').startsWith('bio_aof'),
    );
    return thread === undefined ? undefined : join(threads, thread, 'status');
  } catch {
    return undefined;
  }
}

/** How often the thread has gone to sleep; undefined while it is awake or waits for the disk. */
function sleepsOf(statusFile: string): number | undefined {
  try {
    const status = readFileSync(statusFile, 'utf8');
    if (!/^State:\s+S/m.test(status)) return undefined;
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN);
  } catch {
    return undefined;
  }
}
