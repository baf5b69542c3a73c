/**
 * The sums that accounts with spend limits bought for within the windows of their limits.
 *
 * Made by `apply` of facts alone, and part of the account's row in the checkpoint: so it is the same after a restart, on
 * each node of a cluster, and after a restore. An account without limits costs nothing here; what it bought is in the
 * checkpoint, by minute, and a new window begins with that (`past-spending.ts`). A window has 61 buckets at most, and
 * only those in which something was bought, so an account with four busy windows takes some 4 KB.
 */
import type { Fact } from '../fact.ts';
import { bucketOf, endOfBucket, firstBucket, type SpendLimit, type SpentWindow } from './spend-limit.ts';
import { type SpendingChange, spendingChangeOf } from './spending-change.ts';

interface Window {
  readonly windowHours: number;
  readonly buckets: number[];
}

const NO_WINDOWS: readonly Window[] = [];

export class Spending {
  /** Accounts with limits alone have any. */
  readonly #windows = new Map<number, readonly Window[]>();

  /** How many accounts have limits. */
  get size(): number {
    return this.#windows.size;
  }

  /** As `load` takes them; undefined of an account without limits. */
  stored(accountId: number): readonly SpentWindow[] | undefined {
    return this.#windows.get(accountId);
  }

  load(accountId: number, windows: readonly SpentWindow[]): void {
    const own = windows.map(({ windowHours, buckets }) => ({ windowHours, buckets: [...buckets] }));
    if (own.length > 0) this.#windows.set(accountId, own);
    else this.#windows.delete(accountId);
  }

  /** The windows of these limits that the account hasn't yet, each once. */
  newWindows(accountId: number, limits: readonly SpendLimit[]): number[] {
    const known = this.#windowsOf(accountId);
    const hours = new Set(limits.map(({ windowHours }) => windowHours));
    return [...hours].filter((one) => !known.some(({ windowHours }) => windowHours === one));
  }

  /** The account has these limits from now on. Windows that it hasn't yet begin as `past` says, or empty. */
  setLimits(accountId: number, limits: readonly SpendLimit[], past: readonly SpentWindow[]): void {
    const hours = new Set(limits.map(({ windowHours }) => windowHours));
    const known = [...this.#windowsOf(accountId), ...past];
    const windows = Array.from(hours, (windowHours) => {
      return known.find((window) => window.windowHours === windowHours) ?? { windowHours, buckets: [] };
    });
    this.load(accountId, windows);
  }

  /** Counts what the fact changes. Not asked while no account has limits. */
  take(fact: Fact): void {
    const change = spendingChangeOf(fact);
    if (change === undefined) return;
    for (const window of this.#windowsOf(change.accountId)) count(window, change, fact.atMs);
  }

  /** In micro-USDT, without what is on hold. */
  spentMicros(accountId: number, windowHours: number, nowMs: number): number {
    const { buckets } = this.#windowOf(accountId, windowHours);
    const first = firstBucket(windowHours, nowMs);
    let sum = 0;
    for (let at = buckets.length - 2; at >= 0 && (buckets[at] ?? 0) >= first; at -= 2)
      sum += buckets[at + 1] ?? 0;
    return sum;
  }

  /** When so much of it will count no longer, in Unix milliseconds; infinite when that isn't counted now. */
  leavesAtMs(accountId: number, windowHours: number, nowMs: number, amountMicros: number): number {
    const { buckets } = this.#windowOf(accountId, windowHours);
    const first = firstBucket(windowHours, nowMs);
    let left = 0;
    for (let at = 0; at < buckets.length; at += 2) {
      const bucket = buckets[at] ?? 0;
      if (bucket < first) continue;
      left += buckets[at + 1] ?? 0;
      if (left >= amountMicros) return endOfBucket(windowHours, bucket);
    }
    return Number.POSITIVE_INFINITY;
  }

  #windowsOf(accountId: number): readonly Window[] {
    return this.#windows.get(accountId) ?? NO_WINDOWS;
  }

  #windowOf(accountId: number, windowHours: number): Window {
    for (const window of this.#windowsOf(accountId)) if (window.windowHours === windowHours) return window;
    throw new Error(`account ${accountId} has no window of ${windowHours} hours`);
  }
}

/** Buckets that count no longer at the time of the fact are forgotten, and take no more changes. */
function count(
  { windowHours, buckets }: Window,
  { atMs, amountMicros }: SpendingChange,
  nowMs: number,
): void {
  const first = firstBucket(windowHours, nowMs);
  let old = 0;
  while (old < buckets.length && (buckets[old] ?? 0) < first) old += 2;
  if (old > 0) buckets.splice(0, old);
  const bucket = bucketOf(windowHours, atMs);
  if (bucket < first) return;
  let at = buckets.length;
  while (at > 0 && (buckets[at - 2] ?? 0) > bucket) at -= 2;
  if (at > 0 && buckets[at - 2] === bucket) buckets[at - 1] = (buckets[at - 1] ?? 0) + amountMicros;
  else buckets.splice(at, 0, bucket, amountMicros);
}
