/**
 * Drills of the continuous backup: when one is due, the result of the last one, and the time without one.
 *
 * Invariant: one drill is under way at a time; whatever its outcome, the node sells on. The result of the last one is
 * in the data folder, so a start knows it; a restore doesn't bring it back, since a restored shop has had no drill.
 */
import { join } from 'node:path';
import type { PositionJson } from '../../backup/target-layout.ts';
import { LastResult } from '../../persistence/disk/last-result.ts';

export const DRILL_FILE = 'last-drill';
const LOOK_MS = 60_000;
/** Overdue after so many intervals without one. */
const OVERDUE_INTERVALS = 2;

export interface DrillResult {
  readonly ok: boolean;
  /** The time of its end, in Unix milliseconds. */
  readonly at: number;
  /** The last fact up to which the backup was proved, or should have been; null when that wasn't known yet. */
  readonly position: PositionJson | null;
  /** Why it failed, in one sentence. */
  readonly error?: string;
}

export interface DrillOutcome {
  readonly position: PositionJson | null;
  /** Null: all is well. */
  readonly error: string | null;
}

export interface DrillsOptions {
  readonly dataDir: string;
  /** Null: only when somebody asks. */
  readonly intervalMs: number | null;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Rejects when `signal` is aborted. `onWait` hears what it waits for, in one line; undefined: for nothing any more. */
  readonly run: (signal: AbortSignal, onWait: (line: string | undefined) => void) => Promise<DrillOutcome>;
  /** Something for the log. */
  readonly onResult: (result: DrillResult) => void;
  readonly onTrouble: (error: unknown) => void;
}

export class Drills {
  readonly #options: DrillsOptions;
  readonly #stop = new AbortController();
  readonly #kept: LastResult<DrillResult>;
  #running: Promise<DrillResult | undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #waitsFor: string | undefined;

  constructor(options: DrillsOptions) {
    this.#options = options;
    const { dataDir, clock, onTrouble } = options;
    this.#kept = new LastResult(join(dataDir, DRILL_FILE), clock, onTrouble);
  }

  start(): void {
    const { intervalMs } = this.#options;
    this.#kept.begin();
    if (intervalMs === null) return;
    this.#timer = setInterval(() => this.#look(intervalMs), Math.min(LOOK_MS, intervalMs)).unref();
  }

  /** Null before the first one. */
  get last(): DrillResult | null {
    return this.#kept.last;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** The reason why the drill under way waits, in one line; null when it doesn't. */
  get waitsFor(): string | null {
    return this.#waitsFor ?? null;
  }

  /** Since the last one ended, or since drills have been due. */
  get ageMs(): number {
    return this.#kept.ageMs;
  }

  get isOverdue(): boolean {
    const { intervalMs } = this.#options;
    return intervalMs !== null && this.ageMs > OVERDUE_INTERVALS * intervalMs;
  }

  /** Begins one, unless one is under way. */
  begin(): void {
    this.#running ??= this.#run().finally(() => {
      this.#waitsFor = undefined;
      this.#running = undefined;
    });
  }

  /** Ends the one that is under way, without a result. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#running;
  }

  #look(intervalMs: number): void {
    if (this.ageMs >= intervalMs || this.#kept.isAhead) this.begin();
  }

  async #run(): Promise<DrillResult | undefined> {
    const { run, clock, onResult } = this.#options;
    const { signal } = this.#stop;
    let outcome: DrillOutcome;
    try {
      outcome = await run(signal, (line) => {
        this.#waitsFor = line;
      });
    } catch (error) {
      if (signal.aborted) return undefined;
      outcome = { position: null, error: error instanceof Error ? error.message : String(error) };
    }
    const { position, error } = outcome;
    const result = { ok: error === null, at: clock(), position, ...(error === null ? {} : { error }) };
    this.#kept.set(result);
    onResult(result);
    return result;
  }
}
