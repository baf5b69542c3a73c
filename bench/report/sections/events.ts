/** Events that happen once: a flash sale, a restock into a crowd that waits, a crash under load. */
import { lateText } from '../../scenarios/awaited.ts';
import type { SceneScenario } from '../../scenarios/scenarios.ts';
import { barChart } from '../charts/bar-chart.ts';
import type { LookOf } from '../charts/palette.ts';
import { html, type Markup } from '../markup.ts';
import { type MeasureName, threeDigits, whole } from '../measures.ts';
import type { ResultRow } from '../results.ts';
import { barsOf, connectionCounts } from '../selection.ts';
import { type Figure, figures, type Section } from './section.ts';
import { rowsTable } from './table.ts';

interface Event {
  readonly scenario: SceneScenario;
  readonly what: string;
  /** The measure that is drawn. */
  readonly main: MeasureName;
  readonly xLabel: string;
  readonly columns: readonly MeasureName[];
}

const events: readonly Event[] = [
  {
    scenario: 'flash-sale',
    what: 'A crowd wants the same few items at once. How long until the last buyer knows that nothing is left?',
    main: 'lastLoserMs',
    xLabel: 'ms until the last loser knows',
    columns: ['winners', 'losers', 'lastLoserMs', 'p50Ms', 'p99Ms'],
  },
  {
    scenario: 'restock',
    what: 'A crowd asks again and again for a product that is sold out, and items are uploaded. How long from the upload until all of them are sold? Everybody in the crowd asks again as soon as the answer is there.',
    main: 'soldOutMs',
    xLabel: 'ms from the upload until the last item is sold',
    columns: ['firstWinnerMs', 'soldOutMs', 'p50Ms', 'p99Ms'],
  },
  {
    scenario: 'crash',
    what: 'The system is killed with kill -9 amid load and started again. How long until it sells again, and was anything lost that it had acknowledged? A kill leaves what was written but not yet on disk; from the data of redis-everysec, which is not durable, this was cut off before the start, as a power cut would do.',
    main: 'firstPurchaseMs',
    xLabel: 'ms from the kill until the first purchase',
    columns: ['firstPurchaseMs', 'lostOrders'],
  },
];

export function happenings(rows: readonly ResultRow[], lookOf: LookOf): Section {
  const parts = events.flatMap((event) => {
    const own = rows.filter(({ scenario }) => scenario === event.scenario);
    if (own.length === 0) return [];
    return [
      html`<h3>${event.scenario}</h3><p>${event.what}</p>${lossesOf(own)}
${figures(
  connectionCounts(own).map((count) => eventAt(event, count, own, lookOf)),
  'No system did it in time: see the table.',
)}
<div class="wide">${rowsTable(own, lookOf, event.columns)}</div>`,
    ];
  });
  return {
    id: 'events',
    title: 'Flash sale, restock, crash',
    body: parts.length === 0 ? html`<p class="none">None of them was measured in this run.</p>` : parts,
  };
}

/** The chart of the first of `scenarios` that was measured, at the least number of connections. */
export function firstEvent(
  rows: readonly ResultRow[],
  lookOf: LookOf,
  scenarios: readonly string[],
): (Figure & { readonly scenario: string }) | undefined {
  for (const scenario of scenarios) {
    const event = events.find((known) => known.scenario === scenario);
    const own = rows.filter((row) => row.scenario === scenario);
    const [count] = connectionCounts(own);
    if (event !== undefined && count !== undefined)
      return { scenario, ...eventAt(event, count, own, lookOf) };
  }
  return undefined;
}

function eventAt(event: Event, count: number, rows: readonly ResultRow[], lookOf: LookOf): Figure {
  const own = rows.filter(({ connections }) => connections === count);
  return {
    title: event.scenario,
    note: `${whole(count)} connections`,
    chart: barChart({
      label: `${event.scenario}: ${event.xLabel}, at ${count} connections`,
      xLabel: event.xLabel,
      xScale: 'linear',
      valueText: threeDigits,
      best: 'least',
      bars: barsOf(own, lookOf, (row) => row[event.main] ?? lateText(row.scenario, event.main)),
    }),
  };
}

/** Acknowledged and gone: that is said in words. */
function lossesOf(rows: readonly ResultRow[]): Markup | undefined {
  const losses = rows.filter(({ lostOrders }) => (lostOrders?.max ?? 0) > 0);
  if (losses.length === 0) {
    const isKnown = rows.some(({ lostOrders }) => lostOrders !== undefined);
    return isKnown
      ? html`<p>No system lost an order that it had acknowledged. This alone is no proof that a system syncs before it answers: what was written but not yet on disk outlives kill -9, and is lost in a power cut.</p>`
      : undefined;
  }
  return html`<p>${losses.map(
    ({ system, lostOrders }) =>
      html`<strong>${system} lost orders that it had acknowledged: up to ${whole(lostOrders?.max ?? 0)} in a crash.</strong> `,
  )}</p>`;
}
