/**
 * A line a system: medians, with whiskers from the least to the most, and the system's name where its line ends.
 *
 * Where there are few places, lines lie a little beside each other, so that whiskers don't cover each other. A hollow
 * point is of windows that were disturbed.
 */
import * as Plot from '@observablehq/plot';
import type { Spread } from '../../measure/statistics.ts';
import type { Markup } from '../markup.ts';
import { draw, logTicks, tickText } from './draw.ts';
import { placeLabels } from './end-labels.ts';
import type { Look } from './palette.ts';

export interface LinePoint {
  readonly x: number;
  readonly y: Spread;
  readonly disturbed: boolean;
}

export interface ChartLine {
  readonly look: Look;
  /** By `x`, at least one. */
  readonly points: readonly LinePoint[];
}

interface LineChart {
  /** The chart's content, in one sentence. */
  readonly label: string;
  readonly xLabel: string;
  readonly xScale: 'linear' | 'log';
  /** The only places there are; then lines lie a little beside each other. By default any, with round ticks. */
  readonly xTicks?: readonly number[];
  readonly xTickText?: (x: number) => string;
  readonly yLabel: string;
  /** The scale of y. A linear one begins at 0. Points that aren't above 0 are left out of a logarithmic one. */
  readonly yScale: 'linear' | 'log';
  readonly valueText: (y: number) => string;
  readonly lines: readonly ChartLine[];
}

const [width, height] = [470, 270];
const [left, right, top, bottom] = [46, 136, 30, 44];
/** Pixels between the lines of one place. */
const apart = 2.5;
const lineHeight = 12;

/** Undefined when there is nothing to draw. */
export function lineChart(chart: LineChart): Markup | undefined {
  const lines = chart.lines
    .map((line) => drawable(line, chart.yScale))
    .filter(({ points }) => points.length > 0);
  const xs = lines.flatMap(({ points }) => points.map(({ x }) => x));
  const ys = lines.flatMap(({ points }) => points.flatMap(({ y }) => [y.min, y.max]));
  if (xs.length === 0) return undefined;
  const beside = chart.xTicks === undefined ? 0 : apart;
  const room = ((lines.length - 1) * beside) / 2 + 6;
  const x = {
    type: chart.xScale,
    domain: domainOf(Math.min(...xs), Math.max(...xs)),
    range: [left + room, width - right - room],
  };
  const [least, most] = domainOf(Math.min(...ys), Math.max(...ys));
  const isLog = chart.yScale === 'log';
  const yDomain = isLog ? [least * 0.9, most * 1.1] : [0, most * 1.04];
  const y = { type: chart.yScale, domain: yDomain, range: [height - bottom, top] };
  const [xPixels, yPixels] = [Plot.scale({ x }), Plot.scale({ y })];
  const dxs = lines.map((_, index) => (index - (lines.length - 1) / 2) * beside);
  const ends = lines.map(({ look, points }, index) => {
    const last = points.at(-1);
    return {
      look,
      fromX: xPixels.apply(last?.x) + (dxs[index] ?? 0) + 4,
      fromY: yPixels.apply(last?.y.median) as number,
      text: look.durable ? look.system : `${look.system}\nnot durable`,
      height: look.durable ? lineHeight : 2 * lineHeight,
    };
  });
  const wanted = ends.map(({ fromY, height: ofLabel }) => ({ wanted: fromY, height: ofLabel }));
  const toYs = placeLabels(wanted, top - lineHeight / 2, height - bottom + lineHeight / 2);
  const labels = ends.map((end, index) => ({
    ...end,
    toX: width - right + 8,
    toY: toYs[index] ?? end.fromY,
  }));
  return draw(chart.label, {
    width,
    height,
    marginLeft: left,
    marginRight: right,
    marginTop: top,
    marginBottom: bottom,
    x,
    y,
    marks: [
      Plot.gridY({ ticks: isLog ? logTicks(least, most) : 5 }),
      Plot.axisY({
        ticks: isLog ? logTicks(least, most) : 5,
        tickFormat: tickText,
        tickSize: 0,
        label: chart.yLabel,
        labelArrow: 'none',
      }),
      Plot.axisX({
        ...(chart.xTicks === undefined ? { ticks: 5 } : { ticks: [...chart.xTicks] }),
        tickFormat: chart.xTickText ?? tickText,
        tickSize: 4,
        label: chart.xLabel,
        labelAnchor: 'center',
        labelArrow: 'none',
      }),
      ...lines.flatMap((line, index) => lineMarks(line, dxs[index] ?? 0, chart)),
      ...labels.flatMap(labelMarks),
    ],
  });
}

function drawable({ look, points }: ChartLine, scale: 'linear' | 'log'): ChartLine {
  const isDrawn = (point: LinePoint) =>
    [point.x, point.y.median, point.y.min, point.y.max].every(Number.isFinite) &&
    (scale === 'linear' || point.y.min > 0);
  return { look, points: points.filter(isDrawn).sort((one, other) => one.x - other.x) };
}

/** Not empty, whatever was measured. */
function domainOf(least: number, most: number): [number, number] {
  if (least < most) return [least, most];
  return most > 0 ? [most / 2, most * 2] : [0, 1];
}

function lineMarks({ look, points }: ChartLine, dx: number, chart: LineChart): Plot.Markish[] {
  const place = { x: 'x', dx, stroke: look.colour };
  const median = (point: LinePoint) => point.y.median;
  const title = ({ x, y, disturbed }: LinePoint) =>
    `${look.system}, ${(chart.xTickText ?? String)(x)}: ${chart.valueText(y.median)} (${chart.valueText(y.min)}–${chart.valueText(y.max)})${disturbed ? ', disturbed' : ''}`;
  return [
    Plot.ruleX(points, { ...place, y1: ({ y }) => y.min, y2: ({ y }) => y.max, strokeOpacity: 0.7 }),
    Plot.line(points, {
      ...place,
      y: median,
      strokeWidth: look.width,
      ...(look.dash !== undefined && { strokeDasharray: look.dash }),
    }),
    Plot.dot(points, {
      ...place,
      y: median,
      r: look.system === 'purser' ? 3.5 : 2.5,
      fill: ({ disturbed }: LinePoint) => (disturbed ? 'var(--paper)' : look.colour),
      title,
    }),
  ];
}

interface PlacedLabel {
  readonly look: Look;
  readonly text: string;
  readonly fromX: number;
  readonly fromY: number;
  readonly toX: number;
  readonly toY: number;
}

/** In pixels, so no scale applies to them. */
function labelMarks(label: PlacedLabel): Plot.Markish[] {
  const inPixels = (value: number) => ({ value: [value], scale: null });
  const { look, text, fromX, fromY, toX, toY } = label;
  return [
    Plot.link([label], {
      x1: inPixels(fromX),
      y1: inPixels(fromY),
      x2: inPixels(toX - 2),
      y2: inPixels(toY),
      stroke: look.colour,
      strokeDasharray: '1 3',
    }),
    Plot.text([label], {
      x: inPixels(toX),
      y: inPixels(toY),
      text: [text],
      textAnchor: 'start',
      lineHeight: 1.05,
      fill: look.colour,
      fontWeight: look.system === 'purser' ? 700 : 400,
    }),
  ];
}
