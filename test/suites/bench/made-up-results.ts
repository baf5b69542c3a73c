/** Results that no machine ever gave, plausible enough to look at: of a full run and of a quick one. */
import type { Results, ResultWindow, SeriesPoint, SystemResult } from '../../../bench/report/results.ts';
import { rowsOf } from '../../../bench/report/rows.ts';
import { percentiles } from '../../../bench/scenarios/figures.ts';
import { isReference, type SystemName } from '../../../bench/system.ts';
import { Random } from '../../support/random.ts';

export const madeUpConditions: Results['conditions'] = {
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
  return { conditions: madeUpConditions, systems: [], missing: [], windows, rows: rowsOf(windows), ...given };
}

const connectionCounts = [64, 256, 1024] as const;

/** Purchases a second of a hot product at 64, 256 and 1,024 connections. */
const capacities: Readonly<Partial<Record<SystemName, readonly [number, number, number]>>> = {
  ceiling: [88_000, 94_000, 91_000],
  floor: [24_000, 51_000, 66_000],
  purser: [19_500, 34_500, 38_000],
  'postgres-statements': [2_900, 3_100, 2_700],
  'postgres-function': [5_200, 6_400, 5_900],
  'redis-always': [10_800, 15_700, 15_100],
  'redis-everysec': [17_200, 19_000, 18_400],
  sqlite: [8_900, 13_600, 14_900],
  mariadb: [1_900, 2_200, 1_800],
};
const names = Object.keys(capacities) as SystemName[];
/** How much of its uniform throughput a scenario leaves, and answers a purchase. */
const scenarios = {
  uniform: [1, 1],
  'hot-product': [0.97, 1],
  'hot-wallet': [0.9, 1],
  'last-item': [1.1, 10],
  'same-key': [1.3, 20],
} as const;

const settings: Readonly<Partial<Record<SystemName, Readonly<Record<string, string>>>>> = {
  purser: { transport: 'uws' },
  floor: { journal: '120 bytes a request into one LMDB value a group' },
  ceiling: { journal: 'none' },
  'postgres-statements': {
    synchronous_commit: 'on',
    shared_buffers: '512MB',
    wal_compression: 'lz4',
    pool: '16 connections a process',
  },
  'postgres-function': {
    synchronous_commit: 'on',
    shared_buffers: '512MB',
    commit_delay: '200 µs, so that commits share a sync',
    pool: '16 connections a process',
  },
  'redis-always': { appendonly: 'yes', appendfsync: 'always', 'no-appendfsync-on-rewrite': 'no' },
  'redis-everysec': { appendonly: 'yes', appendfsync: 'everysec' },
  sqlite: { journal_mode: 'WAL', synchronous: 'FULL', groups: 'all purchases of a turn in one transaction' },
  mariadb: { innodb_flush_log_at_trx_commit: '1', sync_binlog: '1', innodb_buffer_pool_size: '512M' },
};
const versions: Readonly<Partial<Record<SystemName, string>>> = {
  purser: 'Purser 0.1.0',
  floor: 'uws-pack 20.0.8',
  ceiling: 'uws-pack 20.0.8',
  'postgres-statements': 'PostgreSQL 15.18',
  'postgres-function': 'PostgreSQL 15.18',
  'redis-always': 'Redis 7.0.15',
  'redis-everysec': 'Redis 7.0.15',
  sqlite: 'SQLite 3.51.0',
  mariadb: 'MariaDB 10.11.14',
};

