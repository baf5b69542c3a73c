/**
 * The month, as shifts: October with the last day before it and the first one after it, so that days and the month
 * really begin and end while money moves.
 *
 * What always holds: the node's clock jumps from shift to shift, and shifts are hours apart. So whoever is outside knows
 * for certain in which shift a thing has happened, without looking at the node's own times, and a period that begins and
 * ends between shifts has known contents.
 */

export interface Shift {
  readonly index: number;
  /** Unix milliseconds: what the node's clock says when the shift begins. */
  readonly fromMs: number;
  /** The node is killed in the middle of it, under load, and started again. */
  readonly hasKill: boolean;
}

/** `from` is included, `to` is not; undefined is all time. Written as operators write them. */
export interface Period {
  readonly title: string;
  readonly from?: string;
  readonly to?: string;
}

const SHORT = [
  '2026-09-30T18:00',
  '2026-10-01T09:00',
  '2026-10-01T15:00',
  '2026-10-31T20:00',
  '2026-11-01T01:00',
];
const FIRST_DAY_MS = Date.parse('2026-09-30T00:00Z');
const DAYS = 33;
const DAY_MS = 86_400_000;
const HOURS = [9, 15];
/** In the long form; the last one has a kill in both. */
const SHIFTS_PER_KILL = 5;

/** Noon and midnight are never in a shift. */
export const PERIODS: readonly Period[] = [
  { title: 'all time' },
  { title: 'October', from: '2026-10-01', to: '2026-11-01' },
  { title: 'the first of October', from: '2026-10-01', to: '2026-10-02' },
  { title: 'a morning', from: '2026-10-01T00:00:00Z', to: '2026-10-01T12:00:00Z' },
  {
    title: 'from noon to noon',
    from: '2026-09-30T12:00:00+00:00',
    to: String(Date.parse('2026-10-01T12:00Z')),
  },
  { title: 'until the month began', to: '2026-10-01' },
  { title: 'since its last day', from: '2026-10-31' },
  { title: 'a day before everything', from: '2026-09-01', to: '2026-09-02' },
];

/** The month that closes, and has ended. */
export const OCTOBER = { from: '2026-10-01', to: '2026-11-01' } as const;

export function shiftsOf(isLong: boolean): Shift[] {
  if (!isLong) {
    return SHORT.map((time, index) => ({
      index,
      fromMs: Date.parse(`${time}Z`),
      hasKill: index === SHORT.length - 1,
    }));
  }
  const times = Array.from({ length: DAYS }, (_, day) =>
    HOURS.map((hour) => FIRST_DAY_MS + day * DAY_MS + hour * 3_600_000),
  ).flat();
  return times.map((fromMs, index) => ({ index, fromMs, hasKill: index % SHIFTS_PER_KILL === 0 }));
}

export function isIn(period: Pick<Period, 'from' | 'to'>, { fromMs }: Shift): boolean {
  return fromMs >= momentOf(period.from, -Infinity) && fromMs < momentOf(period.to, Infinity);
}

export function isBefore(time: string | undefined, { fromMs }: Shift): boolean {
  return fromMs < momentOf(time, -Infinity);
}

export function hasEnded({ to }: Required<Pick<Period, 'to'>>, { fromMs }: Shift): boolean {
  return fromMs >= momentOf(to, Infinity);
}

/** As `2026-10-31`. */
export function dayOf({ fromMs }: Shift): string {
  return new Date(fromMs).toISOString().slice(0, 10);
}

export function queryOf({ from, to }: Pick<Period, 'from' | 'to'>): string {
  const query = new URLSearchParams();
  if (from !== undefined) query.set('from', from);
  if (to !== undefined) query.set('to', to);
  return query.toString();
}

/** In Unix milliseconds. */
export function momentOf(time: string | undefined, otherwise: number): number {
  if (time === undefined) return otherwise;
  return /^\d+$/.test(time) ? Number(time) : Date.parse(time);
}
