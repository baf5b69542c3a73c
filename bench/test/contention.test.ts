/** The contention benchmark as a whole, with the real load generator and floor, against a stand-in server. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { runContention } from '../commands/contention.ts';
import type { ContentionOptions } from '../commands/contention-options.ts';
import type { ContentionReport } from '../measure/laboratory.ts';
import type { ResultWindow } from '../report/results.ts';
import type { ScenarioName } from '../scenarios/scenarios.ts';
import { purserSystem } from '../systems/purser.ts';
import { type Fault, fakeNodes } from './fake-purser.ts';

/** More than a contest has items; where there is no contest, few are enough. */
const [customers, fewCustomers] = [150, 20];
const itemsOfContest = 100;

const shortRun: Omit<ContentionOptions, 'scenarios' | 'peerScenarios' | 'report'> = {
  systems: ['purser', 'floor', 'ceiling'],
  broken: undefined,
  connections: [40],
  rates: [50],
  rounds: 1,
  repeats: 0,
  processes: 1,
  buyers: 130,
  timing: { warmupMs: 50, measureMs: 150, contests: 1 },
  transport: 'uws',
  orders: 1_000,
  loadProcesses: 1,
  seed: 7,
  customers,
  sampledOrders: 20_000,
};

/** In a window in which the machine stands still nobody answers, and it has no figures: the next is longer. */
const honestWindowsMs = [250, 700, 2_000, 15_000];
/**
 * The most requests that are cut off: of 40 connections all but one may wait for answers of the warm-up while the
 * contest behind it is won already.
 */
const mostCutOff = 39;
/** The winners of a contest, and its buyers; the window may cut one off at each end. */
const [winnersOfContest, buyersOfContest] = [itemsOfContest - 1, customers + 1];

async function run(
  scenarios: readonly ScenarioName[],
  faults: readonly Fault[],
  given: Partial<ContentionOptions> = {},
) {
  const folder = await createTemporaryFolder('bench-test');
  const report = join(folder.path, 'report');
  const printed: string[] = [];
  try {
    const sound = await runContention(
      { ...shortRun, ...given, scenarios, peerScenarios: scenarios, report },
      {
        systems: [purserSystem('node', fakeNodes(...faults))],
        folder: folder.path,
        print: (text) => printed.push(text),
        progress: () => undefined,
      },
    );
    const json = await readFile(join(report, 'report.json'), 'utf8');
    return { sound, report: JSON.parse(json) as ContentionReport, printed: printed.join('\n') };
  } finally {
    await folder.remove();
  }
}

function foundIn(report: ContentionReport): string[] {
  return report.systems.flatMap(({ audit }) => audit.found);
}

/** Others have tests of their own: scenarios.test.ts. */
const whole: readonly ScenarioName[] = [
  'uniform',
  'hot-product',
  'hot-wallet',
  'last-item',
  'same-key',
  'flash-sale',
  'flood',
  'history',
];

async function runHonestly() {
  for (const measureMs of honestWindowsMs) {
    const outcome = await run(whole, [], {
      timing: { ...shortRun.timing, measureMs },
      // There are more orders than that; where an order is at fault, all are fetched.
      sampledOrders: 1_000,
    });
    assert.deepEqual(foundIn(outcome.report), []);
    assert.equal(outcome.sound, true);
    if (measureMs === honestWindowsMs.at(-1) || !outcome.report.windows.some(isEmpty)) return outcome;
  }
  return assert.fail('there are no windows');
}

/** Nobody has answered, or all that was answered was so before the counters of groups were read. */
function isEmpty({ system, scenario, answersPerSecond, groupSize }: ResultWindow): boolean {
  const isCounted = system !== 'ceiling' && scenario === 'uniform';
  return !(answersPerSecond > 0) || (isCounted && !((groupSize ?? 0) > 0));
}

