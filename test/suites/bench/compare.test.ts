/**
 * `bench compare`: what it says of made-up reports and with which exit code; and, on simulated runs of which the truth
 * is known, how often it raises a false alarm and how often it finds a build that is 5 % slower.
 *
 * The short form simulates 60 pairs of reports of a case each, the long one (PURSER_TEST_LONG) 1,000 of all, and prints
 * the table that `docs/benchmark-method.md` has.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { centreOf, uncertaintyOf } from '../../../bench/compare/centre.ts';
import type { ReportWindow } from '../../../bench/compare/report-windows.ts';
import { rowsOf } from '../../../bench/compare/rows.ts';
import { boundOf, tailOf } from '../../../bench/compare/student.ts';
import { holm, judge } from '../../../bench/compare/verdicts.ts';
import { runCompare } from '../../../bench/compare.ts';
import { textTable } from '../../../bench/text-table.ts';
import { isLongRun, Random } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { type SimulatedPair, simulatedPair } from './simulated-runs.ts';

let folder: TemporaryFolder;
before(async () => {
  folder = await createTemporaryFolder('bench-compare');
});
after(() => folder.remove());

/** A per cent up and down, the same in each row, so that no case depends on luck. */
const scatter = [1.01, 0.99, 1, 1.005, 0.995, 1.01, 0.99, 1, 1.005, 0.995];

function windows(perSecond: number, about: Partial<ReportWindow> = {}, count = 8): ReportWindow[] {
  return Array.from({ length: count }, (_, index) => ({
    system: 'purser',
    scenario: 'hot-product',
    connections: 256,
    round: index + 1,
    purchasesPerSecond: perSecond * (scatter[index] ?? 1),
    answersPerSecond: perSecond * (scatter[index] ?? 1),
    p50Ms: 4,
    p99Ms: 10,
    p999Ms: 20,
    disturbed: false,
    ...about,
  }));
}

function floor(perSecond: number): ReportWindow[] {
  return windows(perSecond, { system: 'floor', scenario: 'floor' }).map((window) => ({
    ...window,
    purchasesPerSecond: 0,
  }));
}

function times(
  field: 'p99Ms' | 'lastLoserMs' | 'soldOutMs' | 'firstPurchaseMs',
  ms: number,
  scenario: string,
) {
  return windows(9_000, { scenario }).map((window, index) => ({
    ...window,
    [field]: ms * (scatter[index] ?? 1),
  }));
}

function restock(ms: number) {
  return times('soldOutMs', ms, 'restock');
}

function disturbed(all: readonly ReportWindow[], share = 1): ReportWindow[] {
  return all.map((window, index) => ({ ...window, disturbed: index < all.length * share }));
}

interface Case {
  readonly name: string;
  readonly a: unknown;
  readonly b: unknown;
  readonly exit: 0 | 1 | 2;
  readonly says: RegExp;
}

const report = (...parts: (readonly ReportWindow[])[]) => ({ windows: parts.flat(), rows: 'not read' });
const spoiled = (wrong: object) => ({ windows: [{ ...windows(1)[0], ...wrong }] });
const tenRows = (of: (row: number) => number) =>
  report(...Array.from({ length: 10 }, (_, row) => windows(of(row), { connections: row })));

