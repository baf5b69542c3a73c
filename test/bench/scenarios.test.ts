/** The scenarios that are no plain windows, with the real load generator, against a stand-in and a real server. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LoadGenerator } from '../../bench/load/load-generator.ts';
import type { RunningNode, StartNode } from '../../bench/running-node.ts';
import { measureBasket } from '../../bench/scenarios/basket.ts';
import { measureCrash } from '../../bench/scenarios/crash.ts';
import type { ScenarioFigures } from '../../bench/scenarios/figures.ts';
import { measureFlashSale } from '../../bench/scenarios/flash-sale.ts';
import { measureRestock } from '../../bench/scenarios/restock.ts';
import { Stage } from '../../bench/stage.ts';
import { Violations } from '../../bench/violations.ts';
import { startPurser } from '../support/purser-process.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { type Fault, fakeNodes } from './fake-purser.ts';

const customers = 20;
const mostPerSecond = 30_000;
const buyers = 240;

const generator = LoadGenerator.start(2);
after(() => generator.stop());

interface Outcome {
  readonly figures: ScenarioFigures;
  readonly found: readonly string[];
}

type Measure = (stage: Stage, violations: Violations) => Promise<ScenarioFigures>;

const flashSale: Measure = (stage, violations) =>
  measureFlashSale(stage, violations, { buyers, items: 100, spreadMs: 30 });

const restock: Measure = (stage, violations) =>
  measureRestock(stage, generator, violations, {
    connections: 16,
    perSecond: 2_000,
    items: 50,
    warmupMs: 20,
    waitMs: 50,
    sellMs: 300,
  });

const basket: Measure = (stage) =>
  measureBasket(stage, { connections: 45, warmupMs: 20, measureMs: 150, mostPerSecond });

/** Measures on a server that is up, and compares the books with it. */
async function onStage(node: RunningNode, measure: Measure): Promise<Outcome> {
  const violations = new Violations();
  const stage = await Stage.open(node, generator, { seed: 5, violations, customers });
  const figures = await measure(stage, violations);
  await stage.compare();
  return { figures, found: violations.lines() };
}

async function onFake(measure: Measure, ...faults: Fault[]): Promise<Outcome> {
  const node = await fakeNodes(...faults)('fake');
  try {
    return await onStage(node, measure);
  } finally {
    await node.stop();
  }
}

async function crashOf(
  start: StartNode,
  {
    durable = true,
    folder = 'fake',
    afterPowerCut,
  }: {
    readonly durable?: boolean;
    readonly folder?: string;
    readonly afterPowerCut?: (folder: string) => Promise<void>;
  } = {},
): Promise<Outcome> {
  const violations = new Violations();
  const figures = await measureCrash(
    { name: 'crashing', durable, start, ...(afterPowerCut === undefined ? {} : { afterPowerCut }) },
    generator,
    violations,
    { folder, seed: 5, customers, mostPerSecond, connections: 8, warmupMs: 20, loadMs: 150 },
  );
  return { figures, found: violations.lines() };
}

function answersIn({ series }: ScenarioFigures): number {
  return series.reduce((sum, { answers }) => sum + answers, 0);
}

test('flash sale: all items are won, and the last loser knows after the last request was sent', async () => {
  const { figures, found } = await onFake(flashSale);
  assert.deepEqual(found, []);
  assert.deepEqual(
    [figures.connections, figures.winners, figures.losers, answersIn(figures)],
    [buyers, 100, buyers - 100, buyers],
  );
  const { lastLoserMs = 0, fromMs, toMs, p50Ms, p99Ms } = figures;
  assert.ok(
    lastLoserMs >= 25 && lastLoserMs <= toMs - fromMs + 1,
    `the last loser knew after ${lastLoserMs} ms`,
  );
  assert.ok(p50Ms > 0 && p99Ms >= p50Ms);
});

test('flash sale: the same crowd comes to the next one', async () => {
  const winners: (number | undefined)[] = [];
  const { found } = await onFake(async (stage, violations) => {
    winners.push((await flashSale(stage, violations)).winners);
    const figures = await measureFlashSale(stage, violations, { buyers: 60, spreadMs: 0 });
    winners.push(figures.winners);
    assert.equal(stage.world.accounts.length, customers + 1 + buyers);
    assert.equal(figures.lastLoserMs, undefined, 'nobody lost');
    return figures;
  });
  assert.deepEqual(winners, [100, 60]);
  assert.deepEqual(found, []);
});

