/**
 * Does it get slower, bigger or longer to start with age? One node is given a history of orders through the
 * front door; then it and a young node are measured in turn, in short windows; then the old one is stopped,
 * started, killed and started, and at the end the books of both are compared with what they say.
 */
import type { LoadGenerator } from './load/load-generator.ts';
import { untilQuiet } from './machine-time.ts';
import { anonymousBytes } from './process-memory.ts';
import type { RunningNode } from './running-node.ts';
import type { Timing, WindowShape } from './scenarios.ts';
import { Stage, type StageOptions } from './stage.ts';
import { type Spread, slope, spread } from './statistics.ts';
import { catalog } from './world.ts';

export interface HistoryParts extends StageOptions {
  readonly generator: LoadGenerator;
  readonly progress: (line: string) => void;
  /** Starts a node on a folder of its own for each name; the same name again is the same folder. */
  readonly startNode: (name: string) => Promise<RunningNode>;
}

export interface HistoryOptions {
  readonly orders: number;
  readonly rounds: number;
  readonly connections: number;
  readonly timing: Timing;
}

export interface MemoryPoint {
  readonly orders: number;
  readonly anonymousBytes: number | undefined;
}

export interface HistoryResult {
  readonly orders: number;
  readonly youngPerSecond: Spread | undefined;
  readonly oldPerSecond: Spread | undefined;
  /** Old by young, made within a round. */
  readonly ratio: Spread | undefined;
  /** What the young node had sold by its last window: young is a matter of degree. */
  readonly youngOrders: number;
  readonly oldOrders: number;
  readonly restartMs: { readonly emptyNode: number; readonly stopped: number; readonly killed: number };
  readonly memory: readonly MemoryPoint[];
  /** Over the second half of the filling, when heaps have grown to their size. */
  readonly bytesPerOrder: number | undefined;
}

/** Short, so that the young node stays young; shorter still when the whole run is. */
const longestWindowMs = 1_000;
const longestWarmupMs = 500;
/** Filling is done in parts, each audited before the next, so that what is kept of answers stays bounded. */
const mostOrdersPerPart = 50_000;
/** Memory is read after each part. */
const leastParts = 4;
/** Stock for a window, as a multiple of the best that was sold before it. */
const stockMargin = 2;

export async function measureHistory(parts: HistoryParts, options: HistoryOptions): Promise<HistoryResult> {
  const startedMs = performance.now();
  const youngNode = await parts.startNode('young');
  const emptyNodeMs = performance.now() - startedMs;
  const young = await Stage.open(youngNode, parts.generator, parts);
  const old = await Stage.open(await parts.startNode('old'), parts.generator, parts);
  const { memory, bestPerSecond } = await fill(old, parts, options);
  const perSecond = await alternate(young, old, options, bestPerSecond * stockMargin);
  const youngOrders = young.audit.orders;
  const oldOrders = old.audit.orders;
  await young.compare();
  await young.node.stop();

  const stopped = await restart(old, parts, 'stop');
  const killed = await restart(old, parts, 'kill');
  await old.compare();
  await old.node.stop();
  return {
    orders: options.orders,
    youngPerSecond: spread(perSecond.map((round) => round.young)),
    oldPerSecond: spread(perSecond.map((round) => round.old)),
    ratio: spread(perSecond.map((round) => round.old / round.young)),
    youngOrders,
    oldOrders,
    restartMs: { emptyNode: emptyNodeMs, stopped, killed },
    memory,
    bytesPerOrder: growth(memory),
  };
}