const cases: readonly Case[] = [
  {
    name: 'a report and itself do not differ',
    a: report(windows(50_000), floor(80_000)),
    b: report(windows(50_000), floor(80_000)),
    exit: 0,
    says: /^0 slower – 0 faster – 1 no difference – 0 can't tell$/m,
  },
  {
    name: 'a tenth less is slower, and exit 1 says so',
    a: report(windows(50_000)),
    b: report(windows(45_000)),
    exit: 1,
    says: /^1 slower: purser hot-product 256 \(0\.90 of A\) – 0 faster/m,
  },
  {
    name: 'a tenth more is faster, which is no reason to fail',
    a: report(windows(50_000)),
    b: report(windows(55_000)),
    exit: 0,
    says: /^0 slower – 1 faster: purser hot-product 256 \(1\.10 of A\)/m,
  },
  {
    name: 'one slower row among ten is found, with few windows too',
    a: tenRows(() => 50_000),
    b: tenRows((row) => (row === 3 ? 44_000 : 50_000)),
    exit: 1,
    says: /1 slower: purser hot-product 3 \(0\.88 of A\)/,
  },
  {
    name: 'faster rows do not make up for a slower one',
    a: tenRows(() => 50_000),
    b: tenRows((row) => (row === 3 ? 44_000 : 56_000)),
    exit: 1,
    says: /1 slower: purser hot-product 3 \(0\.88 of A\) – 10 faster/,
  },
  {
    name: 'a host that lost a tenth takes it from the floor too, and nobody is slower',
    a: report(windows(50_000), floor(80_000)),
    b: report(windows(45_000), floor(72_000)),
    exit: 0,
    says: /no difference +by the floor[\s\S]*floor floor 256.*host: slower[\s\S]*^0 slower/m,
  },
  {
    name: 'a build that is slower on a host that gained is slower',
    a: report(windows(50_000), floor(80_000)),
    b: report(windows(50_000), floor(92_000)),
    exit: 1,
    says: /1 slower: purser hot-product 256 \(0\.87 of A\)/,
  },
  {
    name: 'a slower floor alone is the host, and nobody is blamed',
    a: report(floor(80_000)),
    b: report(floor(60_000)),
    exit: 0,
    says: /host: slower[\s\S]*^0 slower – 0 faster – 0 no difference – 0 can't tell$/m,
  },
  {
    name: 'disturbed windows are left out',
    a: report(windows(50_000), disturbed(windows(20_000))),
    b: report(windows(50_000)),
    exit: 0,
    says: /50,000 +50,000[\s\S]*1 no difference/,
  },
  {
    name: 'a row with nothing but disturbed windows is made of them, and marked',
    a: report(disturbed(windows(50_000))),
    b: report(disturbed(windows(40_000))),
    exit: 1,
    says: /slower +disturbed$[\s\S]*^disturbed: all of its windows were/m,
  },
  {
    name: 'disturbed windows and calm ones are not compared',
    a: report(windows(50_000)),
    b: report(disturbed(windows(40_000))),
    exit: 0,
    says: /can't tell +one side disturbed/,
  },
  {
    name: 'four windows are too few to tell',
    a: report(windows(50_000, {}, 4)),
    b: report(windows(25_000)),
    exit: 0,
    says: /can't tell +too few windows[\s\S]*5 undisturbed ones a side are the least[\s\S]*1 can't tell$/m,
  },
  {
    name: 'five of which one was disturbed are too few, too',
    a: report(disturbed(windows(50_000, {}, 5), 0.2)),
    b: report(windows(25_000)),
    exit: 0,
    says: /1 can't tell$/m,
  },
  {
    name: 'windows without a round of their own count each for itself',
    a: report(windows(50_000, { round: 1 }), floor(80_000)),
    b: report(windows(40_000, { round: 1 }), floor(80_000)),
    exit: 1,
    says: /1 slower/,
  },
  {
    name: 'a server that sells nothing any more is slower',
    a: report(windows(50_000)),
    b: report(windows(0)),
    exit: 1,
    says: /1 slower/,
  },
  ...(
    [
      ['half-load', 'p99Ms', 'p99 ms'],
      ['open-loop', 'p99Ms', 'p99 ms'],
      ['flash-sale', 'lastLoserMs', 'last loser ms'],
      ['restock', 'soldOutMs', 'sold out ms'],
      ['crash', 'firstPurchaseMs', 'first purchase ms'],
    ] as const
  ).map(([scenario, field, figure]) => ({
    name: `${scenario} is compared by its time: more of it is slower`,
    a: report(times(field, 10, scenario)),
    b: report(times(field, 14, scenario)),
    exit: 1 as const,
    says: new RegExp(`${scenario} 256 +${figure} +10\\.00 +14\\.00[\\s\\S]*1 slower`),
  })),
  {
    name: 'half of each maximum is one row, though the rate differs; given rates are rows of their own',
    a: report(
      windows(1, { scenario: 'half-load', perSecond: 20_000 }),
      windows(1, { scenario: 'open-loop', perSecond: 6_000 }),
    ),
    b: report(
      windows(1, { scenario: 'half-load', perSecond: 24_000 }),
      windows(1, { scenario: 'open-loop', perSecond: 9_000 }),
    ),
    exit: 0,
    says: /half-load 256 [\s\S]*in one file only, not compared: purser open-loop 256, 6000\/s; purser open-loop 256, 9000\/s/,
  },
  {
    name: 'who is never sold out is slower, not left out',
    a: report(restock(1_000)),
    b: report(restock(1_000).map(({ soldOutMs: _, ...window }) => window)),
    exit: 1,
    says: /1,000 +not within 30 s[\s\S]*slower +not in time/,
  },
  {
    name: 'a window that waited in vain makes a row no better than it was',
    a: report(times('firstPurchaseMs', 400, 'crash')),
    b: report(
      times('firstPurchaseMs', 200, 'crash').map((window, at) =>
        at === 0 ? { ...window, firstPurchaseMs: null } : window,
      ) as unknown as ReportWindow[],
    ),
    exit: 0,
    says: /400\.00 +not within 60 s[\s\S]*no difference +not in time/,
  },
  {
    name: 'two builds that took turns are compared round by round, whatever the machine did',
    a: report(windows(50_000).map((window, at) => moody(window, at))),
    b: report(windows(45_000).map((window, at) => moody(window, at))),
    exit: 1,
    says: /slower +in turn/,
  },
  {
    name: 'fields that nobody knows are passed over',
    a: { ...report(windows(50_000).map((window) => ({ ...window, mood: 'fine' }))), more: [] },
    b: report(windows(50_000, { system: 'purser' })),
    exit: 0,
    says: /1 no difference/,
  },
  {
    name: 'nothing in common',
    a: report(windows(1)),
    b: report(windows(1, { connections: 64 })),
    exit: 2,
    says: /have no row in common/,
  },
  { name: 'no windows at all', a: report(), b: report(), exit: 2, says: /have no row in common/ },
  {
    name: 'no JSON',
    a: 'text',
    b: report(windows(1)),
    exit: 2,
    says: /a\.json can't be read: it is not JSON$/,
  },
  {
    name: 'no report',
    a: [1],
    b: report(windows(1)),
    exit: 2,
    says: /is no report of a run: it must be object$/,
  },
  {
    name: 'no `windows`',
    a: { rows: [] },
    b: report(windows(1)),
    exit: 2,
    says: /required property 'windows'$/,
  },
  {
    name: 'a window with a word for a number',
    a: spoiled({ purchasesPerSecond: 'many' }),
    b: report(windows(1)),
    exit: 2,
    says: /is no report of a run: windows\[0\]\.purchasesPerSecond must be number,null$/,
  },
  {
    name: 'a window without a field',
    a: report(windows(1)),
    b: spoiled({ p99Ms: undefined }),
    exit: 2,
    says: /b\.json is no report of a run: windows\[0\] must have required property 'p99Ms'$/,
  },
];

