/**
 * Every peer that this machine has, with its real database: under load it sells no item twice, charges what it says,
 * gives one answer a key, and keeps what it acknowledged through kill -9; and the audit sees when it is broken on purpose.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { runContention } from '../commands/contention.ts';
import { contentionOptions } from '../commands/contention-options.ts';
import type { ContentionReport } from '../measure/laboratory.ts';
import { peerSystems } from '../peers/peers.ts';
import type { ScenarioName } from '../scenarios/scenarios.ts';
import type { System } from '../systems/system.ts';

const SOUND: readonly ScenarioName[] = ['hot-product', 'last-item', 'same-key', 'crash'];

async function run(system: System, scenarios: readonly ScenarioName[], broken?: System['name']) {
  const folder = await createTemporaryFolder('peer');
  const report = join(folder.path, 'report');
  const options = {
    ...contentionOptions({
      systems: system.name,
      connections: '40',
      processes: '2',
      rounds: '1',
      repeats: '0',
    }),
    scenarios,
    peerScenarios: scenarios,
    broken,
    timing: { warmupMs: 100, measureMs: 500, contests: 1 },
    loadProcesses: 1,
    customers: 150,
    report,
  };
  const printed: string[] = [];
  try {
    const print = (text: string) => printed.push(text);
    const isSound = await runContention(options, {
      systems: [system],
      folder: folder.path,
      print,
      progress: () => undefined,
    });
    const written = JSON.parse(await readFile(join(report, 'report.json'), 'utf8')) as ContentionReport;
    return { isSound, windows: written.windows, printed: printed.join('\n') };
  } finally {
    await folder.remove();
  }
}

for (const system of peerSystems) {
  const skip = (await system.missing()) ?? false;

  test(`${system.name} passes`, { skip }, async () => {
    assert.match(await system.version(), /\d/);
    const { isSound, windows, printed } = await run(system, SOUND);
    assert.equal(isSound, true, printed);
    const measured = new Set(windows.map(({ scenario }) => scenario));
    assert.deepEqual([...measured].sort(), [...SOUND].sort());
    const { lostOrders } = windows.find(({ scenario }) => scenario === 'crash') ?? {};
    if (system.durable) assert.equal(lostOrders, 0);
  });

  test(`${system.name}, broken on purpose, does not`, { skip }, async () => {
    const { isSound, printed } = await run(system, ['hot-product'], system.name);
    assert.equal(isSound, false);
    assert.match(printed, /an item that was delivered before/);
  });
}
