/** Clock, timers and random numbers of the client; tests replace them. */
export interface Timing {
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after `delayMs`; rejects at once when `signal` is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls `onElapsed` after `delayMs`, unless what it returns is called before. */
  startTimer(delayMs: number, onElapsed: () => void): () => void;
  /** Uniform in [0, 1). */
  random(): number;
}

export const REAL_TIMING: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  startTimer: (delayMs, onElapsed) => {
    const timer = setTimeout(onElapsed, delayMs);
    return () => clearTimeout(timer);
  },
  sleep: (delayMs, signal) =>
    new Promise((resolve, reject) => {
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, delayMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted === true) onAbort();
    }),
};

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;
/** On top, so that programs which failed together don't come back together. */
const JITTER_SHARE = 0.25;

/**
 * How long to wait after the failed attempt number `attempt` (from 1): 1 s, 2 s, 4 s … and up to a quarter
 * more, and never less than the server asks for (SPEC.md §7).
 */
export function retryDelayMs(attempt: number, retryAfterSeconds: number | undefined, random: number): number {
  const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (attempt - 1), LONGEST_BACKOFF_MS);
  const atLeastMs = Math.max(backoffMs, (retryAfterSeconds ?? 0) * 1_000);
  return Math.ceil(atLeastMs + backoffMs * JITTER_SHARE * random);
}
