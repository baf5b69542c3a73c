/** The data of a page's charts: rows and windows, chosen and put in the form that charts take. */
import { type Spread, spread } from '../measure/statistics.ts';
import { isReference, referenceNames } from '../systems/system.ts';
import type { Bar } from './charts/bar-chart.ts';
import type { ChartLine, LinePoint } from './charts/line-chart.ts';
import type { Look, LookOf } from './charts/palette.ts';
import { whole } from './measures.ts';
import type { ResultRow, Results, ResultWindow } from './results.ts';
import { isSaturated, rowKey } from './rows.ts';

type Figure = (row: ResultRow) => Bar['value'] | undefined;

/** In the order in which they were first run. Not those that only floor and ceiling ran. */
export function scenariosOf(rows: readonly ResultRow[]): string[] {
  return [...new Set(rows.filter((row) => !isReference(row.system)).map(({ scenario }) => scenario))];
}

/** The rows of a scenario, and those of floor and ceiling, which may have run only once for all scenarios. */
export function rowsBeside(rows: readonly ResultRow[], scenario: string): ResultRow[] {
  const sold = rows.filter((row) => row.scenario === scenario && !isReference(row.system));
  if (sold.length === 0) return [];
  const references = referenceNames.flatMap((system) => {
    const own = rows.filter((row) => row.system === system && isSaturated(row));
    const same = own.filter((row) => row.scenario === scenario);
    return same.length > 0 ? same : own.filter((row) => row.scenario === own[0]?.scenario);
  });
  return [...sold, ...references];
}

/** Purser's line last, so that it lies above the others; floor and ceiling first. */
export function linesOf(
  rows: readonly ResultRow[],
  lookOf: LookOf,
  pointsOf: (row: ResultRow) => readonly LinePoint[],
): ChartLine[] {
  const rank = ({ system, isReference: isBehind }: Look) => (isBehind ? 0 : system === 'purser' ? 2 : 1);
  return [...new Set(rows.map(({ system }) => system))]
    .map(lookOf)
    .sort((one, other) => rank(one) - rank(other))
    .map((look) => ({ look, points: rows.filter(({ system }) => system === look.system).flatMap(pointsOf) }));
}

/** The one point of a row on its system's line, or none where it wasn't measured. */
export function pointOf(row: ResultRow, x: number | undefined, y: Spread | undefined): LinePoint[] {
  return x === undefined || y === undefined ? [] : [{ x, y, disturbed: row.disturbed }];
}

/** For a note of a bar. */
export function rateOf({ perSecond }: ResultRow): string | undefined {
  return perSecond === undefined ? undefined : `${whole(perSecond)}/s`;
}

export function barsOf(
  rows: readonly ResultRow[],
  lookOf: LookOf,
  figureOf: Figure,
  noteOf: (row: ResultRow) => string | undefined = () => undefined,
): Bar[] {
  return rows.flatMap((row) => {
    const [value, note] = [figureOf(row), noteOf(row)];
    if (value === undefined) return [];
    return [
      { look: lookOf(row.system), value, disturbed: row.disturbed, ...(note !== undefined && { note }) },
    ];
  });
}

/** Least first. */
export function connectionCounts(rows: readonly ResultRow[]): number[] {
  return [...new Set(rows.map(({ connections }) => connections))].sort((one, other) => one - other);
}

/** The number of connections at which most of the rows are; of several the one nearest to 256. */
export function mainConnections(rows: readonly ResultRow[]): number {
  const at = (count: number) => rows.filter(({ connections }) => connections === count).length;
  const distance = (count: number) => Math.abs(Math.log2(count / 256));
  const [main] = connectionCounts(rows).sort(
    (one, other) => at(other) - at(one) || distance(one) - distance(other),
  );
  return main ?? 0;
}

/** The windows that a row is made of. */
export function windowsOf(row: ResultRow, { windows }: Results): ResultWindow[] {
  const key = rowKey(row);
  return windows.filter((window) => rowKey(window) === key && (row.disturbed || !window.disturbed));
}

/** Over the windows of a row, for every percentile that they have; of those in the row where there are no others. */
export function percentilesOf(row: ResultRow, results: Results): { percentile: number; ms: Spread }[] {
  const points = new Map<number, number[]>();
  for (const { percentile, ms } of windowsOf(row, results).flatMap(({ latency }) => latency ?? [])) {
    points.set(percentile, [...(points.get(percentile) ?? []), ms]);
  }
  if (points.size === 0) {
    return [
      { percentile: 50, ms: row.p50Ms },
      { percentile: 99, ms: row.p99Ms },
      { percentile: 99.9, ms: row.p999Ms },
    ];
  }
  return [...points].flatMap(([percentile, times]) => {
    const ms = spread(times);
    return ms === undefined ? [] : [{ percentile, ms }];
  });
}
