/** The contention benchmark as a whole, with the real load generator and floor, against a stand-in server. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ContentionReport, runContention } from '../../bench/contention.ts';
import type { ContentionOptions } from '../../bench/contention-options.ts';
import { LoadGenerator } from '../../bench/load/load-generator.ts';
import { type ScenarioName, scenarioNames } from '../../bench/scenarios.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { type Fault, fakeNodes } from './fake-purser.ts';

const shortRun: Omit<ContentionOptions, 'scenarios' | 'json'> = {
  connections: [40],
  rounds: 1,
  timing: { warmupMs: 50, measureMs: 150, contests: 1 },
  transport: 'uws',
  orders: 1_000,
  loadProcesses: 1,
  seed: 7,
};

async function run(scenarios: readonly ScenarioName[], faults: readonly Fault[], loadProcesses = 1) {
  const folder = await createTemporaryFolder('bench-test');
  const json = join(folder.path, 'report.json');
  const printed: string[] = [];
  try {
    const sound = await runContention(
      { ...shortRun, scenarios, json, loadProcesses },
      {
        startNode: fakeNodes(...faults),
        folder: folder.path,
        print: (text) => printed.push(text),
        progress: () => undefined,
      },
    );
    const report = JSON.parse(await readFile(json, 'utf8')) as ContentionReport;
    return { sound, report, printed: printed.join('\n') };
  } finally {
    await folder.remove();
  }
}

test('an honest server passes every scenario, and each has its figures', async () => {
  const { sound, report, printed } = await run(scenarioNames, []);
  assert.deepEqual(report.check, { violations: 0, found: [] });
  assert.equal(sound, true);
  for (const row of report.rows) {
    assert.ok((row.answersPerSecond?.median ?? 0) > 0, `${row.contender} has a rate`);
    assert.ok((row.p50Ms?.median ?? 0) > 0 && (row.p99Ms?.median ?? 0) >= (row.p50Ms?.median ?? 0));
    assert.ok((row.ofFloor?.median ?? 0) > 0, `${row.contender} is compared with the floor`);
  }
  const row = (name: string) => report.rows.find(({ contender }) => contender === name);
  assert.ok((row('floor')?.groupSize?.median ?? 0) >= 1, 'the floor commits groups');
  assert.equal(Math.round(row('uniform')?.groupSize?.median ?? 0), 4, "the server's counters are read");
  const contest = row('last-item');
  const winners = (contest?.purchasesPerSecond?.median ?? 0) / (contest?.answersPerSecond?.median ?? 1);
  // The window may cut a contest at either end; that exactly one in ten wins a whole one, the check has proved.
  assert.ok(Math.abs(winners - 0.1) < 0.03, `about a tenth of the buyers win, not ${winners}`);
  const sameKey = row('same-key');
  const orders = (sameKey?.purchasesPerSecond?.median ?? 0) / (sameKey?.answersPerSecond?.median ?? 1);
  assert.ok(Math.abs(orders - 1 / 20) < 0.015, `about twenty answers an order, not ${1 / orders}`);
  assert.equal(report.history?.oldOrders !== undefined && report.history.oldOrders > 1_000, true);
  assert.match(
    printed,
    /fsync on[\s\S]*excluded[\s\S]*hot-wallet[\s\S]*p99, flooded by even[\s\S]*check: every answer/,
  );
});

test('three load processes share the scenarios, also where there are only two squads to share', async () => {
  const { sound, report } = await run(['floor', 'uniform', 'last-item', 'same-key'], [], 3);
  assert.deepEqual(report.check, { violations: 0, found: [] });
  assert.equal(sound, true);
});

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
];

for (const { scenario, faults } of noticed) {
  const names = Object.keys(faults) as Fault[];
  test(`a server that ${names.join(', ')} does not pass`, async () => {
    const { sound, report, printed } = await run([scenario], names);
    const { found } = report.check;
    assert.equal(sound, false);
    assert.match(printed, /check: \d+ violations/);
    const patterns = Object.values(faults).flat();
    for (const pattern of patterns) assert.match(found.join('\n'), pattern);
    const unexplained = found.filter((line) => !patterns.some((pattern) => pattern.test(line)));
    assert.deepEqual(unexplained, []);
  });
}

test('a server that closes connections makes no figures', async () => {
  const generator = LoadGenerator.start(1);
  const node = await fakeNodes()('gone');
  const url = new URL(node.buyerUrl);
  const lane = { name: 'buyers', connections: 4, choice: 'random', copies: 1 } as const;
  const range = { first: 0, count: 1 };
  try {
    const running = generator.run(
      {
        host: url.hostname,
        port: Number(url.port),
        path: `${url.pathname}/orders`,
        keyPrefix: 'k-',
        seed: 1,
        apiKeys: ['nobody'],
        products: [{ productId: 1, priceUsdt: 1 }],
        lanes: [{ ...lane, accounts: range, products: range }],
        span: { kind: 'timed', warmupMs: 0, measureMs: 5_000 },
        maxAnswerBytes: 64 * 1024 * 1024,
      },
      { onMeasuring: async () => void node.stop(), onMeasured: async () => undefined },
    );
    await assert.rejects(running, /closed a connection|ECONNRESET|EPIPE/);
  } finally {
    await generator.stop();
  }
});
