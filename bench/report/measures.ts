/** The measures on the page: name, unit, and the way their figures are written. */
import type { Measures } from './results.ts';

interface Measure {
  /** With its unit. */
  readonly title: string;
  readonly format: (value: number) => string;
}

export type MeasureName = keyof Measures;

/** In the order of tables and files. A measure that is missing here doesn't compile. */
export const measures: { readonly [Name in MeasureName]-?: Measure } = {
  purchasesPerSecond: { title: 'purchases/s', format: whole },
  answersPerSecond: { title: 'answers/s', format: whole },
  p50Ms: { title: 'p50, ms', format: threeDigits },
  p99Ms: { title: 'p99, ms', format: threeDigits },
  p999Ms: { title: 'p99.9, ms', format: threeDigits },
  groupSize: { title: 'group', format: threeDigits },
  winners: { title: 'winners', format: whole },
  losers: { title: 'losers', format: whole },
  lastLoserMs: { title: 'last loser knows, ms', format: threeDigits },
  firstWinnerMs: { title: 'first item sold, ms', format: threeDigits },
  soldOutMs: { title: 'last item sold, ms', format: threeDigits },
  firstPurchaseMs: { title: 'first purchase, ms', format: threeDigits },
  lostOrders: { title: 'orders lost', format: whole },
  serverCpuShare: { title: 'server CPU, %', format: percent },
  clientCpuShare: { title: 'client CPU, %', format: percent },
  otherCpuShare: { title: 'other CPU, %', format: percent },
  stolenShare: { title: 'stolen, %', format: percent },
};

export const measureNames = Object.keys(measures) as readonly MeasureName[];

export function whole(value: number): string {
  return Number.isFinite(value) ? Math.round(value).toLocaleString('en') : '–';
}

/** 0.042, 0.42, 4.20, 42.0, 420, 4,200. */
export function threeDigits(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const magnitude = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  const digits = Math.min(3, Math.max(0, 2 - magnitude));
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A share of one core in per cent; the `%` is in the title. */
export function percent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(share * 100)}` : '–';
}

export function ratio(value: number): string {
  return Number.isFinite(value) ? value.toFixed(2) : '–';
}
