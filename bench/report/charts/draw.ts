/** Observable Plot, without a browser: a chart is drawn while the report is written, and is static SVG from then on. */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { escaped, Markup } from '../markup.ts';

/** The part of an SVG element that is used: there are no types of the DOM here. */
interface SvgElement {
  readonly outerHTML: string;
  setAttribute(name: string, value: string): void;
  querySelector(selector: string): { remove(): void } | null;
}

const { document } = parseHTML('<!doctype html><html><body></body></html>');

/** `label` is what is read to those who don't see the chart. Its styles are the page's, or the picture's. */
export function draw(label: string, options: Plot.PlotOptions): Markup {
  const svg = Plot.plot({
    ...options,
    document,
    className: 'chart',
  }) as unknown as SvgElement;
  svg.setAttribute('font-size', '11');
  svg.setAttribute('role', 'img');
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  svg.querySelector('style')?.remove();
  // linkedom escapes no `<` in attributes.
  return new Markup(svg.outerHTML.replace('<svg ', () => `<svg aria-label="${escaped(label)}" `));
}

const tenths = Array.from({ length: 90 }, (_, index) => (10 + index) / 10);
const logSteps = [
  [1],
  [1, 2, 5],
  tenths.filter(Number.isInteger),
  tenths.filter((step) => (step * 10) % 5 === 0),
  tenths,
];

/** From `least` to `most`, both above 0: 1, 10, 100 or 1, 2, 5, 10 or closer, until there are three. */
export function logTicks(least: number, most: number): number[] {
  const first = Math.floor(Math.log10(least));
  const powers = Array.from(
    { length: Math.ceil(Math.log10(most / least)) + 2 },
    (_, index) => 10 ** (first + index),
  );
  const candidates = logSteps.map((steps) =>
    powers
      .flatMap((power) => steps.map((step) => Number((step * power).toPrecision(2))))
      .filter((tick) => tick >= least && tick <= most),
  );
  return candidates.find((ticks) => ticks.length >= 3) ?? candidates.at(-1) ?? [];
}

/** 0.5, 20, 500, 2k, 50k: short, for ticks. */
export function tickText(value: number): string {
  return value >= 1000 ? `${Number((value / 1000).toPrecision(3))}k` : String(Number(value.toPrecision(3)));
}
