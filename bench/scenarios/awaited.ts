/**
 * Events that a scene waits for, and for how long at most.
 *
 * A window in which it didn't happen in time has no such figure. A row with such a window has none either, and says so:
 * the windows that were in time, taken alone, would make the slowest system look better.
 */
import type { Measures } from '../report/results.ts';

/** From the upload's request. */
export const soldOutWithinMs = 30_000;
/** From the first request after the start. */
export const sellsAgainWithinMs = 60_000;

interface Awaited {
  readonly measure: keyof Measures;
  readonly mostMs: number;
}

const awaited: Readonly<Record<string, Awaited>> = {
  restock: { measure: 'soldOutMs', mostMs: soldOutWithinMs },
  crash: { measure: 'firstPurchaseMs', mostMs: sellsAgainWithinMs },
};

/** Milliseconds; undefined for what the scenario doesn't wait for. */
export function longestWaitMs(scenario: string, measure: keyof Measures): number | undefined {
  const wait = awaited[scenario];
  return wait?.measure === measure ? wait.mostMs : undefined;
}

/**
 * The words in the figure's place, e.g. `not within 30 s`; undefined for a figure that the scenario doesn't wait for.
 */
export function lateText(scenario: string, measure: keyof Measures): string | undefined {
  const mostMs = longestWaitMs(scenario, measure);
  return mostMs === undefined ? undefined : `not within ${mostMs / 1000} s`;
}
