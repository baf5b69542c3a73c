/**
 * Randomness that can be had again: a test prints its seed, and `PURSER_TEST_SEED=…` repeats the choices. The effects
 * of the machine's timing can't be repeated, so a seed is a help and not a promise.
 */
import { randomInt } from 'node:crypto';

export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** Uniform in [0, 1). The generator is known as mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.between(0, choices.length - 1)];
    if (choice === undefined) throw new Error('there is nothing to choose from');
    return choice;
  }

  /** Up to `count` of them, each at most once, in random order. */
  sample<T>(choices: readonly T[], count: number): T[] {
    const rest = [...choices];
    const chosen: T[] = [];
    while (chosen.length < count && rest.length > 0) {
      chosen.push(...rest.splice(this.between(0, rest.length - 1), 1));
    }
    return chosen;
  }
}

/** From `PURSER_TEST_SEED`, or a new one. */
export function randomFromEnvironment(): Random {
  const given = Number(process.env.PURSER_TEST_SEED);
  return new Random(Number.isSafeInteger(given) && given > 0 ? given : randomInt(1, 2 ** 31));
}

/** `PURSER_TEST_ROUNDS`, for whoever wants more proof than a test gives by itself, or `usual`. */
export function roundsOr(usual: number): number {
  const given = Number(process.env.PURSER_TEST_ROUNDS);
  return Number.isSafeInteger(given) && given > 0 ? given : usual;
}
