/** What a run is written as: rows of its windows, a table for programs, a page and pictures to look at. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { reportPage } from '../../../bench/report/html.ts';
import type { ResultRow, Results, ResultWindow } from '../../../bench/report/results.ts';
import { rowsOf } from '../../../bench/report/rows.ts';
import { picturesOf } from '../../../bench/report/svg.ts';
import { writeReport } from '../../../bench/report/write-report.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { madeUpResults, madeUpRun, madeUpWindow } from './made-up-results.ts';

const purser = (given: Partial<ResultWindow>) => madeUpWindow(given);
const floor = (given: Partial<ResultWindow>) =>
  madeUpWindow({ system: 'floor', scenario: 'uniform', answersPerSecond: 20_000, ...given });

const rowCases: readonly [
  name: string,
  windows: readonly ResultWindow[],
  /** Of the first row. */
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

const run = madeUpRun();
const runs: { readonly name: string; readonly results: Results }[] = [
  { name: 'a run', results: run },
  { name: 'a run without a window', results: madeUpResults([]) },
  {
    name: 'a run whose measures are all 0',
    results: madeUpResults([
      purser({ purchasesPerSecond: 0, answersPerSecond: 0, p50Ms: 0, p99Ms: 0, p999Ms: 0 }),
      purser({ scenario: 'half-load', perSecond: 0, p50Ms: 0, p99Ms: 0, p999Ms: 0 }),
      purser({ scenario: 'crash', firstPurchaseMs: 0, lostOrders: 0, series: [] }),
    ]),
  },
];

for (const { name, results } of runs) {
  const page = reportPage(results);

  test(`the page of ${name} is one file that loads nothing, runs nothing, and draws numbers only`, () => {
    assert.ok(page.length < 2_000_000, `${page.length} characters`);
    const addresses = page.replaceAll('xmlns="http://www.w3.org/2000/svg"', '').matchAll(/\w+:\/\/\S*/g);
    assert.deepEqual([...addresses].map(String), []);
    assert.doesNotMatch(page, /<script|<link|<img|<iframe|\ssrc=|@import|url\(|\son\w+=|href="[^#]/);
    for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) {
      assert.ok(page.includes(`id="${target}"`), `#${target} exists`);
    }
    for (const text of [page, ...picturesOf(results).map(({ svg }) => svg)]) {
      assert.doesNotMatch(text, /NaN|Infinity|undefined|\bnull\b|⚠/);
    }
  });
}

test('a report is written whole, over the one before, and leaves nothing beside it', async () => {
  const folder = await createTemporaryFolder('bench-report');
  try {
    const target = join(folder.path, 'new', 'report');
    await writeReport(target, madeUpResults([]));
    const paths = await writeReport(target, run);
    const names = paths.map((path) => relative(target, path));
    assert.deepEqual(names, [
      'report.html',
      'report.json',
      'report.csv',
      'pictures/hot-product.svg',
      'pictures/half-load.svg',
      'pictures/flash-sale.svg',
    ]);
    assert.deepEqual((await readdir(target)).sort(), [
      'pictures',
      'report.csv',
      'report.html',
      'report.json',
    ]);
    assert.deepEqual(JSON.parse(await readFile(join(target, 'report.json'), 'utf8')), run);
  } finally {
    await folder.remove();
  }
});
