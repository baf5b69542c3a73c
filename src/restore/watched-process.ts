/**
 * A process beside a node that makes a folder in the data folder: its request, its reports, and the time when it is
 * given up.
 *
 * The folder lies in the data folder: there is the only place of which it is known that it may be written to, has room
 * for a shop, and is nobody else's. (The system's folder for temporary files is often memory, and the data folder's
 * parent is often not the node's.) Invariant: the last room on that disk is the node's, and when the outcome is known,
 * the process is gone and writes nothing more.
 */
import { type ChildProcess, fork, type Serializable } from 'node:child_process';
import { DiskSpace } from '../metrics/disk-space.ts';

/** Below this, purchases come first. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;
const LOOK_MS = 1_000;

export interface Watch {
  readonly dataDir: string;
  /** The longest silence of the process before it has failed, … */
  readonly silenceMs: number;
  /** … and the longest time that it may take. */
  readonly deadlineMs: number;
  /** The error when the disk is nearly full. */
  readonly noRoom: string;
  readonly signal: AbortSignal;
}

/** The end of a process that came to no end of its own. */
export interface BrokenOff {
  readonly kind: 'brokenOff';
  /** The reason, in one sentence. */
  readonly error: string;
}

/**
 * Sends `request` to `program`; resolves with its report of the kind `ended`, or with what broke it off. `onReport` gets
 * all that it says. Rejects when `signal` is aborted.
 */
export async function runWatched<Report extends { readonly kind: string }>(
  program: string,
  request: Serializable,
  watch: Watch,
  onReport: (report: Report) => void = () => {},
): Promise<Extract<Report, { readonly kind: 'ended' }> | BrokenOff> {
  const { dataDir, noRoom, signal } = watch;
  signal.throwIfAborted();
  if ((await new DiskSpace(dataDir).look()).freeBytes < MIN_FREE_BYTES)
    return { kind: 'brokenOff', error: noRoom };
  const child = fork(program, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  try {
    const ended = endOf(child, watch, onReport);
    // What can't be sent any more ends as its process does.
    child.send(request, () => undefined);
    const end = await ended;
    signal.throwIfAborted();
    return end;
  } finally {
    await gone(child);
  }
}

function endOf<Report extends { readonly kind: string }>(
  child: ChildProcess,
  { dataDir, silenceMs, deadlineMs, noRoom, signal }: Watch,
  onReport: (report: Report) => void,
) {
  type Ended = Extract<Report, { readonly kind: 'ended' }>;
  return new Promise<Ended | BrokenOff>((resolve) => {
    const space = new DiskSpace(dataDir);
    const begunMs = performance.now();
    let heardMs = begunMs;
    const end = (how: Ended | BrokenOff) => {
      clearInterval(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(how);
    };
    const breakOff = (error: string) => end({ kind: 'brokenOff', error });
    const onAbort = () => breakOff('the node stops');
    const look = async () => {
      const nowMs = performance.now();
      if (nowMs - begunMs > deadlineMs) breakOff('it takes too long');
      else if (nowMs - heardMs > silenceMs) breakOff('its process hangs: it has said nothing for too long');
      else if ((await space.look()).freeBytes < MIN_FREE_BYTES) breakOff(noRoom);
    };
    const timer = setInterval(() => look().catch(() => undefined), Math.min(LOOK_MS, silenceMs)).unref();
    child.on('message', (report: Report) => {
      heardMs = performance.now();
      onReport(report);
      if (report.kind === 'ended') end(report as Ended);
    });
    child.once('error', (error) => breakOff(`its process could not be started: ${error.message}`));
    child.once('exit', (code, by) => breakOff(`its process has ended (${by ?? `code ${code}`})`));
    signal.addEventListener('abort', onAbort);
  });
}

/** Resolves when it writes nothing more. */
async function gone(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}
