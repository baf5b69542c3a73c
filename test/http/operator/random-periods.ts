/** Periods to ask for: any, and of days of time zones, with their moments by a naive search. */
import type { Random } from '../../support/random.ts';
import { type Body, DAY_MS, type Period } from './expected-money.ts';
import { type MoneyScene, START_MS } from './money-scene.ts';

/** With clocks that change in these days, by an hour or by half of one, and without. */
export const ZONES = [
  ...['UTC', 'Europe/Berlin', 'Asia/Beirut', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Chatham'],
  ...['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Antarctica/Troll'],
];

/** A period of whole days of a zone, as the query has it, and its moments by a naive search. */
export function randomDays(
  random: Random,
  scene: MoneyScene,
  timeZone: string,
): { readonly query: Body; readonly period: Period } {
  const end = (scene.facts.at(-1)?.atMs ?? START_MS) + 2 * DAY_MS;
  const near = () => random.pick([random.pick(scene.facts).atMs, random.between(START_MS - DAY_MS, end)]);
  const [a, b] = [near(), near()].sort((x, y) => x - y).map((ms) => Math.floor(ms / DAY_MS) * DAY_MS);
  const [from = 0, to = 0] = [a, b];
  const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const query = { from: dateOf(from), to: dateOf(to), ...(timeZone === 'UTC' ? {} : { timeZone }) };
  return { query, period: { from: firstShown(timeZone, from), to: firstShown(timeZone, to) } };
}

/** The first quarter of an hour in which clocks of the zone show the date of this midnight. */
function firstShown(timeZone: string, midnightMs: number): number {
  const shown = new Intl.DateTimeFormat('en-CA', { timeZone });
  let at = midnightMs - DAY_MS;
  while (Date.parse(shown.format(at)) < midnightMs) at += 15 * 60_000;
  return at;
}

/** Any moment, a midnight, the moment of a fact, or none. */
function randomMoment(random: Random, scene: MoneyScene): number | undefined {
  const end = scene.facts.at(-1)?.atMs ?? START_MS;
  switch (random.between(0, 3)) {
    case 0:
      return undefined;
    case 1:
      return Math.floor(random.between(START_MS, end + DAY_MS) / DAY_MS) * DAY_MS;
    case 2:
      return random.pick(scene.facts).atMs;
    default:
      return random.between(START_MS - DAY_MS, end + DAY_MS);
  }
}

export function randomPeriod(random: Random, scene: MoneyScene): Period {
  const [a, b] = [randomMoment(random, scene), randomMoment(random, scene)];
  const [from, to] = a !== undefined && b !== undefined && a > b ? [b, a] : [a, b];
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
