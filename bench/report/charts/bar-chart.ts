/**
 * One figure a system, side by side: bars from 0, or points on a logarithmic scale, which has no 0; with whiskers
 * from the least to the most, and the median written beside. A hollow bar is of windows that were disturbed.
 */
import * as Plot from '@observablehq/plot';
import type { Spread } from '../../measure/statistics.ts';
import type { Markup } from '../markup.ts';
import { draw, logTicks, tickText } from './draw.ts';
import type { Look } from './palette.ts';

export interface Bar {
  readonly look: Look;
  /** In words why there is none: then they stand in the bar's place. */
  readonly value: Spread | string;
  readonly disturbed: boolean;
  /** Behind the system's name. */
  readonly note?: string;
}

interface BarChart {
  /** The chart's content, in one sentence. */
  readonly label: string;
  readonly xLabel: string;
  readonly xScale: 'linear' | 'log';
  readonly valueText: (value: number) => string;
  /** The best is drawn first, floor and ceiling last. */
  readonly best: 'least' | 'most';
  readonly bars: readonly Bar[];
}

interface NamedBar extends Bar {
  readonly name: string;
}

interface DrawnBar extends NamedBar {
  readonly value: Spread;
}

const width = 470;
const [right, top, bottom] = [70, 8, 44];
const barHeight = 24;
const letterWidth = 6.1;

/** Undefined when there is nothing to draw. */
export function barChart(chart: BarChart): Markup | undefined {
  const isLog = chart.xScale === 'log';
  const inWords = (bar: NamedBar) => typeof bar.value === 'string';
  const isDrawn = (bar: NamedBar): bar is DrawnBar =>
    typeof bar.value !== 'string' && Number.isFinite(bar.value.median) && (!isLog || bar.value.min > 0);
  const shown = inOrder(chart).filter((bar) => inWords(bar) || isDrawn(bar));
  const bars = shown.filter(isDrawn);
  if (bars.length === 0) return undefined;
  const left = 14 + letterWidth * Math.max(...shown.map(({ name }) => name.length));
  const least = Math.min(...bars.map(({ value }) => value.min));
  const most = Math.max(...bars.map(({ value }) => value.max));
  const domain = isLog ? [least / 1.6, most * 1.3] : [0, most > 0 ? most : 1];
  const ticks = isLog ? logTicks(least / 1.6, most * 1.3) : 4;
  return draw(chart.label, {
    width,
    height: top + bottom + shown.length * barHeight,
    marginLeft: left,
    marginRight: right,
    marginTop: top,
    marginBottom: bottom,
    x: { type: chart.xScale, domain },
    y: { type: 'band', domain: shown.map(({ name }) => name), padding: 0.35 },
    marks: [
      Plot.gridX({ ticks }),
      Plot.axisX({
        ticks,
        tickFormat: tickText,
        tickSize: 4,
        label: chart.xLabel,
        labelAnchor: 'center',
        labelArrow: 'none',
      }),
      Plot.axisY({ tickSize: 0, tickPadding: 8, label: null }),
      ...bars.flatMap((bar) => (isLog ? pointMarks(bar) : barMarks(bar))),
      Plot.ruleY(bars, { y: 'name', x1: ({ value }) => value.min, x2: ({ value }) => value.max }),
      Plot.text(bars, {
        y: 'name',
        x: ({ value }) => value.max,
        dx: 10,
        textAnchor: 'start',
        text: ({ value }) => chart.valueText(value.median),
        fontWeight: 600,
      }),
      Plot.text(shown.filter(inWords), {
        y: 'name',
        x: domain[0] ?? 0,
        dx: 6,
        textAnchor: 'start',
        text: 'value',
        fontWeight: 600,
      }),
    ],
  });
}

function inOrder({ bars, best }: BarChart): NamedBar[] {
  const rankOf = ({ value }: Bar) => {
    if (typeof value === 'string') return Number.MAX_VALUE;
    return best === 'least' ? value.median : -value.median;
  };
  return bars
    .map((bar) => ({ ...bar, name: nameOf(bar) }))
    .sort(
      (one, other) =>
        Number(one.look.isReference) - Number(other.look.isReference) || rankOf(one) - rankOf(other),
    );
}

function nameOf({ look, note }: Bar): string {
  return [look.system, note, look.durable ? undefined : 'not durable']
    .filter((part) => part !== undefined)
    .join(', ');
}

function barMarks(bar: DrawnBar): Plot.Markish[] {
  const { look, value, disturbed, name } = bar;
  const fillOpacity = disturbed ? 0 : look.durable ? 0.8 : 0.3;
  return [
    Plot.barX([bar], {
      x1: 0,
      x2: value.median,
      y: [name],
      fill: look.colour,
      fillOpacity,
      stroke: look.colour,
      ...(look.dash !== undefined && { strokeDasharray: look.dash }),
    }),
  ];
}

function pointMarks({ look, value, disturbed, name }: DrawnBar): Plot.Markish[] {
  const r = look.system === 'purser' ? 6 : 4.5;
  const fill = disturbed ? 'var(--paper)' : look.colour;
  return [Plot.dot([name], { x: [value.median], y: [name], r, fill, stroke: look.colour })];
}
