/**
 * Windows of two reports, brought together into rows: what was measured of one system, in one scenario, with as many
 * connections, in both.
 *
 * A row is compared by one figure, chosen before anything is looked at. Throughput where buyers buy as fast as they can:
 * purchases a second, or answers where nothing is bought (the floor). Where the rate is given, throughput says nothing
 * and latency takes its place; a flash sale, a restock and a crash have the time of their own that they are run for.
 */

import { median } from '../measure/statistics.ts';
import { givenRate } from '../report/rows.ts';
import { lateText, longestWaitMs } from '../scenarios/awaited.ts';
import type { Figured } from './centre.ts';
import type { ReportWindow } from './report-windows.ts';

export interface Figure {
  /** With its unit, e.g. `p99 ms`. */
  readonly name: string;
  /** Milliseconds, where less is better; else so many a second. */
  readonly isTime: boolean;
}

export interface Row {
  /** E.g. `purser open-loop 256, 6000/s`. */
  readonly name: string;
  readonly system: string;
  readonly scenario: string;
  readonly connections: number;
  readonly figure: Figure;
  readonly a: Side;
  readonly b: Side;
  /**
   * Whether both are of one run in which the two took turns: windows of a round were measured within seconds of each
   * other.
   */
  readonly isPaired: boolean;
}

/** One report's part of a row. */
export interface Side {
  /** The figures of the undisturbed windows; of all when all were disturbed. */
  readonly figures: readonly Figured[];
  /** In words where a window waited in vain. */
  readonly median: number | string;
  readonly isDisturbed: boolean;
  /** In a window the run waited in vain: it counts with the time that it waited. */
  readonly isLate: boolean;
  /** How often the system was started for them. */
  readonly starts: number;
}

type FigureField = (typeof fields)[number];

const fields = [
  'purchasesPerSecond',
  'answersPerSecond',
  'p99Ms',
  'lastLoserMs',
  'soldOutMs',
  'firstPurchaseMs',
] as const;
const figures: Readonly<Record<FigureField, Figure>> = {
  purchasesPerSecond: { name: 'purchases/s', isTime: false },
  answersPerSecond: { name: 'answers/s', isTime: false },
  p99Ms: { name: 'p99 ms', isTime: true },
  lastLoserMs: { name: 'last loser ms', isTime: true },
  soldOutMs: { name: 'sold out ms', isTime: true },
  firstPurchaseMs: { name: 'first purchase ms', isTime: true },
};
const timeOf: Readonly<Record<string, FigureField>> = {
  'half-load': 'p99Ms',
  'open-loop': 'p99Ms',
  'flash-sale': 'lastLoserMs',
  restock: 'soldOutMs',
  crash: 'firstPurchaseMs',
};

/** In the order of A. `single` names what only one of them has. */
export function rowsOf(
  a: readonly ReportWindow[],
  b: readonly ReportWindow[],
): { readonly rows: Row[]; readonly single: string[] } {
  const [groupsA, groupsB] = [groupsOf(a), groupsOf(b)];
  const names = new Set([...groupsA.keys(), ...groupsB.keys()]);
  const rows: Row[] = [];
  const single: string[] = [];
  for (const name of names) {
    const [ofA, ofB] = [groupsA.get(name), groupsB.get(name)];
    if (ofA !== undefined && ofB !== undefined) rows.push(rowOf(name, ofA, ofB));
    else single.push(name);
  }
  return { rows, single };
}

function groupsOf(windows: readonly ReportWindow[]): Map<string, ReportWindow[]> {
  const groups = new Map<string, ReportWindow[]>();
  for (const window of windows) {
    const { system, scenario, connections } = window;
    const rate = givenRate(window);
    const name = `${system} ${scenario} ${connections}${rate === undefined ? '' : `, ${rate}/s`}`;
    groups.set(name, [...(groups.get(name) ?? []), window]);
  }
  return groups;
}

function rowOf(name: string, ofA: readonly ReportWindow[], ofB: readonly ReportWindow[]): Row {
  const [first] = ofA;
  if (first === undefined) throw new Error(`${name} has no window`);
  const all = [...ofA, ...ofB];
  const field = fieldOf(first, all);
  const { system, scenario, connections } = first;
  const [a, b] = [sideOf(ofA, field), sideOf(ofB, field)];
  const isPaired = overlap(ofA, ofB);
  return { name, system, scenario, connections, figure: figures[field], a, b, isPaired };
}

function fieldOf({ scenario, perSecond }: ReportWindow, all: readonly ReportWindow[]): FigureField {
  const isMeasured = (field: FigureField) => all.some((window) => (window[field] ?? 0) > 0);
  const time = timeOf[scenario] ?? (typeof perSecond === 'number' ? 'p99Ms' : undefined);
  if (time !== undefined) {
    return isMeasured(time) || longestWaitMs(scenario, time) !== undefined ? time : 'p99Ms';
  }
  return isMeasured('purchasesPerSecond') ? 'purchasesPerSecond' : 'answersPerSecond';
}

function sideOf(windows: readonly ReportWindow[], field: FigureField): Side {
  const timeless = windows.find((window) => typeof window[field] !== 'number');
  const waitedMs = timeless === undefined ? undefined : longestWaitMs(timeless.scenario, field);
  const measured = windows.filter((window) => typeof window[field] === 'number' || waitedMs !== undefined);
  const calm = measured.filter(({ disturbed }) => !disturbed);
  const used = calm.length > 0 ? calm : measured;
  const seen = new Map<number, number>();
  const values = used.map((window) => {
    const nth = (seen.get(window.round) ?? 0) + 1;
    seen.set(window.round, nth);
    const value = window[field] ?? waitedMs ?? Number.NaN;
    return { at: `${window.connections}/${window.round}/${nth}`, value };
  });
  const known = used.flatMap((window) => window[field] ?? []);
  const isLate = known.length < used.length;
  return {
    figures: values,
    median: (isLate && lateText(used[0]?.scenario ?? '', field)) || median(known),
    isDisturbed: measured.length > 0 && calm.length === 0,
    isLate,
    starts: Math.max(1, new Set(used.map(({ start }) => start)).size),
  };
}

/** Whether one's windows lie among the other's in time. */
function overlap(a: readonly ReportWindow[], b: readonly ReportWindow[]): boolean {
  const [timesA, timesB] = [a, b].map((windows) => windows.map(({ fromMs }) => fromMs ?? Number.NaN));
  if (timesA === undefined || timesB === undefined) return false;
  return Math.min(...timesA) <= Math.max(...timesB) && Math.min(...timesB) <= Math.max(...timesA);
}
