/** A run as it is left: rows of its windows, their tables, and a file for programs. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { writeReport } from '../report/report-file.ts';
import type { ResultRow, Results, ResultWindow } from '../report/results.ts';
import { rowsOf } from '../report/rows.ts';
import { printRows } from '../report/table.ts';
import { isReference, type SystemName } from '../systems/system.ts';

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

const figures: Partial<ResultWindow> = {
  groupSize: 32,
  serverCpuShare: 1.1,
  clientCpuShare: 0.6,
  otherCpuShare: 0.02,
  stolenShare: 0.01,
};

const purser = (given: Partial<ResultWindow>) => madeUpWindow(given);
const floor = (given: Partial<ResultWindow>) =>
  madeUpWindow({ system: 'floor', scenario: 'uniform', answersPerSecond: 20_000, ...given });

const rowCases: readonly [
  name: string,
  windows: readonly ResultWindow[],
  /** Fields of the first row. */
  row: { readonly [Name in keyof ResultRow]?: ResultRow[Name] | undefined },
][] = [
  [
    'a row has the median, the least and the most of its windows',
    [1, 2, 3].map((round) => purser({ round, p99Ms: 10 * round })),
    { windows: 3, disturbed: false, p99Ms: { median: 20, min: 10, max: 30 } },
  ],
  [
    'a disturbed window is no part of a row that has undisturbed ones',
    [purser({ p99Ms: 90, disturbed: true }), purser({ round: 2, p99Ms: 5 })],
    { windows: 1, disturbed: false, p99Ms: { median: 5, min: 5, max: 5 } },
  ],
  [
    'where all windows were disturbed, the row is made of all of them and marked',
    [purser({ p99Ms: 90, disturbed: true }), purser({ round: 2, p99Ms: 50, disturbed: true })],
    { windows: 2, disturbed: true, p99Ms: { median: 70, min: 50, max: 90 } },
  ],
  [
    'a row has no time for what did not happen in time in one of its windows',
    [purser({ scenario: 'restock', soldOutMs: 5 }), purser({ scenario: 'restock', round: 2 })],
    { windows: 2, soldOutMs: undefined },
  ],
];

test('a row is made of the windows of all rounds', () => {
  for (const [what, windows, expected] of rowCases) {
    const [row, ...others] = rowsOf(windows);
    assert.deepEqual(others, [], what);
    for (const [figure, value] of Object.entries(expected)) {
      assert.deepEqual(row?.[figure as keyof ResultRow], value, `${what}: ${figure}`);
    }
  }
});

test('the ratio to the floor is made within a round, of undisturbed windows at the same connections', () => {
  const cases: readonly [what: string, windows: readonly ResultWindow[], ofFloor?: readonly number[]][] = [
    [
      'in each round',
      [purser({}), floor({}), purser({ round: 2 }), floor({ round: 2, answersPerSecond: 40_000 })],
      [0.375, 0.25, 0.5],
    ],
    ['no floor in that round', [purser({}), floor({ round: 2 })]],
    ['other connections', [purser({}), floor({ connections: 256 })]],
    ['a disturbed floor', [purser({}), floor({ disturbed: true })]],
  ];
  for (const [what, windows, ofFloor] of cases) {
    const row = rowsOf(windows).find(({ system }) => system === 'purser');
    const ratio = row?.ofFloor && [row.ofFloor.median, row.ofFloor.min, row.ofFloor.max];
    assert.deepEqual(ratio, ofFloor, what);
  }
});

test('each scene has a table of the figures that it is run for, and says what did not happen in time', () => {
  const late = purser({ scenario: 'crash', connections: 64, lostOrders: 0 });
  const printed = printRows(madeUpRun().rows.concat(rowsOf([late])));
  const tables = printed.split('\n\n').map((table) => table.split('\n').map((line) => line.split(/ {2,}/)));
  assert.deepEqual(tables.slice(1), [
    [
      ['flash-sale', 'conn', 'winners', 'losers', 'last loser knows, ms'],
      ['purser', '1024', '100 (100–100)', '9,900 (9,900–9,900)', '402 (401–403)'],
      ['sqlite', '1024', '100 (100–100)', '9,900 (9,900–9,900)', '402 (401–403)'],
    ],
    [
      ['restock', 'conn', 'first item sold, ms', 'last item sold, ms'],
      ['purser', '256', '5 (5–5)', '302 (301–303)'],
      ['sqlite', '256', '5 (5–5)', '302 (301–303)'],
    ],
    [
      ['crash', 'conn', 'first purchase, ms', 'orders lost'],
      ['purser', '256', '422 (421–423)', '2 (1–3)'],
      ['sqlite', '256', '422 (421–423)', '2 (1–3)'],
      ['purser', '64', 'not within 60 s', '0 (0–0)'],
    ],
  ]);
});

test('a report is written whole, over the one before, and leaves nothing beside it', async () => {
  const folder = await createTemporaryFolder('bench-report');
  try {
    const target = join(folder.path, 'new', 'report');
    await writeReport(target, madeUpResults([]));
    const path = await writeReport(target, madeUpRun());
    assert.equal(path, join(target, 'report.json'));
    assert.deepEqual(await readdir(target), ['report.json']);
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), madeUpRun());
  } finally {
    await folder.remove();
  }
});

/** Undisturbed, of Purser; with what is given instead. */
function madeUpWindow(given: Partial<ResultWindow> = {}): ResultWindow {
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
function madeUpResults(windows: readonly ResultWindow[], given: Partial<Results> = {}): Results {
  return { conditions, systems: [], missing: [], windows, rows: rowsOf(windows), ...given };
}

/** A run that no machine ever made: all scenarios that a report draws, in three rounds. */
function madeUpRun(): Results {
  const systems = (['floor', 'purser', 'sqlite'] as const).map((name) => ({
    name,
    version: `${name} 1.2.3`,
    durable: true,
    processes: 1,
    configuration: { journal_mode: 'WAL' },
    audit: { passed: name !== 'sqlite', violations: 1, answers: 100_000, found: ['order 48213 is gone'] },
  }));
  const missing = [{ name: 'mariadb', reason: 'MariaDB is not installed' }] as const;
  const windows = [1, 2, 3].flatMap((round) => systems.flatMap(({ name }) => windowsOf(name, round)));
  return madeUpResults(windows, { systems, missing });
}

function windowsOf(system: SystemName, round: number): ResultWindow[] {
  const window = (scenario: string, connections: number, given: Partial<ResultWindow> = {}) =>
    madeUpWindow({ ...figures, system, scenario, connections, round, ...given });
  const saturated = [64, 256].map((connections) => window('uniform', connections));
  if (isReference(system)) return saturated;
  return [
    ...saturated,
    ...[64, 256].map((connections) => window('hot-product', connections, { disturbed: system === 'sqlite' })),
    window('half-load', 256, { perSecond: 5_000 }),
    ...[2_000, 4_000].map((perSecond) => window('open-loop', 256, { perSecond })),
    window('flash-sale', 1_024, { winners: 100, losers: 9_900, lastLoserMs: 400 + round }),
    window('restock', 256, { firstWinnerMs: 5, soldOutMs: 300 + round }),
    window('crash', 256, { firstPurchaseMs: 420 + round, lostOrders: round }),
  ];
}
