/** The measures of a row, with their units. A measure that is missing here doesn't compile. */
import type { Measures } from './results.ts';

export type MeasureName = keyof Measures;

export const measureTitles: { readonly [Name in MeasureName]-?: string } = {
  purchasesPerSecond: 'purchases/s',
  answersPerSecond: 'answers/s',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
  p999Ms: 'p99.9 ms',
  groupSize: 'group',
  winners: 'winners',
  losers: 'losers',
  lastLoserMs: 'last loser knows, ms',
  firstWinnerMs: 'first item sold, ms',
  soldOutMs: 'last item sold, ms',
  firstPurchaseMs: 'first purchase, ms',
  lostOrders: 'orders lost',
  serverCpuShare: 'server cpu',
  clientCpuShare: 'client cpu',
  otherCpuShare: 'other cpu',
  stolenShare: 'stolen',
};

export const measureNames = Object.keys(measureTitles) as readonly MeasureName[];
