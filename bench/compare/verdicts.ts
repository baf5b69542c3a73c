/**
 * The verdict on each row: `slower`, `faster`, `no difference`, or that it can't be told.
 *
 * The test is Welch's t test of logarithms (`centre.ts`, `change.ts`), two-sided, at 0.05 over all rows. Rejected were
 * the rank test of Mann and Whitney and permutation tests: with five windows a side their least p is 2/252, so among
 * seven rows even half the speed would never be found; and they have no place for what isn't in the windows.
 *
 * The correction is Holm's. Holm's bounds the chance that any row is called different wrongly, which is the chance of a
 * wrong alarm, also while other rows do differ. Benjamini and Hochberg's bounds only the share of wrong rows: a build
 * that is faster in ten rows could then be called slower in an eleventh too easily. A change of all rows by some per
 * cent, which Holm can't see in single rows of few windows, has a row of its own for each system.
 *
 * Floor and ceiling show what the host did: their rows have no correction, and nobody is blamed for them.
 */

import { isReference } from '../systems/system.ts';
import { type Change, changeOf, type Estimate, estimate, meanChange } from './change.ts';
import type { Row, Side } from './rows.ts';
import { boundOf, tailOf } from './student.ts';

export type Verdict = 'slower' | 'faster' | 'no difference' | "can't tell";

export interface Judged {
  readonly name: string;
  readonly figure: string;
  /** Undefined for a system's rows together. */
  readonly medians?: readonly [a: Side['median'], b: Side['median']];
  /** B divided by A, what the host changed taken out; undefined when it can't be told. */
  readonly ratio?: Ratio;
  /** Corrected for the number of rows; undefined for floor and ceiling, and when it can't be told. */
  readonly p?: number;
  readonly verdict: Verdict;
  readonly isReference: boolean;
  /** The remarks that the reader has to know about this row. */
  readonly remarks: readonly Remark[];
}

export interface Ratio {
  readonly value: number;
  /** The interval of this row alone, at 95 %. */
  readonly low: number;
  readonly high: number;
  /** The least change that would be found in four of five such comparisons, as a share: 0.05 is 5 %. */
  readonly visible: number;
}

export type Remark =
  | 'disturbed'
  | 'by the floor'
  | 'in turn'
  | 'not in time'
  | 'too few windows'
  | 'one side disturbed';

export const LEAST_WINDOWS = 5;
const ALPHA = 0.05;
/** The quantile of the normal distribution below which four of five lie. */
const FOUR_OF_FIVE = 0.842;

interface Candidate {
  readonly name: string;
  readonly row?: Row;
  readonly figure: string;
  readonly isTime: boolean;
  readonly isReference: boolean;
  readonly remarks: readonly Remark[];
  readonly estimate?: Estimate;
}

/** One for each row, and one for all rows of a system together where it has several of throughput. */
export function judge(rows: readonly Row[]): Judged[] {
  const candidates = candidatesOf(rows);
  const family = candidates.filter((candidate) => candidate.estimate !== undefined && !candidate.isReference);
  const corrected = holm(
    family.map(({ estimate: known }) => (known === undefined ? 1 : probabilityOf(known))),
  );
  return candidates.map((candidate) => {
    const place = family.indexOf(candidate);
    return judged(candidate, place < 0 ? undefined : corrected[place], family.length);
  });
}

function candidatesOf(rows: readonly Row[]): Candidate[] {
  const changes = new Map<string, Change[]>();
  const candidates = rows.map((row): Candidate => {
    const { name, figure, system } = row;
    const about = { name, row, figure: figure.name, isTime: figure.isTime, isReference: isReference(system) };
    const obstacle = obstacleOf(row);
    if (obstacle !== undefined) return { ...about, remarks: [obstacle] };
    const floor = about.isReference || row.isPaired ? undefined : floorOf(row, rows);
    const change = changeOf(row, floor);
    if (!about.isReference && !figure.isTime) changes.set(system, [...(changes.get(system) ?? []), change]);
    const remarks: Remark[] = [];
    if (row.a.isDisturbed) remarks.push('disturbed');
    if (floor !== undefined) remarks.push('by the floor');
    if (row.isPaired) remarks.push('in turn');
    if (row.a.isLate || row.b.isLate) remarks.push('not in time');
    return { ...about, remarks, estimate: estimate(change) };
  });
  for (const [system, ofSystem] of changes) {
    if (ofSystem.length < 2) continue;
    const name = `${system}, its ${ofSystem.length} rows of throughput together`;
    const about = { name, figure: '', isTime: false, isReference: false, remarks: [] };
    candidates.push({ ...about, estimate: estimate(meanChange(ofSystem)) });
  }
  return candidates;
}

function obstacleOf({ a, b }: Row): Remark | undefined {
  if (isTooFew(a) || isTooFew(b)) return 'too few windows';
  return a.isDisturbed === b.isDisturbed ? undefined : 'one side disturbed';
}

function isTooFew({ figures }: Side): boolean {
  return figures.length < LEAST_WINDOWS;
}

/** The floor beside a row: with as many connections, of the same scenario where it has one, and always so for times. */
function floorOf(row: Row, rows: readonly Row[]): Row | undefined {
  const floors = rows.filter(
    (other) =>
      other.system === 'floor' &&
      other.connections === row.connections &&
      other.figure.isTime === row.figure.isTime &&
      obstacleOf(other) === undefined,
  );
  const same = floors.find(({ scenario }) => scenario === row.scenario);
  return same ?? (row.figure.isTime ? undefined : floors[0]);
}

function judged(candidate: Candidate, p: number | undefined, tests: number): Judged {
  const { name, figure, row, isReference, remarks, isTime, estimate: known } = candidate;
  const about = {
    name,
    figure,
    isReference,
    remarks,
    ...(row === undefined ? {} : { medians: [row.a.median, row.b.median] as const }),
  };
  if (known === undefined) return { ...about, verdict: "can't tell" };
  const isFound = (p ?? probabilityOf(known)) < ALPHA;
  const isWorse = isTime ? known.log > 0 : known.log < 0;
  return {
    ...about,
    ratio: ratioOf(known, isReference ? 1 : tests),
    ...(p === undefined ? {} : { p }),
    verdict: isFound ? (isWorse ? 'slower' : 'faster') : 'no difference',
  };
}

function probabilityOf({ log, variance, freedom }: Estimate): number {
  return tailOf(log / Math.sqrt(variance), freedom);
}

function ratioOf({ log, variance, freedom }: Estimate, tests: number): Ratio {
  const error = Math.sqrt(variance);
  const reach = boundOf(ALPHA, freedom) * error;
  return {
    value: Math.exp(log),
    low: Math.exp(log - reach),
    high: Math.exp(log + reach),
    visible: Math.expm1((boundOf(ALPHA / tests, freedom) + FOUR_OF_FIVE) * error),
  };
}

/** Each p times the number of those that are not smaller, and never below one that is smaller. */
export function holm(probabilities: readonly number[]): number[] {
  const order = probabilities.map((p, index) => ({ p, index })).toSorted((one, other) => one.p - other.p);
  const corrected = probabilities.map(() => 1);
  let least = 0;
  for (const [rank, { p, index }] of order.entries()) {
    least = Math.max(least, Math.min(1, p * (order.length - rank)));
    corrected[index] = least;
  }
  return corrected;
}