/** Every system but TigerBeetle, every scenario, five rounds; the same numbers for the same seed. */
export function fullRun(seed = 1): Results {
  const maker = new WindowMaker(new Random(seed));
  const windows: ResultWindow[] = [];
  for (let round = 1; round <= 5; round += 1) {
    for (const [place, connections] of connectionCounts.entries()) {
      for (const system of names) {
        for (const [scenario, [share, answers]] of Object.entries(scenarios)) {
          if (isReference(system) && scenario !== 'uniform') continue;
          const most = (capacities[system]?.[place] ?? 0) * share;
          windows.push(maker.window(system, scenario, connections, round, most, answers));
        }
      }
    }
    for (const system of names.filter((name) => name !== 'ceiling')) {
      windows.push(...maker.paced(system, round), ...maker.events(system, round));
    }
  }
  const missing = [
    {
      name: 'tigerbeetle' as const,
      reason:
        'its server needs io_uring, which this kernel refuses; run on Linux 5.6 or later without a seccomp filter',
    },
  ];
  return madeUpResults(windows, { systems: names.map(systemOf), missing });
}

/** One round of Purser, its references and two peers, at 64 connections. */
export function quickRun(seed = 1): Results {
  const maker = new WindowMaker(new Random(seed));
  const here = ['ceiling', 'floor', 'purser', 'sqlite', 'redis-everysec'] as const;
  const windows = here.map((system) => {
    return maker.window(system, 'hot-product', 64, 1, capacities[system]?.[0] ?? 0, 1, system === 'sqlite');
  });
  windows.push(maker.halfLoad('purser', 1, 64), maker.flashSale('purser', 1));
  const missing = [
    {
      name: 'postgres-statements' as const,
      reason: 'PostgreSQL is not installed: apt-get install postgresql',
    },
    { name: 'mariadb' as const, reason: 'MariaDB is not installed: apt-get install mariadb-server' },
  ];
  return madeUpResults(windows, { systems: here.map(systemOf), missing });
}

function systemOf(name: SystemName): SystemResult {
  const sells = !isReference(name);
  return {
    name,
    version: versions[name] ?? 'unknown',
    durable: name !== 'ceiling' && name !== 'redis-everysec',
    processes: name.startsWith('postgres') ? 2 : 1,
    configuration: settings[name] ?? {},
    audit:
      name === 'redis-everysec'
        ? {
            passed: false,
            violations: 214,
            answers: 1_204_311,
            found: [
              'crash: order 48213 was acknowledged and is gone',
              'crash: order 48214 was acknowledged and is gone',
            ],
          }
        : { passed: true, violations: 0, answers: sells ? 100 * (capacities[name]?.[1] ?? 0) : 0, found: [] },
  };
}

