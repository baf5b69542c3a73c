/**
 * A time zone of the IANA database, as `Intl` has it: when its days begin, which day a moment is of, and what its clocks
 * show.
 *
 * Invariant: days follow each other without a gap and without an overlap. A day begins at the first moment at which
 * clocks show its date or a later one, and lasts until the next day begins. So one in which clocks change has 23 or 25
 * hours; one whose midnight is skipped begins later; a date that the zone left out is a day without a moment. Rejected: a
 * library for it, which would ask `Intl` the same. Clocks of a zone don't change twice within `AROUND_MS` of a midnight.
 */

const DAY_MS = 86_400_000;
/** No clocks were further from UTC. */
const AROUND_MS = 16 * 3_600_000;
const MINUTE_MS = 60_000;
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;
/** Names of three letters in the database. Others that `Intl` takes are old abbreviations: `BST` is Bangladesh to it. */
const SHORT_NAMES = 'CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' ');

/** The zone of this name, in capitals or not; undefined when there is none. */
export function timeZoneOf(name: string): TimeZone | undefined {
  if (name.length === 3 && !SHORT_NAMES.includes(name.toUpperCase())) return undefined;
  // Some versions of Node take `+05:30` for a zone.
  if (!/^[a-z]/i.test(name)) return undefined;
  try {
    return new TimeZone(name);
  } catch {
    return undefined;
  }
}

export class TimeZone {
  /** As it is written in the database, or, of a name that has got another since, as it was asked for. */
  readonly name: string;
  readonly #format: Intl.DateTimeFormat | undefined;
  #minute = Number.NaN;
  #offsetMs = 0;

  /** Throws `RangeError` when there is no such zone. */
  constructor(asked: string) {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: asked, timeZoneName: 'longOffset' });
    const { timeZone } = format.resolvedOptions();
    this.name = timeZone.toLowerCase() === asked.toLowerCase() ? timeZone : asked;
    this.#format = timeZone === 'UTC' ? undefined : format;
  }

  /** The day of a moment: a number of days since that of 1970-01-01. */
  dayOf(atMs: number): number {
    const day = Math.floor((atMs + this.#offsetAt(atMs)) / DAY_MS);
    // Clocks that are set back a minute after midnight show the day before once more.
    return atMs < this.beginningOf(day + 1) ? day : day + 1;
  }

  /** Unix milliseconds. */
  beginningOf(day: number): number {
    const midnightMs = day * DAY_MS;
    const [before, after] = [midnightMs - AROUND_MS, midnightMs + AROUND_MS];
    const [offsetMs, laterMs] = [this.#offsetAt(before), this.#offsetAt(after)];
    const atMs = midnightMs - offsetMs;
    if (offsetMs === laterMs) return atMs;
    const changeMs = this.#changeBetween(before, after);
    return atMs < changeMs ? atMs : Math.max(changeMs, midnightMs - laterMs);
  }

  /** RFC 3339, with the milliseconds and with what clocks are ahead of UTC. */
  text(atMs: number): string {
    if (this.#format === undefined) return new Date(atMs).toISOString();
    const offsetMs = this.#offsetAt(atMs);
    const minutes = Math.abs(Math.trunc(offsetMs / MINUTE_MS));
    const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((part) =>
      String(part).padStart(2, '0'),
    );
    const local = new Date(atMs + Math.trunc(offsetMs / MINUTE_MS) * MINUTE_MS).toISOString().slice(0, -1);
    return `${local}${offsetMs < 0 ? '-' : '+'}${hours}:${rest}`;
  }

  /** The first moment behind `fromMs` with another offset than there; there is one, up to `toMs`. */
  #changeBetween(fromMs: number, toMs: number): number {
    const offsetMs = this.#offsetAt(fromMs);
    let [low, high] = [fromMs, toMs];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offsetAt(middle) === offsetMs) low = middle;
      else high = middle;
    }
    return high;
  }

  /** How far clocks are ahead of UTC. They change at a full minute, if at all. */
  #offsetAt(atMs: number): number {
    if (this.#format === undefined) return 0;
    const minute = Math.floor(atMs / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#offsetMs = offsetIn(this.#format.format(minute * MINUTE_MS));
      this.#minute = minute;
    }
    return this.#offsetMs;
  }
}

export const UTC_ZONE = new TimeZone('UTC');

/** Milliseconds, of a text that ends as `GMT+05:45` does. */
function offsetIn(text: string): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(text) ?? [];
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -ms : ms;
}

/** The date of a day, as `2026-10-31`. */
export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
