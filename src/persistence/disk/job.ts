/**
 * A job: work that takes long, and that a node does every so often by itself, or when somebody asks for it. One run is under
 * way at a time. Its result is kept in a small file of the data folder, so that a start knows it.
 *
 * One rule says when a run is due: an interval after the last one began, whatever came of it. A run that a stop breaks off
 * has no result, and is due again. A time that lies in the future is of a clock that was ahead: then a run is due now, and
 * overdue an interval later. A clock that is set back by a moment changes nothing.
 *
 * Invariant: a file that is missing, or isn't ours, is as none: then counting begins anew. One that can't be written costs a
 * start that knowledge, and nothing else. Nothing is written after `stop`.
 */
import { readFileSync } from 'node:fs';
import { KeptFile } from './kept-file.ts';

const LOOK_MS = 10_000;
/** A step by which a clock may be set back that was right. */
const CLOCK_STEP_MS = 60_000;
/** Overdue after so many intervals without a result. */
const OVERDUE_INTERVALS = 2;

/** The outcome of a run, beside what it found. */
export interface JobResult {
  readonly ok: boolean;
  /** The time of its end, in Unix milliseconds. */
  readonly at: number;
  /** Why it failed, in one sentence. */
  readonly error?: string;
}

export interface JobOptions<Found extends object> {
  /** The file of its last result. */
  readonly file: string;
  /** Null: only when somebody asks. */
  readonly intervalMs: number | null;
  /** The time before the first one in a folder that never had one; default: the interval. */
  readonly firstAfterMs?: number | undefined;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /**
   * Resolves with what it found, and why it failed if it did; rejects when `signal` is aborted. `onWait` hears what it
   * waits for, in one line; null: for nothing any more.
   */
  readonly run: (
    signal: AbortSignal,
    onWait: (line: string | null) => void,
  ) => Promise<Found & { readonly error?: string }>;
  /** The find of a run that has rejected. */
  readonly nothing: Found;
  /** Something for the log; `cause` is what the run rejected with, if it did. */
  readonly onResult?: ((result: Found & JobResult, cause?: unknown) => unknown) | undefined;
  /** The result could not be kept. */
  readonly onTrouble: (error: unknown) => void;
}

interface Kept<Found> {
  /** The time from which the next interval counts, in Unix milliseconds. */
  readonly since: number;
  readonly last: (Found & JobResult) | null;
}

export class Job<Found extends object> {
  readonly #options: JobOptions<Found>;
  readonly #file: KeptFile;
  readonly #stop = new AbortController();
  #kept: Kept<Found>;
  #written: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  #waitsFor: string | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** Writes nothing yet. */
  constructor(options: JobOptions<Found>) {
    this.#options = options;
    const { file, intervalMs, clock } = options;
    const aheadMs = (intervalMs ?? 0) - (options.firstAfterMs ?? intervalMs ?? 0);
    this.#kept = readKept<Found>(file) ?? { since: clock() - aheadMs, last: null };
    this.#file = new KeptFile(file, () => `${JSON.stringify(this.#kept)}\n`);
  }

  /** Before the first run, too, it is kept since when one counts. */
  start(): void {
    const { intervalMs } = this.#options;
    if (this.last === null) this.#keep(this.#kept);
    if (intervalMs === null) return;
    this.#timer = setInterval(() => this.look(), Math.min(LOOK_MS, intervalMs)).unref();
  }

  /** Null before the first one. */
  get last(): (Found & JobResult) | null {
    return this.#kept.last;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** The reason why the run under way waits, in one line; null when it doesn't. */
  get waitsFor(): string | null {
    return this.#waitsFor;
  }

  /** Milliseconds since the last run ended, or else since runs have been due. */
  get ageMs(): number {
    const nowMs = this.#options.clock();
    const { last, since } = this.#kept;
    return Math.max(0, nowMs - (last !== null && last.at <= nowMs ? last.at : since));
  }

  get isOverdue(): boolean {
    const { intervalMs } = this.#options;
    return intervalMs !== null && this.ageMs > OVERDUE_INTERVALS * intervalMs;
  }

  /** Begins a run that is due. */
  look(): void {
    const { clock, intervalMs } = this.#options;
    if (intervalMs === null) return;
    const nowMs = clock();
    if (this.#kept.since > nowMs + CLOCK_STEP_MS) this.#keep({ ...this.#kept, since: nowMs - intervalMs });
    if (nowMs - this.#kept.since >= intervalMs) this.begin();
  }

  /** False, and nothing begins, while one is under way or the job is stopped. */
  begin(): boolean {
    if (this.isRunning || this.#stop.signal.aborted) return false;
    this.#running = this.#run().finally(() => {
      this.#waitsFor = null;
      this.#running = undefined;
    });
    return true;
  }

  /** Ends the run that is under way, without a result. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#running;
    await this.#written;
  }

  async #run(): Promise<void> {
    const { run, nothing, clock, onResult } = this.#options;
    const { signal } = this.#stop;
    const beganMs = clock();
    let found: Found & { readonly error?: string };
    let cause: unknown;
    try {
      found = await run(signal, (line) => {
        this.#waitsFor = line;
      });
    } catch (error) {
      if (signal.aborted) return;
      cause = error;
      found = { ...nothing, error: error instanceof Error ? error.message : String(error) };
    }
    const at = clock();
    const last = { ok: found.error === undefined, at, ...found };
    this.#keep({ since: Math.min(beganMs, at), last });
    onResult?.(last, cause);
  }

  #keep(kept: Kept<Found>): void {
    this.#kept = kept;
    this.#written = this.#file.keep().catch(this.#options.onTrouble);
  }
}

function readKept<Found>(file: string): Kept<Found> | undefined {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept<Found>;
    return typeof kept.since === 'number' && typeof kept.last === 'object' ? kept : undefined;
  } catch {
    return undefined;
  }
}
