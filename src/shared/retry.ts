/** Work that is tried again when it failed in a way that may pass, with pauses that grow. */
import { setTimeout as delay } from 'node:timers/promises';

export interface RetryOptions {
  /** The pause before the second try, in milliseconds. */
  readonly pauseMs: number;
  /** Each pause is twice the one before, up to this one; default: all are as long as the first. */
  readonly longestMs?: number;
  /** How long tries are begun for, in milliseconds; default: for ever. */
  readonly patienceMs?: number;
  /** Whether another try may help after this failure; default: always. */
  readonly mayHelp?: (error: unknown) => boolean;
  /** Hears of each failure after which it is tried again, and how many there were. */
  readonly onFailure?: (error: unknown, failures: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Rejects with the last failure, and when `signal` is aborted. */
export async function retry<Result>(
  work: () => Result | Promise<Result>,
  options: RetryOptions,
): Promise<Result> {
  const { pauseMs, longestMs = pauseMs, patienceMs = Number.POSITIVE_INFINITY, signal } = options;
  const { mayHelp = () => true, onFailure = () => {} } = options;
  const beganMs = performance.now();
  for (let failures = 1; ; failures += 1) {
    signal?.throwIfAborted();
    const restMs = pauseAfter(failures, pauseMs, longestMs);
    try {
      return await work();
    } catch (error) {
      if (!mayHelp(error) || performance.now() - beganMs + restMs > patienceMs) throw error;
      signal?.throwIfAborted();
      onFailure(error, failures);
    }
    await delay(restMs, undefined, { signal });
  }
}

/** The pause after so many failures in a row, of which the first is followed by `firstMs`. */
export function pauseAfter(failures: number, firstMs: number, longestMs: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, 30), longestMs);
}
