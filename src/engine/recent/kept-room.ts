/**
 * Arrays of numbers that are filled, emptied and filled anew: what is younger than the checkpoint is forgotten again
 * and again. They are kept, not made anew: memory outside V8's heap that comes and goes makes V8 sweep all of the heap
 * each time that enough of it has come.
 *
 * Not kept is what a burst needed beyond the common, for then a node that is quiet afterwards would hold it for good.
 */
type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

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

/** The array for the next generation, of `lengthToKeep`: this one as it is, or a new one. */
export function emptied<Array extends Numbers>(numbers: Array, used: number, first: number): Array {
  const length = lengthToKeep(numbers.length, used, first);
  return length === numbers.length ? numbers : ofLength(numbers, length);
}

/** An array with the same numbers and room for twice as many, or for `least`. */
export function grown<Array extends Numbers>(numbers: Array, least = 0): Array {
  const longer = ofLength(numbers, Math.max(numbers.length * 2, least));
  longer.set(numbers);
  return longer;
}

function ofLength<Array extends Numbers>(numbers: Array, length: number): Array {
  return new (numbers.constructor as new (length: number) => Array)(length);
}
