/**
 * Places in a list by time: rows are found by the positions of their facts, whose times never go back, so a time is
 * found by halves.
 */

/** A place in an account's movements, or in the audit: before all of the time `atMs` when `seq` is 0. */
export interface Place {
  readonly atMs: number;
  readonly seq: number;
}

/**
 * The position at which rows of `place` and behind it begin: at `seq`, or at the first row that is not before `atMs`.
 * `timeFrom`: the time of the first row at a position or behind it; undefined when there is none. `end`: the last
 * position.
 */
export function positionOf(
  { atMs, seq }: Place,
  end: number,
  timeFrom: (position: number) => number | undefined,
): number {
  if (seq > 0) return seq;
  let low = 1;
  let high = end + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = timeFrom(middle);
    if (found === undefined || found >= atMs) high = middle;
    else low = middle + 1;
  }
  return low;
}
