/** Turns the windows of the suppliers benchmark into one row a setting, with ratios made within a round. */
import { type Spread, spread } from '../measure/statistics.ts';
import { textTable } from '../measure/text-table.ts';

/** One window of own-stock purchases. */
export interface OwnStockResult {
  readonly round: number;
  /** Supplier purchases meanwhile; 0 for none. */
  readonly inFlight: number;
  readonly perSecond: number;
  readonly answersPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** Purchases that the supplier was working on, as it says itself: the mean of before and after. */
  readonly atSupplier: number;
  readonly serverCpuShare: number | undefined;
  readonly clientCpuShare: number;
  readonly otherCpuShare: number | undefined;
}

/** Supplier purchases while own stock was measured beside them. */
export interface SuppliedResult {
  readonly inFlight: number;
  readonly answersPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export function printSuppliers(
  ownStock: readonly OwnStockResult[],
  supplied: readonly SuppliedResult[],
): string {
  return [printOwnStock(ownStock), printSupplied(supplied)].join('\n\n');
}

function printOwnStock(results: readonly OwnStockResult[]): string {
  const header = [
    'own stock beside',
    'at supplier',
    'rate/s',
    'purchases/s',
    'p50 ms',
    'p99 ms (min–max)',
    'p99.9 ms',
    'p99 by none',
    'medians',
    'server cpu',
    'client cpu',
    'other cpu',
  ];
  const settings = [...new Set(results.map(({ perSecond, inFlight }) => `${perSecond}/${inFlight}`))];
  const rows = settings
    .map((setting) => results.filter(({ perSecond, inFlight }) => `${perSecond}/${inFlight}` === setting))
    .sort(([one], [other]) => (one?.perSecond ?? 0) - (other?.perSecond ?? 0))
    .map((rounds) => ownStockRow(rounds, results));
  return textTable(header, rows);
}

function ownStockRow(rounds: readonly OwnStockResult[], all: readonly OwnStockResult[]): string[] {
  const [first] = rounds;
  if (first === undefined) return [];
  const over = (value: (result: OwnStockResult) => number | undefined) => spread(rounds.map(value));
  const without = all.filter(({ inFlight, perSecond }) => inFlight === 0 && perSecond === first.perSecond);
  const ratio = over((result) => {
    const base = without.find(({ round }) => round === result.round);
    return base === undefined ? undefined : result.p99Ms / base.p99Ms;
  });
  const p99Ms = over((result) => result.p99Ms);
  const ofMedians = (p99Ms?.median ?? Number.NaN) / (spread(without.map((one) => one.p99Ms))?.median ?? 1);
  return [
    first.inFlight === 0 ? 'none' : `${first.inFlight.toLocaleString('en')} in flight`,
    whole(over((result) => result.atSupplier)),
    first.perSecond.toLocaleString('en'),
    whole(over((result) => result.answersPerSecond)),
    fixed(over((result) => result.p50Ms)),
    range(p99Ms),
    fixed(over((result) => result.p999Ms)),
    first.inFlight === 0 ? '1' : range(ratio),
    first.inFlight === 0 ? '1' : ofMedians.toFixed(2),
    percent(over((result) => result.serverCpuShare)),
    percent(over((result) => result.clientCpuShare)),
    percent(over((result) => result.otherCpuShare)),
  ];
}

function printSupplied(results: readonly SuppliedResult[]): string {
  const counts = [...new Set(results.map(({ inFlight }) => inFlight))];
  const rows = counts.map((count) => {
    const rounds = results.filter(({ inFlight }) => inFlight === count);
    const over = (value: (result: SuppliedResult) => number) => spread(rounds.map(value));
    return [
      `${count.toLocaleString('en')} in flight`,
      whole(over((result) => result.answersPerSecond)),
      fixed(over((result) => result.p50Ms)),
      fixed(over((result) => result.p99Ms)),
      fixed(over((result) => result.maxMs)),
    ];
  });
  return textTable(['supplied', 'purchases/s', 'p50 ms', 'p99 ms', 'max ms'], rows);
}

function whole(value: Spread | undefined): string {
  return value === undefined ? '–' : Math.round(value.median).toLocaleString('en');
}

function fixed(value: Spread | undefined): string {
  return value === undefined ? '–' : value.median.toFixed(2);
}

function range(value: Spread | undefined): string {
  if (value === undefined) return '–';
  return `${value.median.toFixed(2)} (${value.min.toFixed(2)}–${value.max.toFixed(2)})`;
}

function percent(value: Spread | undefined): string {
  return value === undefined ? '–' : `${Math.round(value.median * 100)}%`;
}
