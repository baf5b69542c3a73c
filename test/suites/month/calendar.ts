/**
 * The month, as shifts: October with the last day before it and the first one after it, so that days and the month
 * really begin and end while money moves.
 *
 * Invariant: the node's clock jumps from shift to shift, and shifts are hours apart. So whoever is outside knows for
 * certain in which shift a thing has happened, without looking at the node's own times, and a period that begins and
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

const TIMES: readonly (readonly [fromMs: string, hasKill?: 'killed'])[] = [
  ['2026-09-30T18:00Z'],
  ['2026-10-01T09:00Z', 'killed'],
  ['2026-10-01T15:00Z'],
  ['2026-10-16T09:00Z', 'killed'],
  ['2026-10-31T20:00Z'],
  ['2026-11-01T01:00Z', 'killed'],
  ['2026-11-01T15:00Z'],
];

export const SHIFTS: readonly Shift[] = TIMES.map(([time, kill], index) => ({
  index,
  fromMs: Date.parse(time),
  hasKill: kill !== undefined,
}));

/** The month that closes, and has ended. */
export const OCTOBER = { title: 'October', from: '2026-10-01', to: '2026-11-01' } as const;

/** Noon and midnight are never in a shift. */
export const PERIODS: readonly Period[] = [
  { title: 'all time' },
  OCTOBER,
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

export function isIn({ from, to }: Period, { fromMs }: Shift): boolean {
  return fromMs >= momentOf(from, -Infinity) && fromMs < momentOf(to, Infinity);
}

export function isBefore(time: string | undefined, { fromMs }: Shift): boolean {
  return fromMs < momentOf(time, -Infinity);
}

/** As `2026-10-31`. */
export function dayOf({ fromMs }: Shift): string {
  return new Date(fromMs).toISOString().slice(0, 10);
}

export function queryOf({ from, to }: Period): string {
  return String(
    new URLSearchParams({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }),
  );
}

/** In Unix milliseconds. */
export function momentOf(time: string | undefined, otherwise: number): number {
  if (time === undefined) return otherwise;
  return /^\d+$/.test(time) ? Number(time) : Date.parse(time);
}
