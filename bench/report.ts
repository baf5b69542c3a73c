/** Turns the rounds of the compared scenarios into one row each, with ratios made within a round. */
import type { Contender } from './scenarios.ts';
import { type Spread, spread } from './statistics.ts';
import { textTable } from './text-table.ts';

export interface RoundResult {
  readonly contender: Contender;
  readonly connections: number;
  /** Differs from `connections` where a whole number of squads is needed. */
  readonly usedConnections: number;
  readonly round: number;
  readonly answersPerSecond: number;
  readonly purchasesPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly groupSize: number | undefined;
  readonly clientCpuShare: number;
  readonly clientSystemShare: number;
  readonly serverCpuShare: number | undefined;
  readonly otherCpuShare: number | undefined;
}

export interface ReportRow {
  readonly contender: Contender;
  readonly connections: number;
  readonly usedConnections: number;
  readonly answersPerSecond: Spread | undefined;
  readonly purchasesPerSecond: Spread | undefined;
  readonly p50Ms: Spread | undefined;
  readonly p99Ms: Spread | undefined;
  readonly p999Ms: Spread | undefined;
  readonly groupSize: Spread | undefined;
  readonly ofFloor: Spread | undefined;
  readonly ofUniform: Spread | undefined;
  readonly clientCpuShare: Spread | undefined;
  readonly serverCpuShare: Spread | undefined;
  readonly otherCpuShare: Spread | undefined;
}

/** From here on the client itself may be what limits a row. */
export const clientBoundShare = 0.9;

/** One row for every scenario and number of connections, in the order they were first run. */
export function reportRows(results: readonly RoundResult[]): ReportRow[] {
  const groups = new Map<string, RoundResult[]>();
  for (const result of results) {
    const key = `${result.connections}/${result.contender}`;
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return [...groups.values()].flatMap((rounds) => {
    const [first] = rounds;
    return first === undefined ? [] : [rowOf(first, rounds, results)];
  });
}

function rowOf(first: RoundResult, rounds: readonly RoundResult[], all: readonly RoundResult[]): ReportRow {
  const over = (value: (result: RoundResult) => number | undefined) => spread(rounds.map(value));
  return {
    contender: first.contender,
    connections: first.connections,
    usedConnections: first.usedConnections,
    answersPerSecond: over((result) => result.answersPerSecond),
    purchasesPerSecond: over((result) => result.purchasesPerSecond),
    p50Ms: over((result) => result.p50Ms),
    p99Ms: over((result) => result.p99Ms),
    p999Ms: over((result) => result.p999Ms),
    groupSize: over((result) => result.groupSize),
    ofFloor: over((result) => ratioTo('floor', result, all)),
    ofUniform: over((result) => ratioTo('uniform', result, all)),
    clientCpuShare: over((result) => result.clientCpuShare),
    serverCpuShare: over((result) => result.serverCpuShare),
    otherCpuShare: over((result) => result.otherCpuShare),
  };
}

/** Answers per second against the same round's window of `contender`; undefined when it had none. */
function ratioTo(contender: Contender, result: RoundResult, all: readonly RoundResult[]): number | undefined {
  const base = all.find(
    (other) =>
      other.contender === contender &&
      other.round === result.round &&
      other.connections === result.connections,
  );
  return base === undefined ? undefined : result.answersPerSecond / base.answersPerSecond;
}

export function printRows(rows: readonly ReportRow[]): string {
  const header = [
    'scenario',
    'conn',
    'purchases/s (min–max)',
    'answers/s',
    'p50 ms',
    'p99 ms',
    'p99.9 ms',
    'group',
    'of floor',
    'of uniform',
    'server cpu',
    'client cpu',
    'other cpu',
  ];
  return textTable(header, rows.map(printRow));
}

function printRow(row: ReportRow): string[] {
  const { purchasesPerSecond: rate, clientCpuShare } = row;
  const bare = row.contender === 'floor' || row.contender === 'ceiling';
  const clientBound = (clientCpuShare?.median ?? 0) > clientBoundShare;
  return [
    row.contender,
    String(row.usedConnections),
    bare || rate === undefined ? '–' : `${whole(rate.median)} (${whole(rate.min)}–${whole(rate.max)})`,
    whole(row.answersPerSecond?.median),
    fixed(row.p50Ms, 2),
    fixed(row.p99Ms, 2),
    fixed(row.p999Ms, 2),
    fixed(row.groupSize, 1),
    row.contender === 'floor' ? '1' : fixed(row.ofFloor, 2),
    bare || row.contender === 'uniform' ? '–' : fixed(row.ofUniform, 2),
    percent(row.serverCpuShare),
    `${percent(clientCpuShare)}${clientBound ? '*' : ''}`,
    percent(row.otherCpuShare),
  ];
}

function whole(value: number | undefined): string {
  return value === undefined ? '–' : Math.round(value).toLocaleString('en');
}

function fixed(value: Spread | undefined, digits: number): string {
  return value === undefined ? '–' : value.median.toFixed(digits);
}

function percent(value: Spread | undefined): string {
  return value === undefined ? '–' : `${Math.round(value.median * 100)}%`;
}
