/** Observable Plot, without a browser: a chart is drawn while the report is written, and is static SVG from then on. */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { escaped, Markup } from '../markup.ts';

/** What is used of it: there are no types of the DOM here. */
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

/** Steps of 1, 2 and 5 from `least` to `most`; of 1 and 10 where those would be too many. Both are above 0. */
export function logTicks(least: number, most: number): number[] {
  const decades = Math.log10(most / least);
  const steps = decades > 3 ? [1] : [1, 2, 5];
  const first = Math.floor(Math.log10(least));
  const ticks = Array.from({ length: Math.ceil(decades) + 2 }, (_, index) => 10 ** (first + index));
  return ticks
    .flatMap((power) => steps.map((step) => Number((step * power).toPrecision(1))))
    .filter((tick) => tick >= least && tick <= most);
}

/** 0.5, 20, 500, 2k, 50k: short, for ticks. */
export function tickText(value: number): string {
  return value >= 1000 ? `${Number((value / 1000).toPrecision(3))}k` : String(Number(value.toPrecision(3)));
}
