/**
 * Spend limits of an account, and the buckets in which their windows are counted.
 *
 * A window of N hours has buckets of N minutes. A purchase counts for as long as any part of its bucket is younger than
 * N hours: for N hours at least, and N minutes longer at most. So the edge of a window is exact to a sixtieth of it, and
 * never in the buyer's favour. Rejected: the time of each purchase, of which a month may have millions; buckets of one
 * length for all windows, too coarse for an hour or too many for a month.
 */
export interface SpendLimit {
  readonly windowHours: number;
  readonly amountMicros: number;
}

/** The purchases of one window, as facts and the checkpoint have them. */
export interface SpentWindow {
  readonly windowHours: number;
  /** In pairs, oldest first: the number of a bucket, and what was bought in it, in micro-USDT. */
  readonly buckets: readonly number[];
}

export const MAX_SPEND_LIMITS = 4;
/** 31 days. */
export const MAX_WINDOW_HOURS = 744;

export const MINUTE_MS = 60_000;
/** Buckets of a window, without the one that it begins in. */
const BUCKETS = 60;

/** The number of the bucket in which something is counted. */
export function bucketOf(windowHours: number, atMs: number): number {
  return Math.floor(atMs / (windowHours * MINUTE_MS));
}

/** The oldest bucket that still counts. */
export function firstBucket(windowHours: number, nowMs: number): number {
  return bucketOf(windowHours, nowMs) - BUCKETS;
}

/** When the bucket counts no longer, in Unix milliseconds. */
export function endOfBucket(windowHours: number, bucket: number): number {
  return (bucket + BUCKETS + 1) * windowHours * MINUTE_MS;
}
