/**
 * Times as operators write them: a date (`2026-10-31`, its beginning in UTC), RFC 3339, or Unix milliseconds. A number
 * of fewer than eleven digits is refused, but for 0: it is rather a year or seconds than a time before May 1970.
 * A period has `from` and lasts until `to`, which is not in it.
 */
import { type ApiError, badRequest } from '../errors.ts';
import { parseInteger } from './page.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** The zone of dates without a time, and of days. */
export const UTC = 'UTC';

const HOW = 'A date (its beginning in UTC), RFC 3339, or Unix milliseconds.';

export const PERIOD_QUERY = {
  from: { type: 'string', description: `The beginning of the period, which is in it. ${HOW}` },
  to: { type: 'string', description: `The end of the period, which is not in it. ${HOW}` },
} as const;

/** Both in Unix milliseconds; what is left out is all time before, or after. */
export interface Period {
  readonly fromMs: number;
  /** Not in it. */
  readonly toMs: number;
}

export const ALL_TIME: Period = { fromMs: 0, toMs: Number.POSITIVE_INFINITY };

/** The schema of a moment in a body; `parseMoment` of its text says whether it is a time. */
export const MOMENT = {
  description: 'a date like 2026-10-31, a time like 2026-10-31T12:00:00Z, or Unix milliseconds',
  anyOf: [{ type: 'string' }, { type: 'integer' }],
} as const;

/** No smaller number is a time, but for 0. */
export const SMALLEST_MOMENT = 10_000_000_000;
/** A `Date` has none beyond. */
export const LARGEST_MOMENT = 8_640_000_000_000_000;

/** Unix milliseconds; NaN when it is no time. */
export function parseMoment(text: string): number {
  if (/^\d+$/.test(text)) {
    const ms = parseInteger(text);
    return ms === 0 || (ms >= SMALLEST_MOMENT && ms <= LARGEST_MOMENT) ? ms : Number.NaN;
  }
  const [, date = text] = RFC_3339.exec(text) ?? [];
  if (!DATE.test(date) || !isDate(date)) return Number.NaN;
  return Date.parse(date === text ? date : text.toUpperCase().replace(' ', 'T'));
}

export function parsePeriod(query: URLSearchParams): Period | { readonly error: ApiError } {
  const fromMs = parseMoment(query.get('from') ?? '0');
  const until = query.get('to');
  const toMs = until === null ? Number.POSITIVE_INFINITY : parseMoment(until);
  if (Number.isNaN(fromMs)) return notATime('from', query.get('from'));
  if (Number.isNaN(toMs)) return notATime('to', until);
  if (fromMs > toMs) return { error: badRequest('from must not be later than to.') };
  // There are no facts from before 1970.
  return { fromMs: Math.max(0, fromMs), toMs: Math.max(0, toMs) };
}

/** The rows whose time is in the period. */
export function* within<Row>(
  { fromMs, toMs }: Period,
  rows: Iterable<Row>,
  timeOf: (row: Row) => number,
): Generator<Row> {
  for (const row of rows) {
    const timeMs = timeOf(row);
    if (timeMs >= fromMs && timeMs < toMs) yield row;
  }
}

export function notATime(field: string, text: string | null): { readonly error: ApiError } {
  const said = JSON.stringify((text ?? '').slice(0, 40));
  const tooFew = text !== null && isTooShort(text) ? ' (which have at least 11 digits)' : '';
  return { error: badRequest(`${field} is ${said}: write ${MOMENT.description}${tooFew}.`) };
}

/** Whether it is a number, and rather a year or seconds. */
export function isTooShort(text: string): boolean {
  return /^\d{1,10}$/.test(text);
}

/** `Date.parse` takes the 30th of February for the 2nd of March. */
function isDate(date: string): boolean {
  const ms = Date.parse(date);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}
