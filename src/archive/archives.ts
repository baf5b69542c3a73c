/**
 * The archives of a node: those that operators begin, and the daily one; what came of the last one, and since when there
 * was none.
 *
 * What always holds: one is under way at a time; whatever becomes of it, the node sells on. What came of the last one is in
 * the data folder, so a start knows it (of the daily ones). A daily one that failed is tried again an hour later, and at
 * a start.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { LastResult } from '../persistence/disk/last-result.ts';
import type { Archived } from './archive-making.ts';

export const ARCHIVE_FILE = 'last-archive';
const LOOK_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;
const AGAIN_MS = 60 * 60_000;
/** Overdue after so long without one that succeeded, and what stays that could have been moved so long ago. */
const OVERDUE_MS = 2 * DAY_MS;
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
  /** The last fact that was moved; null while none is known, and when no file of the journal could be moved. */
  position: ArchivePosition | null;
  facts: number;
  bytes: number;
  /** When it began, and when it ended, once it has. Unix milliseconds. */
  at: number;
  /** Why something stays that is old enough. */
  held?: string;
  /** What it waits for, or why it failed. */
  error?: string;
}

export interface ArchiveEnd extends Pick<Archived, 'baseline' | 'facts' | 'bytes'> {
  /** What is old enough and stays: why, in one sentence without its end, and when its oldest file had its last fact. */
  readonly held?: { readonly why: string; readonly atMs: number };
}

export interface ArchiveResult {
  readonly ok: boolean;
  /** When it ended, Unix milliseconds. */
  readonly at: number;
  /** Why something stays that is old enough, or why it failed, in one sentence. */
  readonly held?: string;
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
  ) => Promise<ArchiveEnd>;
  /** Something for the log. */
  readonly onEnd: (row: ArchiveRow) => void;
  readonly onTrouble: (error: unknown) => void;
  /** How often it looks whether the daily one is due; for tests. */
  readonly lookMs?: number | undefined;
}

export class Archives {
  readonly #options: ArchivesOptions;
  readonly #stop = new AbortController();
  /** The newest first. */
  #rows: ArchiveRow[] = [];
  readonly #kept: LastResult<ArchiveResult>;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ArchivesOptions) {
    this.#options = options;
    const { dataDir, clock, onTrouble } = options;
    this.#kept = new LastResult(join(dataDir, ARCHIVE_FILE), clock, onTrouble);
  }

  start(): void {
    const { daily, lookMs = LOOK_MS } = this.#options;
    if (daily === undefined) return;
    this.#kept.begin();
    this.#timer = setInterval(() => this.#look(), lookMs).unref();
    // The operator may have mended what it failed at.
    this.#look(0);
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
    return this.#kept.sinceMs;
  }

  get isOverdue(): boolean {
    return this.#options.daily !== undefined && this.ageMs > OVERDUE_MS;
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

  #look(againMs = AGAIN_MS): void {
    const { daily, clock } = this.#options;
    if (daily === undefined || this.isRunning || this.#stop.signal.aborted) return;
    const { last } = this.#kept;
    const waitMs = last?.ok === false ? againMs : DAY_MS;
    if (last !== null && !this.#kept.isAhead && this.#kept.ageMs < waitMs) return;
    this.#begin(daily.target, clock() - daily.afterMs, true);
  }

  async #run(row: ArchiveRow, isDaily: boolean): Promise<void> {
    const { run, clock, onEnd } = this.#options;
    const { signal } = this.#stop;
    try {
      const { baseline, facts, bytes, held } = await run(row.target, row.before, signal, (line) => {
        if (line === undefined) delete row.error;
        else row.error = line;
      });
      // Who reads is a day behind at times.
      const isLate = isDaily && held !== undefined && held.atMs < row.before - OVERDUE_MS;
      delete row.error;
      row.state = isLate ? 'failed' : 'complete';
      row.position = baseline && { seq: baseline.position, hash: baseline.hash };
      row.facts = facts;
      row.bytes = bytes;
      if (held !== undefined) row[isLate ? 'error' : 'held'] = held.why;
    } catch (error) {
      row.state = 'failed';
      row.error = error instanceof Error ? error.message : String(error);
      if (signal.aborted) return;
    }
    row.at = clock();
    onEnd(row);
    if (!isDaily) return;
    const { at, held, error } = row;
    const ok = row.state === 'complete';
    const said = { ...(held === undefined ? {} : { held }), ...(error === undefined ? {} : { error }) };
    this.#kept.set({ ok, at, ...said }, ok ? at : undefined);
  }
}