/** The machine halves its speed now and then, and each window has its time. */
function moody(window: ReportWindow, at: number): ReportWindow {
  const mood = at % 3 === 0 ? 0.5 : 1;
  return { ...window, fromMs: at * 5_000, purchasesPerSecond: window.purchasesPerSecond * mood };
}

for (const { name, a, b, exit, says } of cases) {
  test(name, async () => {
    const printed: string[] = [];
    const [fileA, fileB] = await Promise.all([written('a.json', a), written('b.json', b)]);
    const code = await runCompare(fileA, fileB, (text) => printed.push(text));
    assert.match(printed.join('\n'), says);
    assert.equal(code, exit, printed.join('\n'));
  });
}

test('a file that is not there is named', async () => {
  const printed: string[] = [];
  const missing = join(folder.path, 'missing.json');
  const there = await written('there.json', report(windows(1)));
  assert.equal(await runCompare(there, missing, (text) => printed.push(text)), 2);
  assert.match(printed.join('\n'), /missing\.json can't be read: ENOENT/);
});

async function written(name: string, content: unknown): Promise<string> {
  const file = join(folder.path, name);
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test("Student's t has the values of the printed tables", () => {
  const table = [
    [4, 0.05, 2.776],
    [8, 0.05, 2.306],
    [18, 0.01, 2.878],
    [8, 0.001, 5.041],
    [120, 0.05, 1.98],
  ] as const;
  for (const [freedom, probability, bound] of table) {
    assert.equal(boundOf(probability, freedom).toFixed(3), bound.toFixed(3));
    assert.ok(Math.abs(tailOf(bound, freedom) - probability) < 0.0005);
  }
  assert.equal(tailOf(0, 8), 1);
});

test("Holm's correction keeps the order and stays at most 1", () => {
  const rounded = holm([0.01, 0.04, 0.03, 0.6]).map((p) => Number(p.toFixed(3)));
  assert.deepEqual(rounded, [0.04, 0.09, 0.09, 0.6]);
  assert.deepEqual(holm([0.6, 0.7]), [1, 1]);
});

test('under ten windows the error is that of a mean; from ten on a tenth at each end is left out', () => {
  const of = (values: readonly number[]) =>
    centreOf(values.map((value, at) => ({ at: String(at), value: Math.exp(value) })));
  const five = of([1, 2, 3, 4, 5]);
  assert.ok(Math.abs(five.log - 3) < 1e-9);
  assert.ok(Math.abs(uncertaintyOf(five).variance - 2.5 / 5) < 1e-9);
  const ten = of([1, 1, 1, 1, 2, 2, 3, 3, 3, -90]);
  assert.ok(Math.abs(ten.log - 14 / 8) < 1e-9, 'neither -90 nor one of the threes counts');
  assert.ok(Math.abs(uncertaintyOf(ten).variance - 0.1319) < 1e-3, 'by hand: Σ(w - 1.8)² 7.6 · 10/9 / 8²');
});

/** Of `pairs` pairs of reports: how many had a row that differs, how many a slower one. */
function simulate(
  simulated: SimulatedPair,
  pairs: number,
  random: Random,
): { different: number; slower: number } {
  let [different, slower] = [0, 0];
  for (let pair = 0; pair < pairs; pair += 1) {
    const [a, b] = simulatedPair(simulated, random);
    const verdicts = judge(rowsOf(a, b).rows)
      .filter(({ isReference }) => !isReference)
      .map(({ verdict }) => verdict);
    if (verdicts.includes('slower')) slower += 1;
    if (verdicts.includes('slower') || verdicts.includes('faster')) different += 1;
  }
  return { different: different / pairs, slower: slower / pairs };
}

const oneStart = Number.POSITIVE_INFINITY;
const ways = [
  { way: 'two runs, one start each', isInTurn: false, windowsPerStart: oneStart, leastPower: 0.25 },
  { way: 'two runs, a start a round', isInTurn: false, windowsPerStart: 1, leastPower: 0.4 },
  { way: 'in turn, one start', isInTurn: true, windowsPerStart: oneStart, leastPower: 0.65 },
  { way: 'in turn, a start for five rounds', isInTurn: true, windowsPerStart: 5, leastPower: 0.9 },
];
const shapes = [
  { shape: '1 row', rows: 1, changedRows: 1 },
  { shape: '6 rows', rows: 6, changedRows: 6 },
  { shape: '6 rows, 1 slower', rows: 6, changedRows: 1 },
];

for (const { way, leastPower, ...made } of ways) {
  test(`simulated, ${way}: a build and itself seldom differ, one that is 5 % slower is found`, (context) => {
    const pairs = isLongRun() ? 1_000 : 60;
    const lines: string[][] = [];
    for (const { shape, ...rows } of isLongRun() ? shapes : shapes.slice(1, 2)) {
      for (const windowsOfRow of isLongRun() ? [5, 10, 20, 30] : [20]) {
        const random = new Random(windowsOfRow);
        const pair = { ...made, ...rows, windows: windowsOfRow };
        const same = simulate({ ...pair, effect: 1 }, pairs, random);
        const less = simulate({ ...pair, effect: 0.95 }, pairs, random);
        lines.push([
          `${way}; ${shape}`,
          String(windowsOfRow),
          ...[same.different, same.slower, less.slower].map((share) => `${(share * 100).toFixed(1)} %`),
        ]);
        assert.ok(same.different <= 0.1, lines.at(-1)?.join(', '));
        if (windowsOfRow >= 20 && rows.changedRows > 1) {
          assert.ok(less.slower >= leastPower, lines.at(-1)?.join(', '));
        }
      }
    }
    context.diagnostic(
      `\n${textTable(['simulated', 'windows', 'called different', 'called slower', '5 % slower found'], lines)}`,
    );
  });
}
