/** How much each system does when everybody asks again at once, and how many purchases share a sync then. */
import type { Spread } from '../../measure/statistics.ts';
import { isReference } from '../../systems/system.ts';
import { barChart } from '../charts/bar-chart.ts';
import { lineChart } from '../charts/line-chart.ts';
import type { LookOf } from '../charts/palette.ts';
import type { Markup } from '../markup.ts';
import { threeDigits, whole } from '../measures.ts';
import type { ResultRow } from '../results.ts';
import { isSaturated } from '../rows.ts';
import { barsOf, connectionCounts, linesOf, pointOf, rowsBeside, scenariosOf } from '../selection.ts';
import { type Figure, figures, type Section } from './section.ts';

export function throughput(rows: readonly ResultRow[], lookOf: LookOf): Section {
  const saturated = rows.filter(isSaturated);
  return {
    id: 'throughput',
    title: 'Throughput by connections',
    body: figures(
      scenariosOf(saturated).map((scenario) => throughputOf(scenario, rows, lookOf)),
      'Not measured in this run.',
    ),
  };
}

/** The throughput in one scenario, with floor and ceiling beside. */
export function throughputOf(scenario: string, rows: readonly ResultRow[], lookOf: LookOf): Figure {
  const shown = rowsBeside(rows, scenario);
  // Where buyers are refused or repeat a key, purchases say little of what a system does.
  const isAllBought = shown
    .filter((row) => !isReference(row.system))
    .every((row) => row.purchasesPerSecond.median > 0.98 * row.answersPerSecond.median);
  const unit = isAllBought ? 'purchases/s' : 'answers/s';
  const figureOf = (row: ResultRow) =>
    isAllBought && !isReference(row.system) ? row.purchasesPerSecond : row.answersPerSecond;
  return {
    title: scenario,
    note: isAllBought ? undefined : 'all answers, refusals and repeated ones too',
    chart: byConnections(`${scenario}: ${unit}`, unit, shown, lookOf, figureOf, whole),
  };
}

export function groups(rows: readonly ResultRow[], lookOf: LookOf): Section {
  // The ceiling has groups too, and no sync that they could share.
  const counted = rows.filter(({ system, groupSize }) => system !== 'ceiling' && groupSize !== undefined);
  const figureOf = (row: ResultRow) => row.groupSize;
  const saturated = counted.filter(isSaturated);
  const byScenario = scenariosOf(saturated).map((scenario) => ({
    title: scenario,
    chart: byConnections(
      `${scenario}: purchases a group`,
      'purchases a group',
      rowsBeside(counted, scenario),
      lookOf,
      figureOf,
      threeDigits,
    ),
  }));
  const openLoop = counted.filter(({ scenario }) => scenario === 'open-loop');
  const byRate = connectionCounts(openLoop).map((count) => ({
    title: `open-loop, ${whole(count)} connections`,
    chart: lineChart({
      label: `open-loop: purchases a group by rate, at ${count} connections`,
      xLabel: 'requests/s',
      xScale: 'linear',
      yLabel: 'purchases a group',
      yScale: 'linear',
      valueText: threeDigits,
      lines: linesOf(
        openLoop.filter(({ connections }) => connections === count),
        lookOf,
        (row) => pointOf(row, row.perSecond, figureOf(row)),
      ),
    }),
  }));
  return {
    id: 'groups',
    title: 'Purchases that share a sync',
    body: figures([...byScenario, ...byRate], 'No system of this run counts its groups.'),
  };
}

/** Lines over the numbers of connections; where there is only one number, bars. Systems differ by factors: so do scales. */
function byConnections(
  label: string,
  unit: string,
  rows: readonly ResultRow[],
  lookOf: LookOf,
  figureOf: (row: ResultRow) => Spread | undefined,
  valueText: (value: number) => string,
): Markup | undefined {
  const counts = connectionCounts(rows.filter((row) => figureOf(row) !== undefined));
  if (counts.length === 1) {
    return barChart({
      label: `${label}, at ${counts[0]} connections`,
      xLabel: `${unit}, ${whole(counts[0] ?? 0)} connections`,
      xScale: 'linear',
      valueText,
      best: 'most',
      bars: barsOf(rows, lookOf, figureOf),
    });
  }
  return lineChart({
    label: `${label} by connections`,
    xLabel: 'connections',
    xScale: 'log',
    xTicks: counts,
    xTickText: whole,
    yLabel: `${unit}, log scale`,
    yScale: 'log',
    valueText,
    lines: linesOf(rows, lookOf, (row) => pointOf(row, row.connections, figureOf(row))),
  });
}
