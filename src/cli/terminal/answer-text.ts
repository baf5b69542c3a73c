/**
 * The API's answers for a person to read: `key: value` lines for one thing, a table for many.
 *
 * Fields that this version doesn't know are printed like the others, so an older command line hides nothing
 * that a newer server says. Control characters are shown as escapes: a product's name must not be able to
 * drive the terminal.
 */

import { visible } from './terminal.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Answers that nest deeper than this are printed as JSON from there on. */
const MAX_DEPTH = 3;

/** Columns whose cells end with `…` at so many characters, unless more are asked for. */
const FREE_TEXTS = new Set(['reason', 'name', 'source']);
const MAX_FREE_TEXT = 60;

/** The envelope's own fields, which say nothing about the thing that was asked for. */
const ENVELOPE = ['success', 'requestId'];

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One aligned `key: value` line a field; nested objects become dotted keys. */
export function fieldLines(body: JsonObject): string[] {
  const fields = flatten(body, '', 1).filter(([key]) => !ENVELOPE.includes(key));
  const width = Math.max(0, ...fields.map(([key]) => key.length + 1));
  return fields.map(([key, text]) => `${`${key}:`.padEnd(width)} ${text}`.trimEnd());
}

/** A table with one row an object; a field that a row lacks is a dash, and free text longer than `most` ends with `…`. */
export function tableLines(
  rows: readonly JsonObject[],
  columns: readonly string[],
  most = MAX_FREE_TEXT,
): string[] {
  if (rows.length === 0) return ['none'];
  const cells = [
    columns,
    ...rows.map((row) => columns.map((column) => shortened(column, cellText(column, row[column]), most))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells.map((line) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** The rows of a list answer: what stands under `key`, as far as it is objects. */
export function rowsOf(body: JsonObject, key: string): JsonObject[] {
  const rows = body[key];
  return Array.isArray(rows) ? rows.filter(isJsonObject) : [];
}

function flatten(object: JsonObject, prefix: string, depth: number): [key: string, text: string][] {
  return Object.entries(object).flatMap(([name, value]): [string, string][] => {
    const key = `${prefix}${visible(name)}`;
    if (isJsonObject(value) && depth < MAX_DEPTH) return flatten(value, `${key}.`, depth + 1);
    return [[key, valueText(name, value)]];
  });
}

function cellText(name: string, value: unknown): string {
  if (value === undefined) return '-';
  return valueText(name, value) || '-';
}

/**
 * A text that a person wrote at length, cut, so that it doesn't pad every row. Ids, references and amounts are always
 * whole.
 */
function shortened(name: string, text: string, most: number): string {
  const characters = FREE_TEXTS.has(name) && text.length > most ? [...text] : [];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
}

function valueText(name: string, value: unknown): string {
  if (value === null) return 'none';
  if (typeof value === 'number' && (name === 'at' || name.endsWith('At'))) return timeText(value);
  if (Array.isArray(value)) return value.map((item) => valueText('', item)).join(', ');
  return visible(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Unix milliseconds as ISO 8601, as far as they are a date. */
export function timeText(timeMs: number): string {
  const time = new Date(timeMs);
  return Number.isNaN(time.getTime()) ? String(timeMs) : time.toISOString();
}
