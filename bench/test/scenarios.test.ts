/** The scenarios that are no plain windows, with the real load generator, against a stand-in and a real server. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startPurser } from '../../test/support/nodes/purser-process.ts';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { LoadGenerator } from '../load/load-generator.ts';
import { type CrashableSystem, measureCrash } from '../scenarios/crash.ts';
import { laneFigures, only, type ScenarioFigures } from '../scenarios/figures.ts';
import { measureFlashSale } from '../scenarios/flash-sale.ts';
import { measureRestock } from '../scenarios/restock.ts';
import { copiesOf, windowShape } from '../scenarios/scenarios.ts';
import { Stage } from '../shop/stage.ts';
import { Violations } from '../shop/violations.ts';
import { catalog } from '../shop/world.ts';
import type { RunningNode } from '../systems/running-node.ts';
import { type Fault, fakeNodes } from './fake-purser.ts';

const customers = 10;
const buyers = 130;
/** Every order that a stand-in may do wrong is among the first so many. */
const leastAnswers = 24;

const generator = LoadGenerator.start(2);
after(() => generator.stop());

/** While the machine stands still nobody answers, and a window has no figures: then all windows are longer. */
const stretches = [1, 8, 30];

const restock = { connections: 16, items: 50, warmupMs: 20, waitMs: 50 };

const measures = {
  basket: async (stage: Stage, _: Violations, stretch: number) => {
    const timing = { warmupMs: 20, measureMs: 150 * stretch, contests: 0 };
    const task = { scenario: 'basket', connections: 45, timing } as const;
    await stage.world.stockUp(catalog, 200 * stretch);
    const { window } = await stage.run('basket', windowShape(task, stage.world, catalog));
    return { ...laneFigures(only(window.lanes), copiesOf('basket')), connections: 40 };
  },
  flashSale: (stage: Stage, violations: Violations) =>
    measureFlashSale(stage, violations, { buyers, items: 100, spreadMs: 30 }),
  restock: (stage: Stage, violations: Violations) => measureRestock(stage, generator, violations, restock),
};
type Name = keyof typeof measures;
type StartNew = (name: string) => Promise<RunningNode>;
type Outcome = Awaited<ReturnType<typeof measureAll>>;

/** On a new server each time, until `isWhole`. */
async function measureOn(
  startNew: StartNew,
  names: readonly Name[],
  isWhole: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  for (const stretch of stretches) {
    const outcome = await measureAll(await startNew(`stretch-${stretch}`), names, stretch);
    if (isWhole(outcome) || stretch === stretches.at(-1)) return outcome;
  }
  return assert.fail('there are no stretches');
}

/** Measures one after the other on one server, and compares the books with what it says. */
async function measureAll(node: RunningNode, names: readonly Name[], stretch: number) {
  const violations = new Violations();
  const figures: Partial<Record<Name, ScenarioFigures>> = {};
  try {
    const stage = await Stage.open(node, generator, { seed: 5, violations, customers });
    for (const name of names) figures[name] = await measures[name](stage, violations, stretch);
    await stage.compare();
    return { figures, found: violations.lines() };
  } finally {
    await node.kill();
  }
}

/** Whether it found something wrong, or its windows have answers. */
function isTelling({ figures, found }: Outcome): boolean {
  const hasAnswers = (figures.basket?.answersPerSecond ?? 0) > 0;
  return found.length > 0 || (hasAnswers && figures.restock?.soldOutMs !== undefined);
}

type System = Partial<CrashableSystem> & Pick<CrashableSystem, 'start'>;

/**
 * Fakes that are killed before they have sold out, however fast the machine is: a request in vain is a violation, and
 * has no figure.
 */
const crashingFakes = (...faults: Fault[]) =>
  fakeNodes('is silent when little is left, until it is started again', ...faults);

async function crashOf(system: System, { folder = 'fake', mostPerSecond = 10_000 } = {}) {
  for (const stretch of stretches) {
    const violations = new Violations();
    const figures = await measureCrash({ durable: true, ...system }, generator, violations, {
      folder: `${folder}-${stretch}`,
      seed: 5,
      customers,
      mostPerSecond,
      connections: 8,
      warmupMs: 20,
      loadMs: 150 * stretch,
    });
    if (figures.answers >= leastAnswers || stretch === stretches.at(-1))
      return { figures, found: violations.lines() };
  }
  return assert.fail('there are no stretches');
}

