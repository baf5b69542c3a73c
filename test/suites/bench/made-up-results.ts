/** A run that no machine ever made, plausible enough to look at: all scenarios that a report draws, in three rounds. */
import type { Results, ResultWindow, SeriesPoint, SystemResult } from '../../../bench/report/results.ts';
import { rowsOf } from '../../../bench/report/rows.ts';
import { percentiles } from '../../../bench/scenarios/figures.ts';
import { isReference, type SystemName } from '../../../bench/system.ts';

const conditions: Results['conditions'] = {
  processor: 'AMD EPYC 7R13 Processor',
  cores: 2,
  memoryGib: 24,
  kernel: 'Linux 6.1.0-37-amd64',
  filesystem: 'ext4',
  syncMicros: 412,
  loadAverage: 0.31,
  node: 'v20.20.2',
  libraries: { 'uWebSockets.js': 'uws-pack 20.0.8', lmdb: 'lmdb 2.9.4' },
  commit: '1c4a919',
};

/** Undisturbed, of Purser; with what is given instead. */
export function madeUpWindow(given: Partial<ResultWindow> = {}): ResultWindow {
  return {
    system: 'purser',
    scenario: 'hot-product',
    connections: 64,
    round: 1,
    purchasesPerSecond: 10_000,
    answersPerSecond: 10_000,
    p50Ms: 1,
    p99Ms: 4,
    p999Ms: 9,
    disturbed: false,
    ...given,
  };
}

/** `rows` made of the windows. */
export function madeUpResults(windows: readonly ResultWindow[], given: Partial<Results> = {}): Results {
  return { conditions, systems: [], missing: [], windows, rows: rowsOf(windows), ...given };
}

/** Answers a second at 64 connections. */
const capacities: Readonly<Partial<Record<SystemName, number>>> = {
  ceiling: 88_000,
  floor: 24_000,
  purser: 19_500,
  'redis-everysec': 17_200,
  sqlite: 8_900,
};

/** The windows of SQLite are disturbed, and Redis failed its check. */
export function madeUpRun(): Results {
  const systems = Object.keys(capacities) as SystemName[];
  const windows = [1, 2, 3].flatMap((round) => systems.flatMap((system) => windowsOf(system, round)));
  const missing = [
    { name: 'mariadb', reason: 'MariaDB is not installed: apt-get install mariadb-server' },
  ] as const;
  return madeUpResults(windows, { systems: systems.map(systemOf), missing });
}

function systemOf(name: SystemName): SystemResult {
  const found = ['crash: order 48213 was acknowledged and is gone'];
  return {
    name,
    version: `${name} 1.2.3`,
    durable: name !== 'ceiling' && name !== 'redis-everysec',
    processes: 1,
    configuration: { journal_mode: 'WAL', pool: '16 connections a process' },
    audit:
      name === 'redis-everysec'
        ? { passed: false, violations: 214, answers: 1_204_311, found }
        : { passed: true, violations: 0, answers: 100_000, found: [] },
  };
}

function windowsOf(system: SystemName, round: number): ResultWindow[] {
  const most = (capacities[system] ?? 0) * (1 + round / 100);
  const window = (scenario: string, connections: number, given: Partial<ResultWindow> = {}) =>
    madeUpWindow({ ...figures(most, connections), system, scenario, connections, round, ...given });
  const saturated = [64, 256].map((connections) => window('uniform', connections));
  if (isReference(system)) return saturated;
  const disturbed = system === 'sqlite';
  return [
    ...saturated,
    ...[64, 256].map((connections) => window('hot-product', connections, { disturbed })),
    window('half-load', 256, { perSecond: Math.round(most / 2) }),
    ...[2_000, 4_000].map((perSecond) => window('open-loop', 256, { perSecond })),
    window('flash-sale', 1_024, { winners: 100, losers: 9_900, lastLoserMs: 400 + round }),
    window('restock', 256, { firstWinnerMs: 5, soldOutMs: 300 + round }),
    window('crash', 256, { firstPurchaseMs: 420 + round, lostOrders: disturbed ? 0 : round }),
  ];
}

function figures(perSecond: number, connections: number): Partial<ResultWindow> {
  const p50Ms = (connections / perSecond) * 950;
  const latency = percentiles.map((percentile) => ({ percentile, ms: (p50Ms * 10) / (100.2 - percentile) }));
  return {
    purchasesPerSecond: perSecond,
    answersPerSecond: perSecond,
    p50Ms,
    p99Ms: 4 * p50Ms,
    p999Ms: 9 * p50Ms,
    groupSize: connections / 2,
    serverCpuShare: 1.1,
    clientCpuShare: 0.6,
    otherCpuShare: 0.02,
    stolenShare: 0.01,
    latency,
    series: Array.from({ length: 50 }, (_, index) => pointAt(index, perSecond, p50Ms)),
  };
}

/** It stands still once. */
function pointAt(index: number, perSecond: number, p50Ms: number): SeriesPoint {
  const answers = index === 17 ? 0 : Math.round(perSecond / 10);
  return { atMs: index * 100, answers, maxMs: answers === 0 ? 0 : 5 * p50Ms, disturbance: 0.03 };
}
