/**
 * When a delivery is attempted again (SPEC.md §6): each wait runs from the attempt before, so the five attempts
 * span the sum of the four waits, 6 h 36 min.
 */

/**
 * Unix milliseconds of the next attempt, undefined when there is none left and the event is to be discarded.
 *
 * `attemptsMade` is at least 0; `lastAttemptAtMs` is when the last one *began*, or with none made when the event
 * came up, which is also when the first is due. From the beginning, because receivers that fail slowly shall
 * not stretch the schedule; with waits shorter than an attempt takes, the result may lie in the past, which
 * means at once. `waitsMs` is `--webhook-retries`.
 */
export function nextAttemptAtMs(
  attemptsMade: number,
  lastAttemptAtMs: number,
  waitsMs: readonly number[],
): number | undefined {
  if (attemptsMade === 0) return lastAttemptAtMs;
  const waitMs = waitsMs[attemptsMade - 1];
  return waitMs === undefined ? undefined : lastAttemptAtMs + waitMs;
}