export function printHistory(result: HistoryResult): string {
  const rate = (value: Spread | undefined) =>
    value === undefined
      ? '–'
      : [value.median, value.min, value.max].map((one) => Math.round(one).toLocaleString('en')).join(' / ');
  const mebibytes = result.memory.map(
    ({ orders, anonymousBytes: bytes }) =>
      `${orders.toLocaleString('en')}: ${bytes === undefined ? '–' : Math.round(bytes / 1024 ** 2)} MiB`,
  );
  const { emptyNode, stopped, killed } = result.restartMs;
  return [
    `purchases/s (median / min / max), young node, ${result.youngOrders.toLocaleString('en')} orders at the end: ${rate(result.youngPerSecond)}`,
    `purchases/s, old node, ${result.oldOrders.toLocaleString('en')} orders at the end: ${rate(result.oldPerSecond)}`,
    `old by young: ${result.ratio?.median.toFixed(2) ?? '–'} (${result.ratio?.min.toFixed(2)}–${result.ratio?.max.toFixed(2)})`,
    `start to ready: empty ${Math.round(emptyNode)} ms, after a stop ${Math.round(stopped)} ms, after kill -9 ${Math.round(killed)} ms`,
    `anonymous memory by orders: ${mebibytes.join(', ')}`,
    `trend over the second half: ${result.bytesPerOrder?.toFixed(1) ?? '–'} bytes an order`,
  ].join('\n');
}

/** Buys until there are so many orders. */
export async function fill(
  stage: Stage,
  parts: Pick<HistoryParts, 'progress'>,
  options: Pick<HistoryOptions, 'orders' | 'connections'>,
) {
  const memory: MemoryPoint[] = [await memoryPoint(stage)];
  const ordersPerPart = Math.min(mostOrdersPerPart, Math.ceil(options.orders / leastParts));
  let bestPerSecond = 0;
  while (stage.audit.orders < options.orders) {
    const requests = Math.min(ordersPerPart, options.orders - stage.audit.orders);
    const before = stage.audit.orders;
    await stage.stockUp(catalog, requests * 1.1);
    const span = { kind: 'counted', warmupRequests: 0, requests } as const;
    const { window } = await stage.run('history', shapeOf(stage, options.connections, span));
    bestPerSecond = Math.max(bestPerSecond, window.lanes[0]?.answersPerSecond ?? 0);
    if (stage.audit.orders === before) throw new Error('no purchase succeeded: the history cannot be built');
    memory.push(await memoryPoint(stage));
    parts.progress(`history: ${stage.audit.orders.toLocaleString('en')} orders`);
  }
  return { memory, bestPerSecond };
}

async function alternate(young: Stage, old: Stage, options: HistoryOptions, expectedPerSecond: number) {
  const warmupMs = Math.min(longestWarmupMs, options.timing.warmupMs);
  const measureMs = Math.min(longestWindowMs, options.timing.measureMs);
  const span = { kind: 'timed', warmupMs, measureMs } as const;
  const one = async (stage: Stage): Promise<number> => {
    await stage.stockUp(catalog, (expectedPerSecond * (warmupMs + measureMs)) / 1000);
    const { window } = await stage.run('history', shapeOf(stage, options.connections, span));
    return window.lanes[0]?.answersPerSecond ?? Number.NaN;
  };
  // The old node's code is warm from being filled: the young one gets two windows that don't count.
  await one(young);
  await one(young);
  const rounds: { young: number; old: number }[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    rounds.push({ young: await one(young), old: await one(old) });
  }
  return rounds;
}

function shapeOf({ world }: Stage, connections: number, span: WindowShape['span']): WindowShape {
  const plan = { name: 'buyers', connections, products: catalog, choice: 'random', copies: 1 } as const;
  return { lanes: [{ plan: { ...plan, accounts: world.customers }, refusals: [] }], span };
}

async function restart(stage: Stage, parts: HistoryParts, how: 'stop' | 'kill'): Promise<number> {
  await stage.node[how]();
  const fromMs = performance.now();
  stage.moveTo(await parts.startNode('old'));
  return performance.now() - fromMs;
}

async function memoryPoint(stage: Stage): Promise<MemoryPoint> {
  await untilQuiet();
  return { orders: stage.audit.orders, anonymousBytes: await anonymousBytes(stage.node.pid) };
}

/** The trend of the second half: single readings swing with the garbage collector. */
function growth(memory: readonly MemoryPoint[]): number | undefined {
  const settled = memory.slice(Math.floor(memory.length / 2));
  return slope(
    settled.flatMap(({ orders, anonymousBytes: bytes }) =>
      bytes === undefined ? [] : [{ x: orders, y: bytes }],
    ),
  );
}
