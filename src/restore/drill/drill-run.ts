/**
 * One drill, as the node sees it: a process that makes a folder, and what it says; whatever becomes of it, the folder is
 * removed afterwards.
 *
 * The folder lies in the data folder: there is the only place of which it is known that it may be written to, has room for
 * a shop, and is nobody else's. (The system's folder for temporary files is often memory, and the data folder's parent is
 * often not the node's.) It never takes the last room on that disk.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DrillReport, DrillRequest } from './drill-messages.ts';

/** Below this, purchases come first. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;
const LOOK_MS = 1_000;

export interface DrillRunOptions extends Omit<DrillRequest, 'folder'> {
  readonly dataDir: string;
  /** It has failed when it says nothing for so long, … */
  readonly silenceMs: number;
  /** … or isn't done after so long. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Hears what it waits for, in one line; undefined: for nothing any more. */
  readonly onWait?: ((line: string | undefined) => void) | undefined;
  /** For tests; default: `drill-process.ts`. */
  readonly program?: string | undefined;
}

/** Where a drill makes its folder. */
export function drillFolder(dataDir: string): string {
  return join(dataDir, 'drill');
}

/** What a node left that was killed amid a drill: its process ends with it, and removes nothing. */
export async function removeDrillFolder(dataDir: string): Promise<void> {
  await rm(drillFolder(dataDir), { recursive: true, force: true, maxRetries: 3 });
}

/** Resolves with why it failed, in one sentence; null when it didn't. Rejects when `signal` is aborted. */
export async function runDrill(options: DrillRunOptions): Promise<string | null> {
  const { dataDir, signal, source, masterKey, point } = options;
  signal.throwIfAborted();
  await removeDrillFolder(dataDir);
  if ((await freeBytes(dataDir)) < MIN_FREE_BYTES) return NO_ROOM;
  const program = options.program ?? fileURLToPath(new URL('./drill-process.js', import.meta.url));
  const child = fork(program, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  try {
    const ended = endOf(child, options);
    // What can't be sent any more ends as its process does.
    child.send({ source, masterKey, point, folder: join(drillFolder(dataDir), 'shop') }, () => undefined);
    const error = await ended;
    signal.throwIfAborted();
    return error;
  } finally {
    await gone(child);
    await removeDrillFolder(dataDir);
  }
}

const NO_ROOM = 'the disk of the data folder has no room for a drill: make room';

/** Resolves with why it failed, or null. */
function endOf(child: ChildProcess, { dataDir, silenceMs, deadlineMs, signal, onWait }: DrillRunOptions) {
  return new Promise<string | null>((resolve) => {
    const begunMs = performance.now();
    let heardMs = begunMs;
    const end = (error: string | null) => {
      clearInterval(timer);
      resolve(error);
    };
    const look = async () => {
      const nowMs = performance.now();
      if (nowMs - begunMs > deadlineMs) end('it takes too long');
      else if (nowMs - heardMs > silenceMs) end('its process hangs: it has said nothing for too long');
      else if ((await freeBytes(dataDir)) < MIN_FREE_BYTES) end(NO_ROOM);
    };
    const timer = setInterval(() => look().catch(() => undefined), Math.min(LOOK_MS, silenceMs)).unref();
    child.on('message', (report: DrillReport) => {
      heardMs = performance.now();
      if (report.kind === 'waits') onWait?.(report.line);
      if (report.kind === 'ended') end(report.error);
    });
    child.once('error', (error) => end(`its process could not be started: ${error.message}`));
    child.once('exit', (code, by) => end(`its process has ended (${by ?? `code ${code}`})`));
    signal.addEventListener('abort', () => end('the node stops'), { once: true });
  });
}

/** Resolves when it writes nothing more. */
async function gone(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
