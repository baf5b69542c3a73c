/**
 * Rows, however many, compared with what they should be; and a few of many that fit.
 *
 * One row after the other: whoever compares two lists of a hundred thousand as a whole waits for ever for their difference.
 */
import assert from 'node:assert/strict';

export function assertSameRows(told: readonly unknown[], wanted: readonly unknown[], title: string): void {
  const count = Math.min(told.length, wanted.length);
  for (let at = 0; at < count; at += 1) assert.deepEqual(told[at], wanted[at], `${title}: row ${at}`);
  assert.equal(told.length, wanted.length, `${title}: how many rows`);
}

/** The last `count` of those that fit. */
export function lastFitting<T>(all: Iterable<T>, isFit: (one: T) => boolean, count: number): T[] {
  let found: T[] = [];
  for (const one of all) {
    if (!isFit(one)) continue;
    found.push(one);
    if (found.length === 2 * count) found = found.slice(count);
  }
  return found.slice(-count);
}

/** The first that fits. */
export function firstFitting<T>(all: Iterable<T>, isFit: (one: T) => boolean): T | undefined {
  for (const one of all) if (isFit(one)) return one;
  return undefined;
}
