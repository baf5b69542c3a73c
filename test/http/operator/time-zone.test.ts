/** Days of time zones, against a naive model that looks at what clocks show, quarter of an hour by quarter. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMoment } from '../../../src/http/operator/moment.ts';
import { dateOf, timeZoneOf, UTC_ZONE } from '../../../src/http/operator/time-zone.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const QUARTER_MS = HOUR_MS / 4;

/** Each with its hours: clocks that change at midnight, by half an hour, by two hours, by a day, and twice a year. */
const DAYS: readonly (readonly [zone: string, date: string, begins: string, hours: number])[] = [
  ['UTC', '2026-10-25', '2026-10-25T00:00Z', 24],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00Z', 23],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00Z', 25],
  ['europe/berlin', '9999-07-01', '9999-06-30T22:00Z', 24],
  ['Asia/Kolkata', '2026-01-01', '2025-12-31T18:30Z', 24],
  ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15Z', 24],
  ['Pacific/Chatham', '2026-04-05', '2026-04-04T10:15Z', 25],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00Z', 24.5],
  ['Antarctica/Troll', '2026-03-29', '2026-03-29T00:00Z', 22],
  ['America/Havana', '2026-03-08', '2026-03-08T05:00Z', 23],
  ['America/Havana', '2026-11-01', '2026-11-01T04:00Z', 25],
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00Z', 23],
  ['America/Sao_Paulo', '2018-02-17', '2018-02-17T02:00Z', 25],
  ['America/St_Johns', '2010-11-06', '2010-11-06T02:30Z', 24],
  ['America/St_Johns', '2010-11-07', '2010-11-07T02:30Z', 25],
  ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00Z', 24],
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00Z', 0],
  ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00Z', 24],
  ['Africa/Monrovia', '1971-01-01', '1971-01-01T00:44:30Z', 24],
];

function zoneOf(name: string) {
  const zone = timeZoneOf(name);
  assert.ok(zone !== undefined, name);
  return zone;
}

/** The day that clocks show. */
function shownBy(name: string): (atMs: number) => number {
  const clocks = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  return (atMs) => {
    const part = Object.fromEntries(clocks.formatToParts(atMs).map(({ type, value }) => [type, value]));
    return Date.UTC(Number(part.year), Number(part.month) - 1, Number(part.day)) / DAY_MS;
  };
}

test('days begin when clocks show their dates, also where midnight, or the whole day, is left out', () => {
  for (const [name, date, begins, hours] of DAYS) {
    const zone = zoneOf(name);
    const beginsMs = parseMoment(date, zone);
    assert.equal(beginsMs, Date.parse(begins), `${name} ${date}`);
    const day = Date.parse(date) / DAY_MS;
    assert.equal((zone.beginningOf(day + 1) - beginsMs) / HOUR_MS, hours, `${name} ${date}`);
  }
});

test('any day of any zone begins at a quarter, when clocks first show it, and has the moments until the next one', () => {
  const random = randomFromEnvironment();
  const zones = Intl.supportedValuesOf('timeZone');
  for (let round = 0; round < roundsOr(40); round += 1) {
    const name = random.pick(zones);
    const [zone, shown] = [zoneOf(name), shownBy(name)];
    const year = random.chance(0.9) ? random.between(1981, 2100) : random.between(2100, 9998);
    const day = Date.UTC(year) / DAY_MS + random.between(0, 364);
    const said = `${name} ${dateOf(day)}, seed ${random.seed}`;
    let first = day * DAY_MS - 26 * HOUR_MS;
    while (shown(first) < day) first += QUARTER_MS;
    assert.equal(zone.beginningOf(day), first, said);
    const next = zone.beginningOf(day + 1);
    assert.equal(zone.dayOf(first - 1) < day, true, said);
    // A day that was left out is empty, and the day after begins where it would.
    for (const atMs of [first, next - 1]) if (first < next) assert.equal(zone.dayOf(atMs), day, said);
  }
});

test('each moment of a day whose clocks show the day before once more is of one day', () => {
  const zone = zoneOf('America/St_Johns');
  const midnightMs = Date.parse('2010-11-07T02:30Z');
  // At a minute past midnight clocks were set back to 23:01.
  const days = [-1, 0, 2 * 60_000, 90 * 60_000].map((behind) => dateOf(zone.dayOf(midnightMs + behind)));
  assert.deepEqual(days, ['2010-11-06', '2010-11-07', '2010-11-07', '2010-11-07']);
});

test('times say how far the clocks are ahead of UTC', () => {
  const atMs = Date.parse('2026-10-25T00:30:00.007Z');
  const texts = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Europe/Lisbon'].map((name) =>
    zoneOf(name).text(atMs),
  );
  assert.deepEqual(texts, [
    '2026-10-25T00:30:00.007Z',
    '2026-10-25T02:30:00.007+02:00',
    '2026-10-25T06:15:00.007+05:45',
    '2026-10-24T22:00:00.007-02:30',
    '2026-10-25T01:30:00.007+01:00',
  ]);
  for (const text of texts) assert.equal(Date.parse(text), atMs);
});

test('a zone is known by its names in the database alone', () => {
  const known = ['europe/berlin', 'Asia/Kolkata', 'Asia/Calcutta', 'utc', 'CET', 'Etc/GMT+5'];
  assert.deepEqual(
    known.map((name) => timeZoneOf(name)?.name),
    ['Europe/Berlin', 'Asia/Kolkata', 'Asia/Calcutta', 'UTC', 'CET', 'Etc/GMT+5'],
  );
  for (const name of ['', 'Mars/Base', '+05:30', 'BST', 'IST', 'Europe/Berlin ', 'Etc/Unknown'])
    assert.equal(timeZoneOf(name), undefined, name);
  assert.equal(parseMoment('2026-10-25'), Date.parse('2026-10-25'));
  assert.equal(UTC_ZONE.name, 'UTC');
});