test('an honest server passes every scenario, and each has its figures', async () => {
  const { report, printed } = await runHonestly();
  for (const row of report.rows) {
    assert.ok(row.answersPerSecond.median > 0, `${row.scenario} has a rate`);
    assert.ok(row.p50Ms.median > 0 && row.p99Ms.median >= row.p50Ms.median);
  }
  const row = (name: string, system = 'purser') =>
    report.rows.find((one) => one.scenario === name && one.system === system);
  assert.ok((row('uniform', 'floor')?.groupSize?.median ?? 0) >= 1, 'the floor commits groups');
  assert.equal(Math.round(row('uniform')?.groupSize?.median ?? 0), 4, "the server's counters are read");
  const contest = row('last-item');
  const winners = (contest?.purchasesPerSecond?.median ?? 0) / (contest?.answersPerSecond?.median ?? 1);
  // Some may have won before measuring began; that so many win a whole contest, the check has proved.
  assert.ok(
    winners > (winnersOfContest - mostCutOff) / buyersOfContest && winners <= itemsOfContest / customers,
    `${itemsOfContest} of ${customers} buyers win, not ${winners}`,
  );
  const sameKey = row('same-key');
  const orders = (sameKey?.purchasesPerSecond?.median ?? 0) / (sameKey?.answersPerSecond?.median ?? 1);
  assert.ok(Math.abs(orders - 1 / 20) < 1e-6, `twenty answers an order, not ${1 / orders}`);
  const ages = report.history?.ages ?? [];
  assert.deepEqual(
    ages.map(({ orders, codes, stopped, killed, oldest, firstPages }) => ({
      hasOrders: orders > shortRun.orders,
      hasItemsLeft: codes >= 2 * shortRun.orders,
      isTimed: [stopped.ms, killed.ms, oldest.orderMs, oldest.keyMs].every((ms) => ms !== undefined),
      hasPages: firstPages.length > 0,
    })),
    [{ hasOrders: true, hasItemsLeft: true, isTimed: true, hasPages: true }],
  );
  assert.match(
    printed,
    /fsync on[\s\S]*excluded[\s\S]*hot-wallet[\s\S]*p99, flooded by even[\s\S]*check of purser: every one of/,
  );
});

/** An order of the audit, and not of who bought first. */
const sampled24 = /order 24 .* is now 200 .*"createdAt":0/;

/** Several faults in one run, each of a single order among thousands: every one is named, and nothing else. */
const noticed: {
  readonly scenario: ScenarioName;
  readonly faults: Partial<Record<Fault, readonly RegExp[]>>;
}[] = [
  {
    scenario: 'hot-product',
    faults: {
      'sells an item twice': [/an item that was delivered before/],
      'sells what it never had': [/an item that was never in stock/],
      'charges twice': [/wallet \d+: credited minus acknowledged is/],
      'forgets an order': [/order 23 .* is now 404/],
      'changes an order': [/order 24 .* is now 200 .*"createdAt":0/],
    },
  },
  { scenario: 'last-item', faults: { 'keeps the last item': [/99 winners for 100 items/] } },
  {
    scenario: 'same-key',
    faults: { 'ignores an idempotency key': [/one key, two answers/, /wallet \d+: credited/] },
  },
  {
    scenario: 'history',
    faults: {
      'changes an order': [/the oldest order: .*"orderId":24.* is now .*"createdAt":0/, sampled24],
      'ignores an idempotency key': [/the oldest key: .* is now/],
    },
  },
];

/** So short that no machine has time for more than one contest, and one to warm up: a list of violations ends after 20. */
const oneContest = { timing: { ...shortRun.timing, measureMs: 5 }, customers };
/** Where an order is at fault, all are fetched. */
const allOrders = 1_000_000;

for (const { scenario, faults } of noticed) {
  const names = Object.keys(faults) as Fault[];
  test(`a server that ${names.join(', ')} does not pass`, async () => {
    const { sound, report, printed } = await run([scenario], names, {
      systems: ['purser'],
      sampledOrders: allOrders,
      ...(scenario === 'last-item' ? oneContest : { customers: fewCustomers }),
    });
    const found = foundIn(report);
    assert.equal(sound, false);
    assert.match(printed, /check of purser: \d+ violations/);
    const patterns = Object.values(faults).flat();
    for (const pattern of patterns) assert.match(found.join('\n'), pattern);
    const unexplained = found.filter((line) => !patterns.some((pattern) => pattern.test(line)));
    assert.deepEqual(unexplained, []);
  });
}
