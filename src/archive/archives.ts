/**
 * The archives of a node: those that operators begin, and the daily one; what came of the last one, and since when there
 * was none.
 *
 * What always holds: one is under way at a time; whatever becomes of it, the node sells on. What came of the last one is in
 * the data folder, so a start knows it (of the daily ones). A daily one that failed is tried again an hour later.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../persistence/disk/durable-file.ts';
import type { Archived } from './archive-making.ts';

export const ARCHIVE_FILE = 'last-archive';
const LOOK_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;
const AGAIN_MS = 60 * 60_000;
/** Overdue after so many days without one that succeeded. */
const OVERDUE_DAYS = 2;
/** Of this process. */
const MAX_LISTED = 100;

export interface ArchivePosition {
  readonly seq: number;
  readonly hash: string;
}

export interface ArchiveRow {
  readonly archiveId: string;
  readonly target: string;
  /** Facts from before this moment were to be moved, Unix milliseconds. */
  readonly before: number;
  state: 'running' | 'complete' | 'failed';
  /** The last fact that was moved; null while none is known, and when no file of the journal was old enough. */
  position: ArchivePosition | null;
  facts: number;
  bytes: number;
  /** When it began, and when it ended, once it has. Unix milliseconds. */
  at: number;
  /** What it waits for, or why it failed. */
  error?: string;
}

export interface ArchiveResult {
  readonly ok: boolean;
  /** When it ended, Unix milliseconds. */
  readonly at: number;
  /** Why it failed, in one sentence. */
  readonly error?: string;
}

export interface ArchivesOptions {
  readonly dataDir: string;
  /** Undefined: only when somebody asks. */
  readonly daily: { readonly target: string; readonly afterMs: number } | undefined;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Rejects with an error of one line. `onWait` hears what it waits for; undefined: for nothing any more. */
  readonly run: (
    target: string,
    beforeMs: number,
    signal: AbortSignal,
    onWait: (line: string | undefined) => void,
  ) => Promise<Archived>;
  /** Something for the log. */
  readonly onEnd: (row: ArchiveRow) => void;
  readonly onTrouble: (error: unknown) => void;
  /** How often it looks whether the daily one is due; for tests. */
  readonly lookMs?: number | undefined;
}

interface Kept {
  /** When daily archives were first due here, or the last one succeeded, Unix milliseconds. */
  readonly since: number;
  readonly last: ArchiveResult | null;
}

export class Archives {
  readonly #options: ArchivesOptions;
  readonly #file: string;
  readonly #stop = new AbortController();
  /** The newest first. */
  #rows: ArchiveRow[] = [];
  #kept: Kept;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ArchivesOptions) {
    this.#options = options;
    this.#file = join(options.dataDir, ARCHIVE_FILE);
    this.#kept = readKept(this.#file) ?? { since: options.clock(), last: null };
  }

  start(): void {
    const { daily, lookMs = LOOK_MS } = this.#options;
    if (daily === undefined) return;
    if (this.#kept.last === null) this.#keep();
    this.#timer = setInterval(() => this.#look(), lookMs).unref();
    this.#look();
  }

  get daily(): ArchivesOptions['daily'] {
    return this.#options.daily;
  }

  /** The newest first, of this process. */
  get list(): readonly Readonly<ArchiveRow>[] {
    return this.#rows;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Of the daily ones; null before the first. */
  get last(): ArchiveResult | null {
    return this.#kept.last;
  }

  /** Since one succeeded, or since the daily one has been due. */
  get ageMs(): number {
    return Math.max(0, this.#options.clock() - this.#kept.since);
  }

  get isOverdue(): boolean {
    return this.#options.daily !== undefined && this.ageMs > OVERDUE_DAYS * DAY_MS;
  }

  /** Begins one that an operator asks for. None may be running. */
  begin(target: string, beforeMs: number): Readonly<ArchiveRow> {
    return this.#begin(target, beforeMs, false);
  }

  #begin(target: string, beforeMs: number, isDaily: boolean): Readonly<ArchiveRow> {
    const row: ArchiveRow = {
      archiveId: `arc_${randomUUID().replaceAll('-', '')}`,
      target,
      before: beforeMs,
      state: 'running',
      position: null,
      facts: 0,
      bytes: 0,
      at: this.#options.clock(),
    };
    this.#rows = [row, ...this.#rows].slice(0, MAX_LISTED);
    this.#running = this.#run(row, isDaily).finally(() => {
      this.#running = undefined;
    });
    return row;
  }

  /** Breaks off the one that is under way. Resolves when it does nothing more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort(new Error('the node stops'));
    await this.#running;
  }

  #look(): void {
    const { daily, clock } = this.#options;
    if (daily === undefined || this.isRunning || this.#stop.signal.aborted) return;
    const { last } = this.#kept;
    const waitMs = last?.ok === false ? AGAIN_MS : DAY_MS;
    // One that ended in the future did so by a clock that was wrong.
    if (last !== null && Math.abs(clock() - last.at) < waitMs) return;
    this.#begin(daily.target, clock() - daily.afterMs, true);
  }

  async #run(row: ArchiveRow, isDaily: boolean): Promise<void> {
    const { run, clock, onEnd } = this.#options;
    const { signal } = this.#stop;
    try {
      const { baseline, facts, bytes } = await run(row.target, row.before, signal, (line) => {
        if (line === undefined) delete row.error;
        else row.error = line;
      });
      delete row.error;
      row.state = 'complete';
      row.position = baseline && { seq: baseline.position, hash: baseline.hash };
      row.facts = facts;
      row.bytes = bytes;
    } catch (error) {
      row.state = 'failed';
      row.error = error instanceof Error ? error.message : String(error);
      if (signal.aborted) return;
    }
    row.at = clock();
    onEnd(row);
    if (!isDaily) return;
    const ok = row.state === 'complete';
    this.#kept = {
      since: ok ? row.at : this.#kept.since,
      last: { ok, at: row.at, ...(row.error === undefined ? {} : { error: row.error }) },
    };
    this.#keep();
  }

  #keep(): void {
    try {
      writeDurably(this.#file, `${JSON.stringify(this.#kept)}\n`);
    } catch (error) {
      this.#options.onTrouble(error);
    }
  }
}

/** Undefined when there is none, or it isn't ours: then days are counted anew. */
function readKept(file: string): Kept | undefined {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept;
    return typeof kept.since === 'number' && typeof kept.last === 'object' ? kept : undefined;
  } catch {
    return undefined;
  }
}
