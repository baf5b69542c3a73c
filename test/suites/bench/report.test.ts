/** What a run is written as: rows of its windows, a table for programs, a page and pictures to look at. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { placeLabels } from '../../../bench/report/charts/end-labels.ts';
import { csvOf } from '../../../bench/report/csv.ts';
import { reportPage } from '../../../bench/report/html.ts';
import { makeReportFolder } from '../../../bench/report/report-folder.ts';
import type { ResultRow, Results, ResultWindow } from '../../../bench/report/results.ts';
import { rowsOf } from '../../../bench/report/rows.ts';
import { picturesOf } from '../../../bench/report/svg.ts';
import { writeReport } from '../../../bench/report/write-report.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { fullRun, madeUpResults, madeUpWindow, quickRun } from './made-up-results.ts';

const purser = (given: Partial<ResultWindow>) => madeUpWindow(given);
const floor = (given: Partial<ResultWindow>) =>
  madeUpWindow({ system: 'floor', scenario: 'uniform', answersPerSecond: 20_000, ...given });

const rowCases: {
  readonly name: string;
  readonly windows: readonly ResultWindow[];
  /** Of the first row. */
  readonly row: { readonly [Name in keyof ResultRow]?: ResultRow[Name] | undefined };
}[] = [
  {
    name: 'a row has the median, the least and the most of its windows',
    windows: [1, 2, 3].map((round) => purser({ round, p99Ms: 10 * round })),
    row: { windows: 3, disturbed: false, p99Ms: { median: 20, min: 10, max: 30 } },
  },
  {
    name: 'a disturbed window is no part of a row that has undisturbed ones',
    windows: [purser({ p99Ms: 90, disturbed: true }), purser({ round: 2, p99Ms: 5 })],
    row: { windows: 1, disturbed: false, p99Ms: { median: 5, min: 5, max: 5 } },
  },
  {
    name: 'where all windows were disturbed, the row is made of all of them and marked',
    windows: [purser({ p99Ms: 90, disturbed: true }), purser({ round: 2, p99Ms: 50, disturbed: true })],
    row: { windows: 2, disturbed: true, p99Ms: { median: 70, min: 50, max: 90 } },
  },
  {
    name: 'what no window measured is no figure',
    windows: [purser({})],
    row: { groupSize: undefined, winners: undefined, perSecond: undefined },
  },
  {
    name: 'what only some windows measured is a figure of those',
    windows: [purser({ groupSize: 8 }), purser({ round: 2 })],
    row: { windows: 2, groupSize: { median: 8, min: 8, max: 8 } },
  },
  {
    name: "half of a system's maximum is another rate in each round, and still one row",
    windows: [1, 2, 3].map((round) => purser({ scenario: 'half-load', round, perSecond: 9_000 + round })),
    row: { windows: 3, perSecond: 9_002 },
  },
  {
    name: 'a row has no time for what did not happen in time in one of its windows',
    windows: [purser({ scenario: 'restock', soldOutMs: 5 }), purser({ scenario: 'restock', round: 2 })],
    row: { windows: 2, soldOutMs: undefined },
  },
];

for (const { name, windows, row: expected } of rowCases) {
  test(name, () => {
    const [row, ...others] = rowsOf(windows);
    assert.deepEqual(others, []);
    for (const [figure, value] of Object.entries(expected)) {
      assert.deepEqual(row?.[figure as keyof ResultRow], value, figure);
    }
  });
}

test('every system, scenario, number of connections and rate has a row, in the order of the run', () => {
  const windows = [
    purser({ scenario: 'open-loop', perSecond: 6_000 }),
    purser({ scenario: 'open-loop', perSecond: 12_000 }),
    floor({}),
    purser({ connections: 256 }),
    purser({}),
    purser({ connections: 256, round: 2 }),
  ];
  assert.deepEqual(
    rowsOf(windows).map((row) => [row.system, row.scenario, row.connections, row.perSecond]),
    [
      ['purser', 'open-loop', 64, 6_000],
      ['purser', 'open-loop', 64, 12_000],
      ['floor', 'uniform', 64, undefined],
      ['purser', 'hot-product', 256, undefined],
      ['purser', 'hot-product', 64, undefined],
    ],
  );
});

