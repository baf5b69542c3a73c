/** What accounts bought, purchase by purchase, and what a limit makes of it: without buckets that are kept, or sums. */
import type { SpendLimit } from '../../../src/engine/spending/spend-limit.ts';

interface Bought {
  readonly accountId: number;
  readonly atMs: number;
  /** The amount that didn't go back. */
  leftMicros: number;
}

const HOUR_MS = 3_600_000;
const DAY_SECONDS = 86_400;

export class NaiveLedger {
  readonly bought = new Map<number, Bought>();
  readonly holds = new Map<number, { readonly accountId: number; readonly amountMicros: number }>();

  /** What counts in the window: exactly, or, as it is promised, for a part of the sixtieth longer that begins with its bucket. */
  counted(accountId: number, hours: number, nowMs: number, how: 'exact' | 'buckets'): number {
    const bucketMs = (hours * HOUR_MS) / 60;
    const startMs = nowMs - hours * HOUR_MS;
    const fromMs = how === 'exact' ? startMs : Math.floor(startMs / bucketMs) * bucketMs;
    let sum = 0;
    for (const one of this.holds.values()) if (one.accountId === accountId) sum += one.amountMicros;
    for (const one of this.bought.values())
      if (one.accountId === accountId && one.atMs >= fromMs) sum += one.leftMicros;
    return sum;
  }

  allows(
    accountId: number,
    limits: readonly SpendLimit[],
    totalMicros: number,
    nowMs: number,
    how: 'exact' | 'buckets',
  ): boolean {
    return limits.every(
      ({ windowHours, amountMicros }) =>
        this.counted(accountId, windowHours, nowMs, how) + totalMicros <= amountMicros,
    );
  }

  /** The `Retry-After` of a refusal: the first moment of all at which something leaves a window and there is room. */
  retryAfterSeconds(
    accountId: number,
    limits: readonly SpendLimit[],
    totalMicros: number,
    nowMs: number,
  ): number {
    const ends: number[] = [];
    for (const { windowHours } of limits) {
      const bucketMs = (windowHours * HOUR_MS) / 60;
      for (const { atMs } of this.bought.values())
        ends.push((Math.floor(atMs / bucketMs) + 1) * bucketMs + windowHours * HOUR_MS);
    }
    const first = ends
      .filter((atMs) => atMs > nowMs)
      .sort((one, other) => one - other)
      .find((atMs) => this.allows(accountId, limits, totalMicros, atMs, 'buckets'));
    return first === undefined ? DAY_SECONDS : Math.min(DAY_SECONDS, Math.ceil((first - nowMs + 1) / 1_000));
  }
}
