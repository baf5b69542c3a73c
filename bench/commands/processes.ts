/**
 * How many HTTP processes serve a peer best on this machine: tried, not guessed.
 *
 * Each number is started on data of its own and gets windows of hot-product with few and with many connections; the
 * sum of the medians counts, of undisturbed windows where there are any.
 */
import { rm } from 'node:fs/promises';
import { median } from '../measure/statistics.ts';
import { laneFigures, only } from '../scenarios/figures.ts';
import type { Timing } from '../scenarios/scenarios.ts';
import { type ContenderOptions, SellingContender } from '../systems/contender.ts';
import type { System } from '../systems/system.ts';

const TRIED = [1, 2, 4];
const CONNECTIONS = [64, 256];
const WINDOWS = 3;
const TIMING: Timing = { warmupMs: 300, measureMs: 1_000, contests: 0 };

export interface TriedProcesses {
  readonly best: number;
  /** e.g. `1: 2,100/s, 2: 3,400/s, 4: 3,300/s`. */
  readonly tried: string;
}

/** `options.folder` holds nothing, and nothing is left there. */
export async function tryProcesses(system: System, options: ContenderOptions): Promise<TriedProcesses> {
  const rates: { readonly count: number; readonly perSecond: number }[] = [];
  for (const count of TRIED) {
    const contender = await SellingContender.open(system, count, options);
    try {
      const medians: number[] = [];
      for (const connections of CONNECTIONS) medians.push(await medianRate(contender, connections));
      rates.push({ count, perSecond: medians.reduce((sum, rate) => sum + rate, 0) / medians.length });
    } finally {
      await contender.node.stop();
      await rm(options.folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }
  const best = rates.reduce((one, other) => (other.perSecond > one.perSecond ? other : one));
  return {
    best: best.count,
    tried: rates
      .map(({ count, perSecond }) => `${count}: ${Math.round(perSecond).toLocaleString('en')}/s`)
      .join(', '),
  };
}

async function medianRate(contender: SellingContender, connections: number): Promise<number> {
  const windows: { readonly perSecond: number; readonly disturbed: boolean }[] = [];
  for (let window = 0; window < WINDOWS; window += 1) {
    const measured = await contender.measure({ scenario: 'hot-product', connections, timing: TIMING });
    const { purchasesPerSecond } = laneFigures(only(measured.lanes));
    windows.push({ perSecond: purchasesPerSecond, disturbed: measured.disturbed });
  }
  const calm = windows.filter(({ disturbed }) => !disturbed);
  return median((calm.length > 0 ? calm : windows).map(({ perSecond }) => perSecond));
}