const ratioCases: {
  readonly name: string;
  readonly windows: readonly ResultWindow[];
  /** Of Purser's 10,000 answers a second. */
  readonly ofFloor: ResultRow['ofFloor'];
}[] = [
  {
    name: "is made within a round, with the floor's window of that round",
    windows: [purser({}), floor({}), purser({ round: 2 }), floor({ round: 2, answersPerSecond: 40_000 })],
    ofFloor: { median: 0.375, min: 0.25, max: 0.5 },
  },
  {
    name: 'takes the same scenario where the floor ran it',
    windows: [purser({}), floor({}), floor({ scenario: 'hot-product', answersPerSecond: 12_500 })],
    ofFloor: { median: 0.8, min: 0.8, max: 0.8 },
  },
  {
    name: 'takes the median where the floor ran twice in a round',
    windows: [floor({}), purser({}), floor({ answersPerSecond: 30_000 })],
    ofFloor: { median: 0.4, min: 0.4, max: 0.4 },
  },
  {
    name: 'is not made without a floor in that round',
    windows: [purser({}), floor({ round: 2 })],
    ofFloor: undefined,
  },
  {
    name: 'is not made with a floor of other connections',
    windows: [purser({}), floor({ connections: 256 })],
    ofFloor: undefined,
  },
  {
    name: 'is not made with a disturbed floor',
    windows: [purser({}), floor({ disturbed: true })],
    ofFloor: undefined,
  },
  {
    name: 'is not made of a disturbed window',
    windows: [purser({ disturbed: true }), floor({})],
    ofFloor: undefined,
  },
  {
    name: 'is not made at a given rate, which says nothing of the most',
    windows: [purser({ scenario: 'open-loop', perSecond: 6_000 }), floor({})],
    ofFloor: undefined,
  },
];

for (const { name, windows, ofFloor } of ratioCases) {
  test(`the ratio to the floor ${name}`, () => {
    assert.deepEqual(rowsOf(windows).find(({ system }) => system === 'purser')?.ofFloor, ofFloor);
  });
}

test('the CSV has a line a row, with the median, the least and the most of each measure', () => {
  const rows = rowsOf([
    purser({ purchasesPerSecond: 1.5, groupSize: 8 }),
    purser({ round: 2, purchasesPerSecond: 2.5 }),
    purser({ scenario: 'open-loop', perSecond: 6_000, disturbed: true }),
  ]);
  const lines = csvOf(rows).split('\r\n');
  assert.equal(lines.pop(), '', 'the last line is ended, too');
  const [names = [], ...cells] = lines.map((line) => line.split(','));
  assert.deepEqual(names.slice(0, 9), [
    'system',
    'scenario',
    'connections',
    'perSecond',
    'windows',
    'disturbed',
    'purchasesPerSecond',
    'purchasesPerSecondMin',
    'purchasesPerSecondMax',
  ]);
  const cell = (line: number, name: string) => cells[line]?.[names.indexOf(name)];
  assert.deepEqual(cells[0]?.slice(0, 9), [
    'purser',
    'hot-product',
    '64',
    '',
    '2',
    'false',
    '2',
    '1.5',
    '2.5',
  ]);
  assert.deepEqual([cell(0, 'groupSizeMax'), cell(1, 'groupSizeMax')], ['8', '']);
  assert.deepEqual([cell(1, 'perSecond'), cell(1, 'disturbed')], ['6000', 'true']);
  assert.ok(cells.every(({ length }) => length === names.length));
});

