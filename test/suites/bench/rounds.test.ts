/** In which order systems are measured, what is measured again, and at which rates open loops run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build } from 'hdr-histogram-js';
import type { Contender, WindowTask } from '../../../bench/contender.ts';
import { latencyHistogram } from '../../../bench/load/lane.ts';
import type { MeasuredWindow } from '../../../bench/measured-window.ts';
import { Rounds, type RoundsOptions } from '../../../bench/rounds.ts';
import type { SystemName } from '../../../bench/system.ts';

const options: RoundsOptions = {
  connections: [64],
  rounds: 1,
  timing: { warmupMs: 0, measureMs: 1_000, contests: 1 },
  rates: [],
  repeats: 2,
  progress: () => undefined,
};

interface Given {
  readonly answersPerSecond?: number;
  readonly disturbed?: boolean;
}

function windowOf({ answersPerSecond = 1_000, disturbed = false }: Given): MeasuredWindow {
  const latency = build(latencyHistogram);
  latency.recordValue(2_000);
  const lane = {
    name: 'buyers',
    answers: answersPerSecond,
    answersPerSecond,
    statuses: new Map([[201, answersPerSecond]]),
    latency,
    fromMs: 10_000,
    firstPurchaseMs: undefined,
    lastPurchaseMs: undefined,
    lastOtherMs: undefined,
    series: [],
  };
  return {
    lanes: [lane],
    measuredMs: 1_000,
    fromMs: 10_000,
    toMs: 11_000,
    groupSize: undefined,
    serverCpuShare: 0.5,
    otherCpuShare: disturbed ? 0.9 : 0,
    stolenShare: 0,
    disturbed,
    disturbances: [],
    clientCpuShare: 0.5,
    answers: [],
  };
}

/** Gives its windows in turn, the last one for ever, and remembers what it was asked for. */
function contender(name: SystemName, log: string[], ...windows: readonly Given[]): Contender {
  let next = 0;
  return {
    name,
    measure: async ({ scenario, connections, perSecond }: WindowTask) => {
      log.push(`${scenario} ${name} ${connections}${perSecond === undefined ? '' : ` at ${perSecond}`}`);
      const given = windows[Math.min(next, windows.length - 1)] ?? {};
      next += 1;
      return windowOf(given);
    },
  };
}

test('every system runs a scenario before the next begins, and another one is first in each round', async () => {
  const log: string[] = [];
  const contenders = [contender('purser', log), contender('sqlite', log), contender('mariadb', log)];
  const rounds = new Rounds({ ...options, rounds: 2 });
  await rounds.run([
    { scenario: 'uniform', contenders },
    { scenario: 'hot-wallet', contenders: contenders.slice(0, 2) },
  ]);
  assert.deepEqual(log, [
    'uniform sqlite 64',
    'uniform mariadb 64',
    'uniform purser 64',
    'hot-wallet sqlite 64',
    'hot-wallet purser 64',
    'uniform mariadb 64',
    'uniform purser 64',
    'uniform sqlite 64',
    'hot-wallet purser 64',
    'hot-wallet sqlite 64',
  ]);
});

test('a disturbed window is kept, and measured again until one is not disturbed, twice at most', async () => {
  const cases: readonly [given: readonly Given[], disturbed: readonly boolean[]][] = [
    [[{}], [false]],
    [
      [{ disturbed: true }, {}],
      [true, false],
    ],
    [[{ disturbed: true }], [true, true, true]],
  ];
  for (const [given, disturbed] of cases) {
    const rounds = new Rounds(options);
    await rounds.run([{ scenario: 'uniform', contenders: [contender('purser', [], ...given)] }]);
    assert.deepEqual(
      rounds.windows.map((window) => [window.disturbed, window.round]),
      disturbed.map((each) => [each, 1]),
    );
  }
});

test("half load is half of the system's own undisturbed maximum, and rates it hardly reaches are left out", async () => {
  const log: string[] = [];
  const fast = contender(
    'purser',
    log,
    { answersPerSecond: 8_000, disturbed: true },
    { answersPerSecond: 5_000 },
  );
  const slow = contender('sqlite', log, { answersPerSecond: 900 });
  const rounds = new Rounds({ ...options, connections: [64, 256], rates: [500, 1_000, 4_500, 5_000] });
  await rounds.run([
    { scenario: 'hot-product', contenders: [fast, slow] },
    { scenario: 'half-load', contenders: [fast, slow] },
    { scenario: 'open-loop', contenders: [fast, slow] },
  ]);
  const openLoops = log.filter((line) => !line.startsWith('hot-product'));
  assert.deepEqual(openLoops.toSorted(), [
    'half-load purser 256 at 2500',
    'half-load sqlite 256 at 450',
    'open-loop purser 256 at 1000',
    'open-loop purser 256 at 4500',
    'open-loop purser 256 at 500',
    'open-loop sqlite 256 at 500',
  ]);
});
