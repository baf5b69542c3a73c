/** How long buyers wait: at full speed up to the rarest answer, and by the rate at which they come. */
import { barChart } from '../charts/bar-chart.ts';
import { lineChart } from '../charts/line-chart.ts';
import type { LookOf } from '../charts/palette.ts';
import { html } from '../markup.ts';
import { threeDigits, whole } from '../measures.ts';
import type { ResultRow, Results } from '../results.ts';
import { isSaturated } from '../rows.ts';
import {
  barsOf,
  connectionCounts,
  linesOf,
  mainConnections,
  percentilesOf,
  pointOf,
  rateOf,
  scenariosOf,
} from '../selection.ts';
import { type Figure, figures, type Section } from './section.ts';

const shownPercentiles = [50, 90, 99, 99.9, 99.99];

export function distributions(results: Results, lookOf: LookOf): Section {
  const rows = results.rows.filter((row) => isSaturated(row) || row.scenario === 'half-load');
  return {
    id: 'latency',
    title: 'Latency distributions',
    body: figures(
      scenariosOf(rows).map((scenario) => distributionOf(scenario, results, lookOf)),
      'Not measured in this run.',
    ),
  };
}

function distributionOf(scenario: string, results: Results, lookOf: LookOf): Figure {
  const all = results.rows.filter((row) => row.scenario === scenario);
  const connections = mainConnections(all);
  const rows = all.filter((row) => row.connections === connections);
  const lines = linesOf(rows, lookOf, (row) =>
    percentilesOf(row, results).flatMap(({ percentile, ms }) => pointOf(row, rarity(percentile), ms)),
  );
  const most = Math.max(...lines.flatMap(({ points }) => points.map(({ x }) => x)));
  return {
    title: scenario,
    note: `${whole(connections)} connections`,
    chart: lineChart({
      label: `${scenario}: latency by percentile, at ${connections} connections`,
      xLabel: 'percentile',
      xScale: 'linear',
      xTicks: shownPercentiles.map(rarity).filter((x) => x <= most),
      xTickText: percentileText,
      yLabel: 'ms, log scale',
      yScale: 'log',
      valueText: (ms) => `${threeDigits(ms)} ms`,
      lines,
    }),
  };
}

/** So that 90, 99, 99.9 and 99.99 lie equally far apart: 1, 2, 3 and 4. */
function rarity(percentile: number): number {
  return Number(-Math.log10(1 - percentile / 100).toFixed(6));
}

function percentileText(x: number): string {
  return String(Number((100 * (1 - 10 ** -x)).toFixed(3)));
}

export function byRate(rows: readonly ResultRow[], lookOf: LookOf): Section {
  const openLoop = rows.filter(
    ({ scenario, perSecond }) => scenario === 'open-loop' && perSecond !== undefined,
  );
  const halfLoad = rows.filter(({ scenario }) => scenario === 'half-load');
  return {
    id: 'rate',
    title: 'Latency by rate',
    body: [
      html`<p>Requests are sent at a rate, whether or not answers have come. Latency counts from when a request should have been sent, so a stall is felt by all who came meanwhile.</p>`,
      figures(
        [
          ...connectionCounts(halfLoad).map((count) => halfLoadAt(count, halfLoad, lookOf)),
          ...connectionCounts(openLoop).map((count) => openLoopAt(count, openLoop, lookOf)),
        ],
        'This run has neither an open loop nor half load.',
      ),
    ],
  };
}

/** p99 of each system at half of its own maximum. */
export function halfLoadAt(count: number, halfLoad: readonly ResultRow[], lookOf: LookOf): Figure {
  const rows = halfLoad.filter(({ connections }) => connections === count);
  return {
    title: 'half-load',
    note: `each system at half of its own maximum, ${whole(count)} connections`,
    chart: barChart({
      label: `half-load: p99 of each system at half of its own maximum, at ${count} connections`,
      xLabel: 'p99, ms, log scale',
      xScale: 'log',
      valueText: threeDigits,
      best: 'least',
      bars: barsOf(rows, lookOf, (row) => row.p99Ms, rateOf),
    }),
  };
}

function openLoopAt(count: number, openLoop: readonly ResultRow[], lookOf: LookOf): Figure {
  const rows = openLoop.filter(({ connections }) => connections === count);
  return {
    title: 'open-loop',
    note: `p99, ${whole(count)} connections`,
    chart: lineChart({
      label: `p99 by rate, at ${count} connections`,
      xLabel: 'requests/s',
      xScale: 'linear',
      yLabel: 'p99, ms, log scale',
      yScale: 'log',
      valueText: (ms) => `${threeDigits(ms)} ms`,
      lines: linesOf(rows, lookOf, (row) => pointOf(row, row.perSecond, row.p99Ms)),
    }),
  };
}
