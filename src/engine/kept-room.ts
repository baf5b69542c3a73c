/**
 * What is younger than the checkpoint is forgotten again and again, and the arrays it lay in are filled anew. They are
 * kept, not made anew: memory outside V8's heap that comes and goes makes V8 sweep all of the heap each time that
 * enough of it has come.
 *
 * Not kept is what a burst needed beyond the common, for then a node that is quiet afterwards would hold it for good.
 */

/** Arrays for more than this many times their first room are not kept: 65,536 orders, of 36-character keys. */
const MOST_TIMES = 32;

/**
 * The length of the array for the next generation, after one that filled it up to `used`: as it is, or half of it when
 * less than a quarter was used, so that halving isn't followed by growing; never below `first`, with which it began.
 */
export function lengthToKeep(length: number, used: number, first: number): number {
  if (length > first * MOST_TIMES) return first;
  return used * 4 < length ? Math.max(first, Math.floor(length / 2)) : length;
}
