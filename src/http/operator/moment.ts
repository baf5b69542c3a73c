/**
 * Times as operators write them: a date (`2026-10-31`, its beginning in UTC, or in the zone of the query where the call
 * takes one), RFC 3339, or Unix milliseconds. A number of fewer than eleven digits is refused, but for 0: it is rather a
 * year or seconds than a time before May 1970. A period has `from` and lasts until `to`, which is not in it.
 */
import { type ApiError, badRequest } from '../errors.ts';
import { parseInteger } from './page.ts';
import { type TimeZone, timeZoneOf, UTC_ZONE } from './time-zone.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

const DAY_MS = 86_400_000;

export const PERIOD_QUERY = periodQuery('UTC');

/** The fields of calls whose days are those of a zone. */
export const ZONED_PERIOD_QUERY = {
  ...periodQuery('`timeZone`'),
  timeZone: {
    type: 'string',
    description:
      'The zone of days and of dates without a time, by its name in the IANA database, such as `Europe/Berlin`. Default: `UTC`.',
  },
} as const;

function periodQuery(zone: string) {
  const how = `A date (its beginning in ${zone}), RFC 3339, or Unix milliseconds.`;
  return {
    from: { type: 'string', description: `The beginning of the period, which is in it. ${how}` },
    to: { type: 'string', description: `The end of the period, which is not in it. ${how}` },
  } as const;
}

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

/** Unix milliseconds; NaN when it is no time. A date without a time is a day of the zone. */
export function parseMoment(text: string, zone = UTC_ZONE): number {
  if (/^\d+$/.test(text)) {
    const ms = parseInteger(text);
    return ms === 0 || (ms >= SMALLEST_MOMENT && ms <= LARGEST_MOMENT) ? ms : Number.NaN;
  }
  const [, date = text] = RFC_3339.exec(text) ?? [];
  if (!DATE.test(date) || !isDate(date)) return Number.NaN;
  if (date === text) return zone.beginningOf(Date.parse(date) / DAY_MS);
  return Date.parse(text.toUpperCase().replace(' ', 'T'));
}

/** The period of a call that takes a zone, and its zone. */
export function parseZonedPeriod(
  query: URLSearchParams,
): (Period & { readonly zone: TimeZone }) | { readonly error: ApiError } {
  const asked = query.get('timeZone');
  const zone = asked === null ? UTC_ZONE : timeZoneOf(asked);
  if (zone === undefined) {
    const said = JSON.stringify((asked ?? '').slice(0, 40));
    return {
      error: badRequest(`timeZone is ${said}: write a name of the IANA database, such as Europe/Berlin.`),
    };
  }
  const period = parsePeriod(query, zone);
  return 'error' in period ? period : { ...period, zone };
}

export function parsePeriod(query: URLSearchParams, zone = UTC_ZONE): Period | { readonly error: ApiError } {
  const fromMs = parseMoment(query.get('from') ?? '0', zone);
  const until = query.get('to');
  const toMs = until === null ? Number.POSITIVE_INFINITY : parseMoment(until, zone);
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
