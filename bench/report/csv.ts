/**
 * The rows as a table for programs: RFC 4180, the same columns in every run.
 *
 * A measure `x` has three columns: `x` (the median), `xMin` and `xMax`. A figure that was not measured is empty.
 */
import type { Spread } from '../measure/statistics.ts';
import { measureNames } from './measures.ts';
import type { ResultRow } from './results.ts';

const described = ['system', 'scenario', 'connections', 'perSecond', 'windows', 'disturbed'] as const;
const measured = [...measureNames, 'ofFloor'] as const;

export function csvOf(rows: readonly ResultRow[]): string {
  const header = [...described, ...measured.flatMap((name) => [name, `${name}Min`, `${name}Max`])];
  const lines = rows.map((row) => [
    ...described.map((name) => row[name]),
    ...measured.flatMap((name) => cellsOf(row[name])),
  ]);
  return [header, ...lines].map((cells) => `${cells.map(written).join(',')}\r\n`).join('');
}

function cellsOf(figure: Spread | undefined): (number | undefined)[] {
  return [figure?.median, figure?.min, figure?.max];
}

function written(cell: string | number | boolean | undefined): string {
  if (cell === undefined || Number.isNaN(cell)) return '';
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
