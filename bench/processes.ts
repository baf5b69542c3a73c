/**
 * How many HTTP processes serve a peer best on this machine: tried, not guessed.
 *
 * Each number is started on the same data and gets two windows of hot-product; the better one counts.
 */
import { type ContenderOptions, SellingContender } from './contender.ts';
import type { Timing } from './scenarios.ts';
import type { System } from './system.ts';

const TRIED = [1, 2, 4];
const WINDOWS = 2;
const TIMING: Timing = { warmupMs: 300, measureMs: 1_000, contests: 0 };
const CONNECTIONS = 64;

export interface TriedProcesses {
  readonly best: number;
  /** e.g. `1: 2,100/s, 2: 3,400/s, 4: 3,300/s`. */
  readonly tried: string;
}

/** `options.folder` holds nothing of the system yet, and what this leaves there is of no use. */
export async function tryProcesses(system: System, options: ContenderOptions): Promise<TriedProcesses> {
  const rates: { readonly count: number; readonly perSecond: number }[] = [];
  for (const count of TRIED) {
    const folder = `${options.folder}-${count}`;
    const contender = await SellingContender.open(system, count, { ...options, folder });
    try {
      const task = { scenario: 'hot-product', connections: CONNECTIONS, timing: TIMING } as const;
      for (let window = 0; window < WINDOWS; window += 1) await contender.measure(task);
      rates.push({ count, perSecond: contender.bestPerSecond });
    } finally {
      await contender.node.kill();
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
