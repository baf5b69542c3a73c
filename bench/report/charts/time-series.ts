/**
 * A window as it passed: answers in each tenth of a second above, the longest latency in each below, and in both,
 * in grey, what others took of the machine: the full height is one core.
 */
import * as Plot from '@observablehq/plot';
import { Markup } from '../markup.ts';
import type { SeriesPoint } from '../results.ts';
import { draw, tickText } from './draw.ts';
import type { Look } from './palette.ts';

const [width, height] = [470, 96];
const [left, right, top] = [46, 10, 24];
/** A longer window is drawn coarser. */
const mostPoints = 200;

/** `label` tells which window it is. */
export function timeSeries(label: string, look: Look, series: readonly SeriesPoint[]): Markup {
  const points = closed(thinned(series));
  const panel = (title: string, value: (point: SeriesPoint) => number, isLast: boolean) => {
    const most = Math.max(1e-9, ...points.map(value)) * 1.05;
    const x = ({ atMs }: SeriesPoint) => atMs / 1000;
    const steps = { x, curve: 'step-after' } as const;
    const bottom = isLast ? 34 : 8;
    return draw(`${label}: ${title}`, {
      width,
      height: height + bottom,
      marginLeft: left,
      marginRight: right,
      marginTop: top,
      marginBottom: bottom,
      x: { domain: [x(points[0] ?? emptyPoint), x(points.at(-1) ?? emptyPoint)] },
      y: { domain: [0, most] },
      marks: [
        Plot.gridY({ ticks: 3 }),
        Plot.axisY({ ticks: 3, tickFormat: tickText, tickSize: 0, label: title, labelArrow: 'none' }),
        Plot.axisX({
          ticks: 6,
          tickSize: 4,
          ...(isLast
            ? { label: 'seconds', labelAnchor: 'center', labelArrow: 'none' }
            : { label: null, tickFormat: () => '' }),
        }),
        Plot.areaY(points, { ...steps, y: value, fill: look.colour, fillOpacity: 0.15 }),
        Plot.areaY(points.filter(isWatched), {
          ...steps,
          y: ({ disturbance = 0 }) => Math.min(1, disturbance) * most,
          fillOpacity: 0.35,
        }),
        Plot.lineY(points, { ...steps, y: value, stroke: look.colour, strokeWidth: 1.5 }),
      ],
    });
  };
  const above = panel('answers in 100 ms', ({ answers }) => answers, false);
  const below = panel('longest latency, ms', ({ maxMs }) => maxMs, true);
  return new Markup(`${above.text}${below.text}`);
}

const emptyPoint: SeriesPoint = { atMs: 0, answers: 0, maxMs: 0 };

/** Whether it is known what others took of the machine. */
export function isWatched({ disturbance }: SeriesPoint): boolean {
  return disturbance !== undefined;
}

/** With a point where the last one's time ends. */
function closed(points: readonly SeriesPoint[]): readonly SeriesPoint[] {
  const [last, beforeLast] = [points.at(-1), points.at(-2)];
  if (last === undefined || beforeLast === undefined) return points;
  return [...points, { ...last, atMs: 2 * last.atMs - beforeLast.atMs }];
}

/**
 * The series with fewer points: the mean of neighbours' answers, and the greatest latency and disturbance, so that a
 * stall stays as high as it was.
 */
function thinned(series: readonly SeriesPoint[]): readonly SeriesPoint[] {
  const perPoint = Math.ceil(series.length / mostPoints);
  if (perPoint <= 1) return series;
  return Array.from({ length: Math.ceil(series.length / perPoint) }, (_, index) => {
    const part = series.slice(index * perPoint, (index + 1) * perPoint);
    const disturbances = part.flatMap(({ disturbance }) => disturbance ?? []);
    return {
      atMs: part[0]?.atMs ?? 0,
      answers: part.reduce((sum, { answers }) => sum + answers, 0) / part.length,
      maxMs: Math.max(...part.map(({ maxMs }) => maxMs)),
      ...(disturbances.length === 0 ? {} : { disturbance: Math.max(...disturbances) }),
    };
  });
}
