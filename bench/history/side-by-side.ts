/**
 * The old node and a young one in alternating windows: purchases a second, processor time a purchase, and p99 at half of
 * what the young one reached. Windows are short, so that the young node stays young.
 */
import type { MeasuredWindow } from '../measure/measured-window.ts';
import { median, type Spread, spread } from '../measure/statistics.ts';
import type { Timing } from '../scenarios/scenarios.ts';
import type { Stage } from '../shop/stage.ts';
import { catalog } from '../shop/world.ts';
import { everybodyBuys } from './fill.ts';

export interface Sides {
  readonly young: Spread | undefined;
  readonly old: Spread | undefined;
  /** Old by young, made within a round. */
  readonly ratio: Spread | undefined;
}

export interface Comparison {
  readonly perSecond: Sides;
  /** Processor time of all the server's threads, microseconds a purchase. */
  readonly processorUs: Sides;
  /** The rate of the half load, the same on both. */
  readonly halfLoadPerSecond: number;
  readonly halfLoadP99Ms: Sides;
}

export interface ComparisonOptions {
  readonly rounds: number;
  readonly connections: number;
  readonly timing: Timing;
  /** The best that was seen so far. */
  readonly bestPerSecond: number;
}

const longestWindowMs = 1_000;
const longestWarmupMs = 500;
const COLD_WINDOWS = 2;
/** Stock for a window, as a multiple of the best that was sold before it. */
export const stockMargin = 2;

export async function compareSides(
  young: Stage,
  old: Stage,
  options: ComparisonOptions,
): Promise<Comparison> {
  const { rounds, connections, timing, bestPerSecond } = options;
  const warmupMs = Math.min(longestWarmupMs, timing.warmupMs);
  const measureMs = Math.min(longestWindowMs, timing.measureMs);
  const span = { kind: 'timed', warmupMs, measureMs } as const;
  const run = async (stage: Stage, perSecond?: number) => {
    const stocked = perSecond ?? bestPerSecond * stockMargin;
    await stage.stockUp(catalog, (stocked * (warmupMs + measureMs)) / 1000);
    return (await stage.run('history', everybodyBuys(stage, connections, span, perSecond))).window;
  };
  // They don't count: either node may have just been started, and its code is not compiled yet.
  await alternate(COLD_WINDOWS, young, old, (stage) => run(stage));
  const full = await alternate(rounds, young, old, (stage) => run(stage));
  const youngPerSecond = full.map((round) => rateOf(round.young));
  const halfLoadPerSecond = Math.max(1, Math.round(median(youngPerSecond) / 2));
  const half = await alternate(rounds, young, old, (stage) => run(stage, halfLoadPerSecond));
  return {
    perSecond: sidesOf(full, rateOf),
    processorUs: sidesOf(full, processorUsOf),
    halfLoadPerSecond,
    halfLoadP99Ms: sidesOf(half, p99MsOf),
  };
}

interface Round {
  readonly young: MeasuredWindow;
  readonly old: MeasuredWindow;
}

/** Nobody always comes first. */
async function alternate(
  rounds: number,
  young: Stage,
  old: Stage,
  run: (stage: Stage) => Promise<MeasuredWindow>,
): Promise<Round[]> {
  const windows: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) {
      const first = await run(young);
      windows.push({ young: first, old: await run(old) });
    } else {
      const first = await run(old);
      windows.push({ young: await run(young), old: first });
    }
  }
  return windows;
}

function sidesOf(rounds: readonly Round[], figureOf: (window: MeasuredWindow) => number | undefined): Sides {
  const figures = rounds.map(({ young, old }) => ({ young: figureOf(young), old: figureOf(old) }));
  const ratios = figures.map(({ young, old }) =>
    young === undefined || old === undefined || !(young > 0) ? undefined : old / young,
  );
  return {
    young: spread(figures.map(({ young }) => young)),
    old: spread(figures.map(({ old }) => old)),
    ratio: spread(ratios),
  };
}

function rateOf({ lanes }: MeasuredWindow): number {
  return lanes[0]?.answersPerSecond ?? Number.NaN;
}

function processorUsOf(window: MeasuredWindow): number | undefined {
  const { serverCpuShare } = window;
  const perSecond = rateOf(window);
  return serverCpuShare === undefined || !(perSecond > 0) ? undefined : (serverCpuShare * 1e6) / perSecond;
}

function p99MsOf({ lanes }: MeasuredWindow): number | undefined {
  const [lane] = lanes;
  return lane === undefined || lane.answers === 0 ? undefined : lane.latency.getValueAtPercentile(99) / 1000;
}
