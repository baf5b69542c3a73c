/**
 * The middle of a row's windows, and how much each round pulls at it.
 *
 * Taken of logarithms, because a host that is a tenth slower takes a tenth from every figure. A tenth of the windows is
 * left out at each end (none below ten windows): single windows of a shared machine lie off by a third, and one of them
 * should neither move a row nor hide what the others show. The median was tried on paper and left: with five windows its
 * error can't be estimated well, and it wastes a third of the others.
 *
 * The pulls are what makes differences simple. Centres are added and subtracted round by round, so what two rows of a
 * round share (a slow second of the host) cancels by itself before the error is made of what is left.
 */

export interface Figured {
  /** A round; values of two rows with equal names were measured side by side. */
  readonly at: string;
  readonly value: number;
}

export interface Centre {
  /** Natural logarithm. */
  readonly log: number;
  /** By name of the round; they add up to 0 within a row. */
  readonly pulls: ReadonlyMap<string, number>;
}

/** A variance, and from how many independent values it is known; infinite when it is assumed. */
export interface Uncertainty {
  readonly variance: number;
  readonly freedom: number;
}

/** Stands for 0, which has no logarithm: a server that answered nothing. */
const LEAST_VALUE = 1e-3;
const CUT_SHARE = 0.1;

export function centreOf(figures: readonly Figured[]): Centre {
  const logs = figures.map(({ value }) => Math.log(Math.max(value, LEAST_VALUE)));
  const sorted = logs.toSorted((one, other) => one - other);
  const cut = cutOf(logs.length);
  const kept = sorted.slice(cut, sorted.length - cut);
  const [low = Number.NaN, high = Number.NaN] = [kept[0], kept.at(-1)];
  // Those that are left out count as the next that isn't: Yuen's estimate of a trimmed mean's error.
  const drawnIn = logs.map((log) => Math.min(high, Math.max(low, log)));
  const middle = meanOf(drawnIn);
  const pulls = new Map<string, number>();
  for (const [index, { at }] of figures.entries()) {
    pulls.set(at, (pulls.get(at) ?? 0) + ((drawnIn[index] ?? middle) - middle) / kept.length);
  }
  return { log: meanOf(kept), pulls };
}

/** The sum of centres, each times its weight. */
export function weighted(parts: readonly (readonly [weight: number, centre: Centre])[]): Centre {
  const pulls = new Map<string, number>();
  for (const [weight, centre] of parts) {
    for (const [at, pull] of centre.pulls) pulls.set(at, (pulls.get(at) ?? 0) + weight * pull);
  }
  return { log: parts.reduce((sum, [weight, { log }]) => sum + weight * log, 0), pulls };
}

/** The uncertainty of the centre, from the rounds' pulls: rounds count as independent of one another. */
export function uncertaintyOf({ pulls }: Centre): Uncertainty {
  const rounds = pulls.size;
  const squares = [...pulls.values()].reduce((sum, pull) => sum + pull ** 2, 0);
  return { variance: (squares * rounds) / (rounds - 1), freedom: rounds - 1 - 2 * cutOf(rounds) };
}

/** The uncertainty of a sum of independent parts; the degrees of freedom after Welch and Satterthwaite. */
export function together(parts: readonly Uncertainty[]): Uncertainty {
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  const spent = parts.reduce((sum, part) => sum + part.variance ** 2 / part.freedom, 0);
  return { variance, freedom: spent > 0 ? variance ** 2 / spent : Number.POSITIVE_INFINITY };
}

function cutOf(count: number): number {
  return Math.floor(count * CUT_SHARE);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
