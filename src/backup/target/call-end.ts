/**
 * The end of every call to a target: its answer, or a `TargetError` when it took too long or its caller gave it up.
 *
 * Invariant: the call ends then, even if what it waits for can't be stopped. Work that goes on afterwards is told by
 * its signal, and its result is dropped.
 */
import { TargetError } from './backup-target.ts';

/** How long a target may take. */
export interface Patience {
  /** The time for an answer to anything, in milliseconds. */
  readonly answerMs: number;
  /** The speed of content: a call may take longer by as much as content would need at it. */
  readonly bytesPerSecond: number;
}

/** A line of 1 Mbit/s is enough. */
export const PATIENCE: Patience = { answerMs: 30_000, bytesPerSecond: 128 * 1024 };

export function contentMs(patience: Patience, sizeBytes: number): number {
  return (sizeBytes / patience.bytesPerSecond) * 1_000;
}

/** The end of the call under way. */
export interface CallEnd {
  /** Aborted when the call has ended. */
  readonly signal: AbortSignal;
  /** The call may take so much longer than was said at first. */
  extend(byMs: number): void;
}

/** `url` is the target's, for messages. */
export async function endingCall<T>(
  url: string,
  limitMs: number,
  signal: AbortSignal | undefined,
  work: (end: CallEnd) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  let giveUp = (_: TargetError): void => {};
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const onAbort = () => giveUp(new TargetError('unreachable', `${url}: the call was given up`));
  let allowedMs = limitMs;
  const begunMs = performance.now();
  const onTime = () => {
    giveUp(
      new TargetError(
        'unreachable',
        `${url}: no answer within ${Math.round(allowedMs / 1_000)} s; check that it works and can be reached`,
      ),
    );
  };
  let timer = setTimeout(onTime, limitMs);
  const extend = (byMs: number) => {
    if (ended.signal.aborted) return;
    allowedMs += byMs;
    clearTimeout(timer);
    timer = setTimeout(onTime, begunMs + allowedMs - performance.now());
  };
  try {
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
    return await Promise.race([givenUp, work({ signal: ended.signal, extend })]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    ended.abort();
  }
}
