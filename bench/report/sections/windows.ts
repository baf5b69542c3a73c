/**
 * Windows as they passed, Purser's first. Each row shows its window with the longest p99: there a stall shows.
 *
 * Invariant: no more than `mostWindows`, of which Purser has at most two thirds; so the file stays small.
 */
import type { Look, LookOf } from '../charts/palette.ts';
import { isWatched, timeSeries } from '../charts/time-series.ts';
import { html } from '../markup.ts';
import { whole } from '../measures.ts';
import type { ResultRow, Results, ResultWindow, SeriesPoint } from '../results.ts';
import { windowsOf } from '../selection.ts';
import { type Figure, figures, type Section } from './section.ts';

const mostWindows = 24;
const mostOfPurser = 16;
/** Fewer points are no picture. */
const fewestPoints = 5;
/** Scenarios that are looked at first; others follow in the order in which they ran. */
const firstScenarios = ['half-load', 'open-loop', 'crash', 'hot-product', 'flash-sale', 'restock'];

export function timeline(results: Results, lookOf: LookOf): Section {
  return {
    id: 'windows',
    title: 'Windows as they passed',
    body: [
      html`<p>Of each row the window with the longest p99. The grey area is what other programs and the host took of the machine meanwhile; at its full height it is one core or more. Where this was not watched tenth by tenth, it is said and nothing is drawn.</p>`,
      figures(
        chosen(results).map(({ window, series }) => drawn(window, series, lookOf(window.system))),
        'This run has no time series.',
      ),
    ],
  };
}

interface Shown {
  readonly window: ResultWindow;
  readonly series: readonly SeriesPoint[];
}

function chosen(results: Results): Shown[] {
  const shown = byImportance(results.rows).flatMap((row) => {
    const [worst] = windowsOf(row, results).sort((one, other) => other.p99Ms - one.p99Ms);
    const series = worst?.series ?? [];
    return worst === undefined || series.length < fewestPoints ? [] : [{ window: worst, series }];
  });
  const ofPurser = shown.filter(({ window }) => window.system === 'purser').slice(0, mostOfPurser);
  const others = shown.filter(({ window }) => window.system !== 'purser');
  return [...ofPurser, ...others.slice(0, mostWindows - ofPurser.length)];
}

function byImportance(rows: readonly ResultRow[]): ResultRow[] {
  const rank = ({ scenario }: ResultRow) => {
    const place = firstScenarios.indexOf(scenario);
    return place === -1 ? firstScenarios.length : place;
  };
  // Sorting is stable: within a scenario the order stays.
  return [...rows].sort((one, other) => rank(one) - rank(other));
}

function drawn(window: ResultWindow, series: readonly SeriesPoint[], look: Look): Figure {
  const { system, scenario, connections, perSecond, round, disturbed } = window;
  const rate = perSecond === undefined ? '' : `, ${whole(perSecond)}/s`;
  const marks = [
    disturbed ? ', disturbed' : '',
    look.durable ? '' : ', not durable',
    series.some(isWatched) ? '' : ', others not watched',
  ].join('');
  const note = `${scenario}, ${whole(connections)} connections${rate}, round ${round}${marks}`;
  return { title: system, note, chart: timeSeries(`${system}, ${note}`, look, series) };
}