function assertFlashSale(figures: ScenarioFigures | undefined): void {
  assert.ok(figures !== undefined);
  const { connections, winners, losers, answers, lastLoserMs = Number.NaN } = figures;
  assert.deepEqual([connections, winners, losers, answers], [buyers, 100, buyers - 100, buyers]);
  assert.ok(lastLoserMs > 0, `the last loser knew after ${lastLoserMs} ms`);
}

function assertRestock(figures: ScenarioFigures | undefined): void {
  assert.ok(figures !== undefined);
  const { firstWinnerMs = Number.NaN, soldOutMs = Number.NaN } = figures;
  assert.ok(firstWinnerMs > 0 && soldOutMs > firstWinnerMs, `sold from ${firstWinnerMs} to ${soldOutMs} ms`);
  assert.ok(figures.answersPerSecond > figures.purchasesPerSecond, 'many of the crowd ask in vain');
}

function assertBasket(figures: ScenarioFigures | undefined): void {
  assert.ok(figures !== undefined);
  const { connections, answersPerSecond, purchasesPerSecond } = figures;
  assert.equal(connections, 40, 'whole tens');
  const difference = Math.abs(answersPerSecond - 2 * purchasesPerSecond);
  assert.ok(difference <= 1e-6 * answersPerSecond, 'each purchase has two answers');
}

test('flash sale, restock and basket on an honest server: each has its figures, and the books are exact', async () => {
  const names = ['basket', 'flashSale', 'restock'] as const;
  const { figures, found } = await measureOn(fakeNodes(), names, isTelling);
  assert.deepEqual(found, []);
  assertBasket(figures.basket);
  assertFlashSale(figures.flashSale);
  assertRestock(figures.restock);
});

test('a server that sells one item too few, or forgets a key, does not pass', async () => {
  const patterns = [
    /^basket: one key, two answers/m,
    /^flash-sale: 99 winners for 100 items and 130 buyers/m,
    /^restock: 49 winners for 50 items, and no item is left/m,
  ];
  const { found } = await measureOn(
    fakeNodes('keeps the last item', 'ignores an idempotency key'),
    ['basket', 'flashSale', 'restock'],
    (outcome) => patterns.every((pattern) => pattern.test(outcome.found.join('\n'))),
  );
  for (const pattern of patterns) assert.match(found.join('\n'), pattern);
});

test('crash: what had no answer is asked again, and the books are exact', async () => {
  const { figures, found } = await crashOf({ start: crashingFakes('makes an order and does not answer') });
  assert.deepEqual(found, []);
  assert.equal(figures.lostOrders, 0);
  assert.ok((figures.firstPurchaseMs ?? 0) > 0 && figures.purchasesPerSecond > 0);
});

test('crash: a server that loses an order, or buys again when it is asked again, does not pass', async () => {
  const { figures, found } = await crashOf({
    start: crashingFakes(
      'forgets an order',
      'makes an order and does not answer',
      'ignores an idempotency key',
    ),
  });
  assert.equal(figures.lostOrders, 1);
  assert.match(found.join('\n'), /order 23 .* is now 404/);
  assert.match(found.join('\n'), /wallet \d+: credited minus acknowledged is/);
});

test('a real Purser passes all of them', async () => {
  const folder = await createTemporaryFolder('bench-scenarios');
  const start = (dataDir: string) => startPurser({ dataDir });
  try {
    const { figures, found } = await measureOn(
      (name) => start(join(folder.path, name)),
      ['basket', 'flashSale', 'restock'],
      isTelling,
    );
    const crash = await crashOf({ start }, { folder: join(folder.path, 'crashing'), mostPerSecond: 100_000 });
    assert.deepEqual([...found, ...crash.found], []);
    assertBasket(figures.basket);
    assertFlashSale(figures.flashSale);
    assertRestock(figures.restock);
    assert.equal(crash.figures.lostOrders, 0);
    const left = (await readdir(folder.path)).filter((name) => name.startsWith('crashing'));
    assert.deepEqual(left, [], 'a crash leaves no data');
    assert.ok((crash.figures.firstPurchaseMs ?? 0) > 0);
  } finally {
    await folder.remove();
  }
});