class WindowMaker {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  window(
    system: SystemName,
    scenario: string,
    connections: number,
    round: number,
    most: number,
    answersAPurchase: number,
    disturbed = this.#random.chance(0.06),
  ): ResultWindow {
    const answers = most * this.#about(1, 0.06) * (disturbed ? 0.7 : 1);
    const p50Ms = (connections / answers) * 950;
    const isCounted = system === 'purser' || system === 'floor' || system === 'sqlite';
    return {
      ...this.#measured(system, scenario, connections, round, answers, p50Ms, disturbed),
      purchasesPerSecond: system === 'ceiling' ? 0 : answers / answersAPurchase,
      ...(isCounted && { groupSize: connections * this.#about(0.42, 0.1) }),
      serverCpuShare: this.#about(system === 'purser' ? 1.12 : 0.95, 0.1),
      clientCpuShare: this.#about(0.6, 0.2),
    };
  }

  halfLoad(system: SystemName, round: number, connections: 64 | 256): ResultWindow {
    const most = capacities[system]?.[connectionCounts.indexOf(connections)] ?? 0;
    return this.#paced(
      system,
      'half-load',
      connections,
      round,
      Math.round(this.#about(most / 2, 0.02)),
      most,
    );
  }

  paced(system: SystemName, round: number): ResultWindow[] {
    const most = capacities[system]?.[1] ?? 0;
    const rates = [2_000, 4_000, 8_000, 12_000, 20_000, 30_000].filter((rate) => rate <= most);
    return [
      ...rates.map((perSecond) => this.#paced(system, 'open-loop', 256, round, perSecond, most)),
      this.halfLoad(system, round, 256),
    ];
  }

  flashSale(system: SystemName, round: number): ResultWindow {
    const most = capacities[system]?.[2] ?? 0;
    const lastLoserMs = this.#about(10_000_000 / most, 0.1) + 40;
    const window = this.#measured(system, 'flash-sale', 1024, round, most, lastLoserMs / 2, false);
    return { ...window, purchasesPerSecond: 100, winners: 100, losers: 9_900, lastLoserMs };
  }

  events(system: SystemName, round: number): ResultWindow[] {
    if (system === 'floor') return [];
    const most = capacities[system]?.[1] ?? 0;
    const crash = this.#measured(system, 'crash', 256, round, most * 0.8, 256_000 / most, false);
    const firstPurchaseMs = this.#about(system === 'purser' ? 420 : 1_900, 0.3);
    const restock = this.#measured(system, 'restock', 256, round, most, 256_000 / most, false);
    const soldOutMs = this.#about(1_000_000 / most, 0.1) + 6;
    return [
      this.flashSale(system, round),
      { ...restock, firstWinnerMs: this.#about(5, 0.5), soldOutMs },
      {
        ...crash,
        firstPurchaseMs,
        lostOrders: system === 'redis-everysec' ? this.#random.between(0, 9_000) : 0,
        series: withGap(crash.series ?? [], firstPurchaseMs),
      },
    ];
  }

  /** The nearer to what it can do, the longer it takes. */
  #paced(
    system: SystemName,
    scenario: string,
    connections: number,
    round: number,
    perSecond: number,
    most: number,
  ): ResultWindow {
    const load = perSecond / most;
    const p50Ms = 1.1 + (0.9 * load) / Math.max(0.04, 1 - load);
    return {
      ...this.#measured(system, scenario, connections, round, perSecond, p50Ms, this.#random.chance(0.05)),
      perSecond,
    };
  }

  #measured(
    system: SystemName,
    scenario: string,
    connections: number,
    round: number,
    answers: number,
    p50: number,
    disturbed: boolean,
  ): ResultWindow {
    const p50Ms = p50 * this.#about(1, 0.05);
    const tail = this.#about(0.5, 0.2) * (disturbed ? 1.7 : 1);
    const latency = percentiles.map((percentile) => ({
      percentile,
      ms: p50Ms * 10 ** (tail * 0.6 * (Math.log10(100 / Math.max(0.002, 100 - percentile)) - 0.3)),
    }));
    const at = (percentile: number) => latency.find((point) => point.percentile === percentile)?.ms ?? p50Ms;
    return madeUpWindow({
      system,
      scenario,
      connections,
      round,
      disturbed,
      latency,
      answersPerSecond: answers,
      purchasesPerSecond: answers,
      p50Ms,
      p99Ms: at(99),
      p999Ms: at(99.9),
      otherCpuShare: disturbed ? this.#about(0.6, 0.4) : this.#about(0.02, 0.9),
      stolenShare: this.#about(0.02, 0.9),
      series: this.#series(answers, at(99), disturbed),
    });
  }

  #series(answersPerSecond: number, p99Ms: number, disturbed: boolean): SeriesPoint[] {
    const stallAt = this.#random.between(4, 44);
    return Array.from({ length: 50 }, (_, index) => {
      const isStalled = index === stallAt || (disturbed && index > stallAt && index < stallAt + 5);
      return {
        atMs: index * 100,
        answers: Math.round((answersPerSecond / 10) * this.#about(isStalled ? 0.4 : 1, 0.12)),
        maxMs: p99Ms * this.#about(isStalled ? 4 : 1.3, 0.4),
        disturbance: disturbed && isStalled ? this.#about(0.9, 0.3) : this.#about(0.03, 0.9),
      };
    });
  }

  #about(value: number, share: number): number {
    return value * (1 + share * (2 * this.#random.next() - 1));
  }
}

/** Killed after a second and a half. */
function withGap(series: readonly SeriesPoint[], gapMs: number): SeriesPoint[] {
  return series.map((point) =>
    point.atMs >= 1_500 && point.atMs < 1_500 + gapMs ? { ...point, answers: 0, maxMs: 0 } : point,
  );
}
