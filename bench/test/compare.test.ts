/** `bench compare`: what it says of made-up reports, and with which exit code. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTemporaryFolder, type TemporaryFolder } from '../../test/support/temporary-folder.ts';
import { runCompare } from '../commands/compare.ts';
import type { ReportWindow } from '../compare/report-windows.ts';
import { boundOf } from '../compare/student.ts';
import { holm } from '../compare/verdicts.ts';

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
  const all = windows(perSecond, { system: 'floor', scenario: 'floor' });
  return all.map((window) => ({ ...window, purchasesPerSecond: 0 }));
}

function times(field: 'soldOutMs', ms: number, scenario: string) {
  const all = windows(9_000, { scenario });
  return all.map((window, index) => ({ ...window, [field]: ms * (scatter[index] ?? 1) }));
}

function disturbed(all: readonly ReportWindow[]): ReportWindow[] {
  return all.map((window) => ({ ...window, disturbed: true }));
}

const report = (...parts: (readonly object[])[]) => ({ windows: parts.flat(), rows: 'not read' });
const same = report(windows(50_000));
const soldOut = times('soldOutMs', 1_000, 'restock');

const cases: readonly [name: string, a: unknown, b: unknown, exit: 0 | 1 | 2, says: RegExp][] = [
  ['a report and itself', same, same, 0, /^0 slower – 0 faster – 1 no difference – 0 can't tell$/m],
  [
    'a tenth less is slower, and exit 1 says so',
    same,
    report(windows(45_000)),
    1,
    /^1 slower: purser hot-product 256 \(0\.90 of A\) – 0 faster/m,
  ],
  [
    'a host that lost a tenth takes it from the floor too, and nobody is slower',
    report(windows(50_000), floor(80_000)),
    report(windows(45_000), floor(72_000)),
    0,
    /no difference +by the floor[\s\S]*floor floor 256.*host: slower[\s\S]*^0 slower/m,
  ],
  [
    'disturbed windows and calm ones are not compared',
    same,
    report(disturbed(windows(40_000))),
    0,
    /can't tell +one side disturbed/,
  ],
  [
    'four windows are too few to tell',
    report(windows(50_000, {}, 4)),
    report(windows(25_000)),
    0,
    /can't tell +too few windows[\s\S]*5 undisturbed ones a side are the least[\s\S]*1 can't tell$/m,
  ],
  [
    'a row that has a time is compared by it: more of it is slower',
    report(soldOut),
    report(times('soldOutMs', 1_400, 'restock')),
    1,
    /restock 256 .*1,000 +1,400[\s\S]*1 slower/,
  ],
  [
    'who is never sold out is slower, not left out',
    report(soldOut),
    report(soldOut.map(({ soldOutMs: _, ...window }) => window)),
    1,
    /1,000 +not within 30 s[\s\S]*slower +not in time/,
  ],
  [
    'two builds that took turns are compared round by round, whatever the machine did',
    report(windows(50_000).map(moody)),
    report(windows(45_000).map(moody)),
    1,
    /slower +in turn/,
  ],
  ['nothing in common', same, report(windows(1, { connections: 64 })), 2, /have no row in common/],
  [
    'a window with a word for a number',
    { windows: [{ ...windows(1)[0], purchasesPerSecond: 'many' }] },
    same,
    2,
    /is no report of a run: windows\[0\]\.purchasesPerSecond must be number,null$/,
  ],
];

/** The machine halves its speed now and then, and each window has its time. */
function moody(window: ReportWindow, at: number): ReportWindow {
  const mood = at % 3 === 0 ? 0.5 : 1;
  return { ...window, fromMs: at * 5_000, purchasesPerSecond: window.purchasesPerSecond * mood };
}

for (const [name, a, b, exit, says] of cases) {
  test(name, async () => {
    const printed: string[] = [];
    const [fileA, fileB] = [join(folder.path, 'a.json'), join(folder.path, 'b.json')];
    await writeFile(fileA, JSON.stringify(a));
    await writeFile(fileB, JSON.stringify(b));
    const code = await runCompare(fileA, fileB, (text) => printed.push(text));
    assert.match(printed.join('\n'), says);
    assert.equal(code, exit, printed.join('\n'));
  });
}

test("Student's t and Holm's correction have the values of the printed tables", () => {
  for (const [freedom, probability, bound] of [
    [4, 0.05, 2.776],
    [18, 0.01, 2.878],
    [8, 0.001, 5.041],
    [120, 0.05, 1.98],
  ] as const) {
    assert.equal(boundOf(probability, freedom).toFixed(3), bound.toFixed(3));
  }
  const rounded = holm([0.01, 0.04, 0.03, 0.6]).map((p) => Number(p.toFixed(3)));
  assert.deepEqual(rounded, [0.04, 0.09, 0.09, 0.6]);
});
