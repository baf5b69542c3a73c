/**
 * A figure that was measured several times over: its median, the least and the most, and how sure it is, in words.
 *
 * The mean of all samples was given up: one stall of a disk of half a second moved it by half and made its margin 72 %,
 * which said nothing of the figure itself. How far apart whole repeats lie needs no assumption about the samples.
 */
import { spread } from './statistics.ts';

/** A margin above it is no figure to go by. */
const MOST_MARGIN = 0.1;

/** Columns for `repeatCells`. */
export function repeatHeader(unit: string): string[] {
  return [unit, 'least–most', 'how sure'];
}

/** The median, least and most as `format` writes them, and the margin: half of what lies between, by the median. */
export function repeatCells(values: readonly number[], format: (value: number) => string): string[] {
  const known = spread(values);
  if (known === undefined) return ['–', '–', 'not measured'];
  const { median, min, max } = known;
  return [format(median), `${format(min)}–${format(max)}`, sureness((max - min) / 2 / median)];
}

/** `margin`: a share, 0.1 is 10 %. */
export function sureness(margin: number): string {
  const text = `±${Math.round(margin * 100)} %`;
  return margin > MOST_MARGIN ? `not sure: ${text}; repeat on a quiet machine` : text;
}

export function wholeNumber(value: number): string {
  return Math.round(value).toLocaleString('en');
}
