/**
 * What is younger than the checkpoint is forgotten again and again, and the arrays it lay in are filled anew. They are
 * kept, not made anew: memory outside V8's heap that comes and goes makes V8 sweep all of the heap each time that
 * enough of it has come. What a burst needed is given back by halves.
 */

/** How long an array should go on that was filled up to `used` and is forgotten, and began with `least`. */
export function lengthToKeep(length: number, used: number, least: number): number {
  return length > least && used * 4 < length ? Math.max(least, Math.floor(length / 2)) : length;
}