test('restock: the first is sold soon after the upload, and the last before the end', async () => {
  const { figures, found } = await onFake(restock);
  assert.deepEqual(found, []);
  const { firstWinnerMs = Number.NaN, soldOutMs = Number.NaN } = figures;
  assert.ok(firstWinnerMs > 0 && soldOutMs > firstWinnerMs, `${firstWinnerMs} to ${soldOutMs} ms`);
  assert.ok(figures.answersPerSecond > 5 * figures.purchasesPerSecond, 'most of the crowd asks in vain');
});

test('basket: each of the five orders has two answers', async () => {
  const { figures, found } = await onFake(basket);
  assert.deepEqual(found, []);
  assert.equal(figures.connections, 40, 'whole tens');
  assert.ok(figures.purchasesPerSecond > 0);
  assert.ok(Math.abs(figures.answersPerSecond / figures.purchasesPerSecond - 2) < 1e-6);
});

test('crash: what had no answer is asked again, and the books are exact', async () => {
  const { figures, found } = await crashOf(fakeNodes('makes an order and does not answer'));
  assert.deepEqual(found, []);
  assert.equal(figures.lostOrders, 0);
  assert.ok((figures.firstPurchaseMs ?? 0) > 0 && figures.purchasesPerSecond > 0);
});

test('crash: what a system that is not durable has lost is a figure, and the time of the hook is left out', async () => {
  const { figures, found } = await crashOf(fakeNodes('forgets an order'), {
    durable: false,
    afterPowerCut: () => new Promise((resolve) => setTimeout(resolve, 400)),
  });
  assert.deepEqual(found, []);
  assert.equal(figures.lostOrders, 1);
  assert.ok((figures.firstPurchaseMs ?? Number.NaN) < 400);
});

const noticed: readonly {
  readonly of: string;
  readonly faults: readonly Fault[];
  readonly measure: (...faults: Fault[]) => Promise<Outcome>;
  readonly found: RegExp;
}[] = [
  {
    of: 'flash sale',
    faults: ['keeps the last item'],
    measure: (...faults) => onFake(flashSale, ...faults),
    found: /99 winners for 100 items and 240 buyers/,
  },
  {
    of: 'restock',
    faults: ['keeps the last item'],
    measure: (...faults) => onFake(restock, ...faults),
    found: /49 winners for 50 items, and no item is left/,
  },
  {
    of: 'basket',
    faults: ['ignores an idempotency key'],
    measure: (...faults) => onFake(basket, ...faults),
    found: /one key, two answers/,
  },
  {
    of: 'crash',
    faults: ['forgets an order'],
    measure: (...faults) => crashOf(fakeNodes(...faults)),
    found: /order 23 .* is now 404/,
  },
  {
    of: 'crash',
    faults: ['makes an order and does not answer', 'ignores an idempotency key'],
    measure: (...faults) => crashOf(fakeNodes(...faults)),
    found: /wallet \d+: credited minus acknowledged is/,
  },
];

for (const { of, faults, measure, found } of noticed) {
  test(`${of}: a server that ${faults.join(' and ')} does not pass`, async () => {
    assert.match((await measure(...faults)).found.join('\n'), found);
  });
}

test('a real Purser passes all of them', async () => {
  const folder = await createTemporaryFolder('bench-scenarios');
  const start: StartNode = (dataDir) => startPurser({ dataDir });
  try {
    const node = await start(join(folder.path, 'lasting'));
    const measured: ScenarioFigures[] = [];
    try {
      const { found } = await onStage(node, async (stage, violations) => {
        for (const measure of [flashSale, restock, basket]) measured.push(await measure(stage, violations));
        return measured[0] as ScenarioFigures;
      });
      assert.deepEqual(found, []);
    } finally {
      await node.kill();
    }
    assert.equal(measured[0]?.winners, 100);
    const crash = await crashOf(start, { folder: join(folder.path, 'crashing') });
    assert.deepEqual(crash.found, []);
    assert.equal(crash.figures.lostOrders, 0);
    assert.ok((crash.figures.firstPurchaseMs ?? 0) > 0);
  } finally {
    await folder.remove();
  }
});