test('a text with commas, quotes or line ends is one cell of the CSV', () => {
  const [row] = rowsOf([purser({ scenario: 'a "quoted",\nname' })]);
  assert.ok(row);
  assert.match(csvOf([row]), /\r\npurser,"a ""quoted"",\nname",64,/);
});

const full = fullRun();
const fullPage = reportPage(full);
const quick = quickRun();
const runs: { readonly name: string; readonly results: Results; readonly page?: string }[] = [
  { name: 'a full run', results: full, page: fullPage },
  { name: 'a quick run', results: quick },
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

for (const { name, results, page = reportPage(results) } of runs) {
  test(`the page of ${name} is one file that loads nothing and runs nothing`, () => {
    assert.ok(page.length < 2_000_000, `${page.length} characters`);
    const addresses = page.replaceAll('xmlns="http://www.w3.org/2000/svg"', '').matchAll(/\w+:\/\/\S*/g);
    assert.deepEqual([...addresses].map(String), []);
    assert.doesNotMatch(page, /<script|<link|<img|<iframe|\ssrc=|@import|url\(|\son\w+=|href="[^#]/);
    for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) {
      assert.ok(page.includes(`id="${target}"`), `#${target} exists`);
    }
  });

  test(`the page of ${name} names all that was measured and all that is missing`, () => {
    for (const system of results.systems) {
      assert.ok(page.includes(system.name) && page.includes(system.version), system.name);
    }
    for (const { name: absent, reason } of results.missing) {
      assert.ok(page.includes(absent) && page.includes(reason), absent);
    }
    for (const { scenario } of results.rows) assert.ok(page.includes(`<h3>${scenario}</h3>`), scenario);
  });

  test(`the charts of ${name} are drawn of numbers only`, () => {
    for (const text of [page, ...picturesOf(results).map(({ svg }) => svg)]) {
      assert.doesNotMatch(text, /NaN|Infinity|undefined|\bnull\b|⚠/);
    }
  });
}

test('what is not durable and what was disturbed is said in words', () => {
  const page = reportPage(quick);
  const lines = page.slice(page.indexOf('id="rows"')).split('\n');
  const row = (name: string) => lines.find((line) => line.includes(`</svg> ${name}`)) ?? '';
  assert.match(row('redis-everysec'), /not durable/);
  assert.match(row('sqlite'), /disturbed/);
  assert.doesNotMatch(row('purser'), /disturbed|not durable/);
});

test('what did not happen in time is said in words, in the table and in the chart, behind the others', () => {
  const late = madeUpResults([
    madeUpWindow({ system: 'sqlite', scenario: 'restock', soldOutMs: 2_600 }),
    purser({ scenario: 'restock', soldOutMs: 2_510 }),
    purser({ scenario: 'restock', round: 2 }),
    purser({ scenario: 'crash', lostOrders: 0 }),
  ]);
  const page = reportPage(late);
  const words = (text: string) => text.match(/not within \d+ s/g) ?? [];
  const happenings = page.slice(page.indexOf('id="events"'), page.indexOf('id="windows"'));
  assert.deepEqual(words(happenings), ['not within 30 s', 'not within 30 s', 'not within 60 s']);
  const chart = happenings.slice(0, happenings.indexOf('<table'));
  assert.ok(chart.indexOf('>sqlite<') < chart.indexOf('>purser<'), 'it is the last');
});

test('where nobody watched what others did, the page says so and draws nothing', () => {
  const [window] = quick.windows;
  const unwatched = (window?.series ?? []).map(({ disturbance: _, ...point }) => point);
  const pageOf = (series: NonNullable<ResultWindow['series']>) =>
    reportPage(madeUpResults([purser({ series })])).split('id="windows"')[1] ?? '';
  assert.match(pageOf(unwatched), /round 1, others not watched/);
  assert.doesNotMatch(pageOf(window?.series ?? []), /others not watched/);
  assert.doesNotMatch(pageOf(unwatched), /fill-opacity="0\.35"/);
  assert.match(pageOf(window?.series ?? []), /fill-opacity="0\.35"/);
});

test('every text from outside is escaped', () => {
  const evil = `<script>alert("x")</script>'&`;
  const { systems, conditions, ...rest } = quick;
  const windows = [
    purser({ scenario: evil }),
    purser({ scenario: evil, connections: 256 }),
    purser({ scenario: evil, connections: 1024, series: quick.windows[0]?.series ?? [] }),
  ];
  const page = reportPage({
    ...rest,
    conditions: { ...conditions, processor: evil, kernel: evil, libraries: { [evil]: evil } },
    systems: systems.map((system) => ({
      ...system,
      version: evil,
      configuration: { [evil]: evil },
      audit: { ...system.audit, passed: false, found: [evil] },
    })),
    missing: [{ name: 'mariadb', reason: evil }],
    windows,
    rows: rowsOf(windows),
  });
  assert.equal(page.search(/<script|alert\("/), -1);
  assert.ok(page.includes('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&amp;'));
});

test('a system that failed its check is the first thing that is said, with what was found', () => {
  const verdict = fullPage.slice(0, fullPage.indexOf('id="conditions"'));
  assert.match(verdict, /FAILED/);
  assert.match(verdict, /order 48213 was acknowledged and is gone/);
});

test('a full run gives three pictures, each with styles of its own', () => {
  const pictures = picturesOf(full);
  assert.deepEqual(
    pictures.map(({ name }) => name),
    ['hot-product.svg', 'half-load.svg', 'flash-sale.svg'],
  );
  for (const { name, svg } of pictures) {
    assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*><style>/, name);
    assert.match(svg, /prefers-color-scheme: dark/, name);
    assert.match(svg, /not durable/, name);
  }
});

const labelCases: {
  readonly name: string;
  readonly wanted: readonly number[];
  readonly placed: readonly number[];
}[] = [
  { name: 'stay where there is room', wanted: [10, 30, 90], placed: [10, 30, 90] },
  { name: 'move apart evenly', wanted: [50, 50], placed: [45, 55] },
  { name: 'keep the order of their lines', wanted: [52, 50, 20], placed: [56, 46, 20] },
  { name: 'stay inside at the top', wanted: [0, 0, 1], placed: [5, 15, 25] },
  { name: 'stay inside at the bottom', wanted: [99, 99], placed: [85, 95] },
  { name: 'are none where there is none', wanted: [], placed: [] },
];

for (const { name, wanted, placed } of labelCases) {
  test(`labels at the ends of lines ${name}`, () => {
    const labels = wanted.map((middle) => ({ wanted: middle, height: 10 }));
    assert.deepEqual(placeLabels(labels, 0, 100), placed);
  });
}

test('a report is written whole, over the one before, and leaves nothing beside it', async () => {
  const folder = await createTemporaryFolder('bench-report');
  try {
    const target = join(folder.path, 'new', 'report');
    await writeReport(target, madeUpResults([]));
    const paths = await writeReport(target, quick);
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
    assert.deepEqual(JSON.parse(await readFile(join(target, 'report.json'), 'utf8')), quick);
  } finally {
    await folder.remove();
  }
});

test('a folder that cannot be one is said in a sentence', async () => {
  const folder = await createTemporaryFolder('bench-report');
  try {
    const taken = join(folder.path, 'taken');
    await writeFile(taken, '');
    await assert.rejects(makeReportFolder(taken), /can't be written to .*taken \(EEXIST\): name a folder/);
  } finally {
    await folder.remove();
  }
});

test('a report that cannot be written leaves no half file', async () => {
  const folder = await createTemporaryFolder('bench-report');
  try {
    await mkdir(join(folder.path, 'report.json'));
    await writeFile(join(folder.path, 'report.json', 'taken'), '');
    await assert.rejects(writeReport(folder.path, quick));
    assert.deepEqual((await readdir(folder.path)).sort(), ['report.html', 'report.json']);
  } finally {
    await folder.remove();
  }
});
