/**
 * One account with a thousand requests in flight beside other accounts' normal load, against the same load
 * spread evenly: do the others wait longer because of who is asking? The target for the ratio of their p99
 * is at most 2. Both windows keep the same number of requests in flight, so the machine is as busy in both.
 */
import type { LaneMeasurement } from '../load/load-generator.ts';
import type { IndexRange } from '../load/plan.ts';
import { type Spread, spread } from '../measure/statistics.ts';
import { textTable } from '../measure/text-table.ts';
import type { Timing, WindowShape } from '../scenarios/scenarios.ts';
import type { Stage } from '../shop/stage.ts';
import { catalog } from '../shop/world.ts';

export interface FloodResult {
  readonly othersP99Ms: { readonly flooded: Spread | undefined; readonly even: Spread | undefined };
  readonly othersPerSecond: { readonly flooded: Spread | undefined; readonly even: Spread | undefined };
  readonly crowdPerSecond: { readonly flooded: Spread | undefined; readonly even: Spread | undefined };
  /** Part of the flooding account's answers that weren't a purchase. */
  readonly refusedShare: Spread | undefined;
  /** The others' p99, flooded by even, made within a round. */
  readonly p99Ratio: Spread | undefined;
}

const floodInFlight = 1000;
const otherConnections = 64;
/** A server may push a flooding account back; it may not push anyone else back. */
const floodRefusals = ['RATE_LIMITED'];

interface Half {
  readonly others: LaneMeasurement;
  readonly crowd: LaneMeasurement;
}

export async function measureFlood(
  stage: Stage,
  timing: Timing,
  rounds: number,
  expectedPerSecond: number,
  progress: (line: string) => void,
): Promise<FloodResult> {
  const { bigSpender, customers } = stage.world;
  const flooded: Half[] = [];
  const even: Half[] = [];
  for (let round = 0; round < rounds; round += 1) {
    flooded.push(await half(stage, timing, bigSpender, expectedPerSecond));
    even.push(await half(stage, timing, customers, expectedPerSecond));
    progress(
      `round ${round + 1}, flood: others' p99 ${p99Ms(flooded[round])} ms, even: ${p99Ms(even[round])} ms`,
    );
  }
  const both = (value: (half: Half) => number) => ({
    flooded: spread(flooded.map(value)),
    even: spread(even.map(value)),
  });
  return {
    othersP99Ms: both((half) => half.others.latency.getValueAtPercentile(99) / 1000),
    othersPerSecond: both((half) => half.others.answersPerSecond),
    crowdPerSecond: both((half) => half.crowd.answersPerSecond),
    refusedShare: spread(flooded.map(({ crowd }) => 1 - (crowd.statuses.get(201) ?? 0) / crowd.answers)),
    p99Ratio: spread(flooded.map((half, round) => p99Ms(half) / p99Ms(even[round]))),
  };
}

export function printFlood(result: FloodResult): string {
  const row = (name: string, side: 'flooded' | 'even') => [
    name,
    text(result.othersP99Ms[side], 2),
    text(result.othersPerSecond[side], 0),
    text(result.crowdPerSecond[side], 0),
  ];
  const header = ['flood', "others' p99 ms", "others' answers/s", 'answers/s of the 1,000 in flight'];
  return [
    textTable(header, [
      row('one account has 1,000 in flight', 'flooded'),
      row('the same, spread evenly', 'even'),
    ]),
    `others' p99, flooded by even: ${text(result.p99Ratio, 2)} (target: at most 2)`,
    `of the flooding account's answers ${text(result.refusedShare, 3)} were refusals`,
  ].join('\n');
}

async function half(
  stage: Stage,
  timing: Timing,
  crowd: IndexRange,
  expectedPerSecond: number,
): Promise<Half> {
  const { bigSpender, customers } = stage.world;
  const seconds = (timing.warmupMs + timing.measureMs) / 1000;
  await stage.stockUp(catalog, expectedPerSecond * seconds);
  const lane = { products: catalog, choice: 'random', copies: 1 } as const;
  const shape: WindowShape = {
    lanes: [
      {
        plan: { ...lane, name: 'others', connections: otherConnections, accounts: customers },
        refusals: [],
      },
      {
        plan: { ...lane, name: 'crowd', connections: floodInFlight, accounts: crowd },
        refusals: crowd === bigSpender ? floodRefusals : [],
      },
    ],
    span: { kind: 'timed', warmupMs: timing.warmupMs, measureMs: timing.measureMs },
  };
  const { window } = await stage.run('flood', shape);
  const [others, rest] = window.lanes;
  if (others === undefined || rest === undefined) throw new Error('a window without a measurement');
  return { others, crowd: rest };
}

function p99Ms(half: Half | undefined): number {
  return half === undefined ? Number.NaN : half.others.latency.getValueAtPercentile(99) / 1000;
}

function text(value: Spread | undefined, digits: number): string {
  if (value === undefined) return '–';
  return `${value.median.toFixed(digits)} (${value.min.toFixed(digits)}–${value.max.toFixed(digits)})`;
}
