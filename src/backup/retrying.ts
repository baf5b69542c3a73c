/**
 * The patience with a target: what it didn't do is tried again (`retry`) for as long as the owner says, the shipping of a
 * running node for ever, a single backup for a minute.
 *
 * Only what the target failed at is tried again: what fails here, such as a damaged folder, doesn't become better.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { pauseAfter, retry } from '../shared/retry.ts';
import { TargetError, type TargetFault } from './target/backup-target.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Between two objects that were stored wrongly, each of which stays. */
const LONGEST_PAUSE_BEFORE_OBJECT_MS = 5 * 60_000;
/** The most wrongly stored objects before a caller gives up, unless its patience is for ever. */
const MAX_WRONG_OBJECTS = 8;

/** Faults that only an operator mends; a caller that waits for ever waits for one. */
const HOPELESS: readonly TargetFault[] = ['refused', 'impossible', 'full'];

export interface RetryingOptions {
  /** Ends all of it, whatever is under way. */
  readonly signal: AbortSignal;
  /** For how long the same thing may fail, in milliseconds; `Infinity` for ever. */
  readonly patienceMs: number;
  /** Hears of each failure after which it is tried again, and with `undefined` that it works again. */
  readonly onTrouble: (error: TargetError | undefined) => void;
  /** Default: `FIRST_PAUSE_MS`; tests have none to spare. */
  readonly firstPauseMs?: number;
}

export class Retrying {
  readonly #options: RetryingOptions;

  constructor(options: RetryingOptions) {
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  /** A retrying of the same options that `signal` ends as well. */
  endedBy(signal: AbortSignal): Retrying {
    return new Retrying({ ...this.#options, signal: AbortSignal.any([this.#options.signal, signal]) });
  }

  /**
   * Rests before the next name is tried, after so many objects that were stored wrongly, the last one as `name`. Rejects
   * when the patience ends.
   */
  async restAfterWrong(name: string, count: number): Promise<void> {
    const { signal, onTrouble, firstPauseMs = FIRST_PAUSE_MS } = this.#options;
    const error = new TargetError('invalid', `the target has something else under ${name} than was sent`);
    onTrouble(error);
    if (!this.#isForEver && count >= MAX_WRONG_OBJECTS) throw error;
    const pauseMs = pauseAfter(count + 1, firstPauseMs, LONGEST_PAUSE_BEFORE_OBJECT_MS);
    await delay(pauseMs, undefined, { signal });
  }

  /** The result of `work`. Rejects with its last `TargetError`, with any other error of it, or when it is aborted. */
  async until<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { signal, patienceMs, onTrouble, firstPauseMs = FIRST_PAUSE_MS } = this.#options;
    const result = await retry(() => work(signal), {
      signal,
      patienceMs,
      pauseMs: firstPauseMs,
      longestMs: LONGEST_PAUSE_MS,
      mayHelp: (error) =>
        error instanceof TargetError && (this.#isForEver || !HOPELESS.includes(error.fault)),
      onFailure: (error) => onTrouble(error as TargetError),
    });
    onTrouble(undefined);
    return result;
  }

  get #isForEver(): boolean {
    return this.#options.patienceMs === Number.POSITIVE_INFINITY;
  }
}
