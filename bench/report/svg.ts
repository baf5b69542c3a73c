/**
 * Three charts of a run as files of their own, for the documentation: each has its styles in itself, for light and
 * dark. A chart that a run didn't measure gives no picture.
 */
import { looksOf, themeRules } from './charts/palette.ts';
import type { Markup } from './markup.ts';
import type { Results } from './results.ts';
import { isSaturated } from './rows.ts';
import { firstEvent } from './sections/events.ts';
import { halfLoadAt } from './sections/latency.ts';
import { throughputOf } from './sections/throughput.ts';
import { mainConnections } from './selection.ts';
import { chartRules } from './style.ts';

interface Picture {
  /** The name of the file. */
  readonly name: string;
  readonly svg: string;
}

export function picturesOf({ rows, systems }: Results): Picture[] {
  const lookOf = looksOf(systems);
  const saturated = rows.filter(isSaturated);
  const halfLoad = rows.filter(({ scenario }) => scenario === 'half-load');
  const event = firstEvent(rows, lookOf, ['flash-sale', 'crash']);
  const charts: readonly (readonly [string, Markup | undefined])[] = [
    ['hot-product', throughputOf('hot-product', saturated, lookOf).chart],
    ['half-load', halfLoadAt(mainConnections(halfLoad), halfLoad, lookOf).chart],
    [event?.scenario ?? 'flash-sale', event?.chart],
  ];
  return charts.flatMap(([name, chart]) =>
    chart === undefined ? [] : [{ name: `${name}.svg`, svg: standalone(chart) }],
  );
}

/** With a ground of its own: a picture doesn't know the colour of the page around it. */
function standalone({ text }: Markup): string {
  const rules = `${themeRules}\n${chartRules}\n.chart { background: var(--paper); }`;
  return `${text.replace('>', `><style>${rules}</style>`)}\n`;
}
