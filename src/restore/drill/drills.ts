/**
 * Drills of the continuous backup: when one is due, what came of the last one, and since when there was none.
 *
 * What always holds: one is under way at a time; whatever becomes of it, the node sells on. What came of the last one is
 * in the data folder, so a start knows it; from a backup it comes back to nobody, since a restored shop has had no drill.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PositionJson } from '../../backup/target-layout.ts';
import { writeDurably } from '../../persistence/disk/durable-file.ts';

export const DRILL_FILE = 'last-drill';
const LOOK_MS = 60_000;
/** Overdue after so many intervals without one. */
const OVERDUE_INTERVALS = 2;

export interface DrillResult {
  readonly ok: boolean;
  /** When it ended, Unix milliseconds. */
  readonly at: number;
  /** Up to which fact the backup was proved, or should have been; null when that wasn't known yet. */
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

interface Kept {
  /** When drills were first due here, Unix milliseconds. */
  readonly since: number;
  readonly last: DrillResult | null;
}

export class Drills {
  readonly #options: DrillsOptions;
  readonly #file: string;
  readonly #stop = new AbortController();
  #kept: Kept;
  #running: Promise<DrillResult | undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #waitsFor: string | undefined;

  constructor(options: DrillsOptions) {
    this.#options = options;
    this.#file = join(options.dataDir, DRILL_FILE);
    this.#kept = readKept(this.#file) ?? { since: options.clock(), last: null };
  }

  start(): void {
    const { intervalMs } = this.#options;
    if (this.#kept.last === null) this.#keep();
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

  /** What the one that is under way waits for, in one line; null when it doesn't. */
  get waitsFor(): string | null {
    return this.#waitsFor ?? null;
  }

  /** Since the last one ended, or since drills have been due. */
  get ageMs(): number {
    return Math.max(0, this.#options.clock() - (this.#kept.last?.at ?? this.#kept.since));
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
    if (this.ageMs >= intervalMs) this.begin();
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
    this.#kept = { ...this.#kept, last: result };
    this.#keep();
    onResult(result);
    return result;
  }

  #keep(): void {
    try {
      writeDurably(this.#file, `${JSON.stringify(this.#kept)}\n`);
    } catch (error) {
      this.#options.onTrouble(error);
    }
  }
}

/** Undefined when there is none, or it isn't ours: then drills begin anew. */
function readKept(file: string): Kept | undefined {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept;
    return typeof kept.since === 'number' && typeof kept.last === 'object' ? kept : undefined;
  } catch {
    return undefined;
  }
}
