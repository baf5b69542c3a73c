/**
 * How far B is from A, in logarithms, and how sure that is. Three things make two runs of one build differ, and each of
 * them is part of the error:
 *
 * - The windows of a run scatter. This is estimated from the windows themselves.
 * - The host changes between runs. Where both runs measured the floor, each figure counts in relation to the floor of
 *   its round. The floor feels the host more than a system with work of its own does: over hours in which it gained
 *   3.5 times, Purser's share of it fell by a fifth (`docs/decisions/0024-what-made-a-purchase-cheaper.md`). So a sixth
 *   of the floor's own change counts as not known. Runs in which two builds took turns have no such change between them.
 * - Node compiles the code of each process a little differently, so two starts of one build differ in speed. A run with
 *   one start can't show by how much. So a fixed amount is assumed for each start, and a run's part of the variance is
 *   that amount divided by the number of its starts.
 *
 * A test of windows alone was rejected: it takes the last two for a difference of the builds, the surer the more windows
 * there are.
 */
import { type Centre, centreOf, together, type Uncertainty, uncertaintyOf, weighted } from './centre.ts';
import type { Row } from './rows.ts';

export interface Change {
  /** B's centre and A's, by the floor's where there is one. */
  readonly a: Centre;
  readonly b: Centre;
  readonly isPaired: boolean;
  /** The change of the host meanwhile, as the floor felt it; 0 where nothing is divided by the floor. */
  readonly hostLog: number;
  /** The assumed variance between B's and A's starts. */
  readonly startVariance: number;
}

export interface Estimate extends Uncertainty {
  /** Natural logarithm of B divided by A. */
  readonly log: number;
}

/**
 * The deviation of a start, of throughput and of times: two starts of one build then differ by 1.6 % and 7 %, as a
 * standard deviation.
 */
const START_DEVIATION = 0.011;
const START_DEVIATION_OF_TIMES = 0.05;
const UNSHARED_OF_HOST = 1 / 6;

/** `floor`: measured in the same rounds of both, by the same kind of figure. */
export function changeOf(row: Row, floor: Row | undefined): Change {
  const deviation = row.figure.isTime ? START_DEVIATION_OF_TIMES : START_DEVIATION;
  const startVariance = deviation ** 2 * (1 / row.a.starts + 1 / row.b.starts);
  const [a, b] = [centreOf(row.a.figures), centreOf(row.b.figures)];
  if (row.isPaired || floor === undefined) {
    return { a, b, isPaired: row.isPaired, hostLog: 0, startVariance };
  }
  const [floorA, floorB] = [centreOf(floor.a.figures), centreOf(floor.b.figures)];
  return {
    a: byFloor(a, floorA),
    b: byFloor(b, floorB),
    isPaired: false,
    hostLog: floorB.log - floorA.log,
    startVariance,
  };
}

/** The change of several rows as one: the mean of their changes. */
export function meanChange(changes: readonly Change[]): Change {
  const weight = 1 / changes.length;
  const mean = (value: (change: Change) => number) =>
    changes.reduce((sum, change) => sum + value(change), 0) * weight;
  return {
    a: weighted(changes.map(({ a }) => [weight, a])),
    b: weighted(changes.map(({ b }) => [weight, b])),
    isPaired: changes.every(({ isPaired }) => isPaired),
    hostLog: mean(({ hostLog }) => hostLog),
    // One process served them all, so its luck is in each of them.
    startVariance: mean((change) => change.startVariance),
  };
}

export function estimate({ a, b, isPaired, hostLog, startVariance }: Change): Estimate {
  const change = weighted([
    [1, b],
    [-1, a],
  ]);
  const scatter = isPaired ? [uncertaintyOf(change)] : [uncertaintyOf(a), uncertaintyOf(b)];
  const assumed = startVariance + (UNSHARED_OF_HOST * hostLog) ** 2;
  const whole = together([...scatter, { variance: assumed, freedom: Number.POSITIVE_INFINITY }]);
  return { log: change.log, ...whole };
}

function byFloor(centre: Centre, floor: Centre): Centre {
  return weighted([
    [1, centre],
    [-1, floor],
  ]);
}
