/**
 * The cost of age. One node is given orders through the front door, and as many items that nobody buys. At each number
 * of orders it is measured side by side with a node that has just begun; then it is stopped and started, killed and
 * started, several times; and then its oldest orders and keys are asked for, first pages are read, and its files
 * weighed. At the end the books are compared with what it says.
 */
import type { LoadGenerator } from '../load/load-generator.ts';
import { untilQuiet } from '../measure/machine-time.ts';
import type { Timing } from '../scenarios/scenarios.ts';
import { Stage, type StageOptions } from '../shop/stage.ts';
import { catalog } from '../shop/world.ts';
import { type DiskUse, diskUse } from './disk-use.ts';
import { everybodyBuys, type Filled, fill, growth, type MemoryPoint } from './fill.ts';
import { FirstBuyer, type OldestTimes } from './first-buyer.ts';
import { type FirstPage, readFirstPages } from './first-pages.ts';
import { type HowItEnds, Restarts, type RestartsOptions, type Starts } from './restarts.ts';
import { type Comparison, compareSides, stockMargin } from './side-by-side.ts';

export interface HistoryParts extends StageOptions, Omit<RestartsOptions, 'name'> {
  readonly generator: LoadGenerator;
}

export interface HistoryOptions {
  readonly orders: number;
  readonly rounds: number;
  readonly connections: number;
  readonly timing: Timing;
}

/** At one number of orders. */
export interface AgeFigures extends Comparison {
  /** Orders when the node was stopped for the last time. */
  readonly orders: number;
  /** Codes that ever were in stock, those that were sold included. */
  readonly codes: number;
  readonly youngOrders: number;
  /** From the start of the young node, in an empty folder, to its ready line. */
  readonly emptyReadyMs: number;
  readonly stopped: Starts;
  readonly killed: Starts;
  readonly memory: readonly MemoryPoint[];
  readonly bytesPerOrder: number | undefined;
  readonly oldest: OldestTimes;
  readonly firstPages: readonly FirstPage[];
  readonly disk: readonly DiskUse[];
}

export interface HistoryResult {
  readonly ages: readonly AgeFigures[];
}

const OLD = 'old';
const AGES = [1_000_000, 3_000_000, 10_000_000, 30_000_000];
/** For what a node does by itself after it was filled. */
const PATIENCE_MS = 300_000;
/** Longer than a merge rests that has slowed buyers, and than a fold is put off; in a short run, so many windows. */
const SETTLED_MS = 10_000;
const SETTLED_WINDOWS = 4;
/** Purchases right before a node is killed. */
const TAIL_MS = 500;

export async function measureHistory(parts: HistoryParts, options: HistoryOptions): Promise<HistoryResult> {
  const restarts = new Restarts({ ...parts, name: OLD });
  const old = await Stage.open(await parts.startNode(OLD), parts.generator, parts);
  const firstBuyer = await FirstBuyer.buy(old.node);
  const ages: AgeFigures[] = [];
  let filled: Filled = { memory: [], bestPerSecond: 0 };
  const measure = (name: string) =>
    measureAge(parts, { ...options, restarts, name }, old, firstBuyer, filled);
  for (const orders of agesUntil(options.orders)) {
    filled = await fill(old, parts, { ...options, orders });
    await old.stockUp(catalog, orders);
    const longest = `the longest upload took ${Math.round(old.world.longestUploadMs)} ms`;
    parts.progress(`history: ${orders.toLocaleString('en')} items in stock; ${longest}`);
    ages.push(await measure(String(orders)));
  }
  await old.compare();
  await old.node.stop();
  return { ages };
}

/** The round numbers below, then itself. */
export function agesUntil(orders: number): number[] {
  return [...AGES.filter((age) => age < orders), orders];
}

/** `name`: of the young node. */
interface AgeOptions extends Omit<HistoryOptions, 'orders'> {
  readonly name: string;
  readonly restarts: Restarts;
}

async function measureAge(
  parts: HistoryParts,
  options: AgeOptions,
  old: Stage,
  firstBuyer: FirstBuyer,
  { memory, bestPerSecond }: Filled,
): Promise<AgeFigures> {
  const { youngOrders, emptyReadyMs, comparison } = await besideYoungNode(parts, options, old, bestPerSecond);
  await old.stockUp(catalog, (options.rounds * bestPerSecond * stockMargin * TAIL_MS) / 1000);
  const killed = await restart(old, options, 'kill');
  const stopped = await restart(old, options, 'stop');
  const oldest = await firstBuyer.askAgain(old.node, parts.violations);
  const firstPages = await readFirstPages(old, parts.violations);
  return {
    orders: old.audit.orders,
    codes: old.world.products.reduce((sum, { issued }) => sum + issued, 0),
    youngOrders,
    ...comparison,
    emptyReadyMs,
    stopped,
    killed,
    memory,
    bytesPerOrder: growth(memory),
    oldest,
    firstPages,
    disk: diskUse(parts.folderOf(OLD)),
  };
}

/** A node of its own for each age: it is as young each time. */
async function besideYoungNode(parts: HistoryParts, options: AgeOptions, old: Stage, bestPerSecond: number) {
  const startedMs = performance.now();
  const youngNode = await parts.startNode(`young-${options.name}`);
  const emptyReadyMs = performance.now() - startedMs;
  const young = await Stage.open(youngNode, parts.generator, parts);
  // What the old node still does with what it was filled with would slow both.
  const settledMs = Math.min(SETTLED_MS, SETTLED_WINDOWS * options.timing.measureMs);
  await untilQuiet(old.node.pid, PATIENCE_MS, settledMs);
  const comparison = await compareSides(young, old, { ...options, bestPerSecond });
  const youngOrders = young.audit.orders;
  await young.compare();
  await young.node.stop();
  parts.progress(`history: ${old.audit.orders.toLocaleString('en')} orders beside ${youngOrders}`);
  return { youngOrders, emptyReadyMs, comparison };
}

/** As often as there are rounds. Before a kill it sells. */
async function restart(
  old: Stage,
  { restarts, rounds, connections, timing }: AgeOptions,
  how: HowItEnds,
): Promise<Starts> {
  const measureMs = Math.min(TAIL_MS, timing.measureMs);
  const sales = everybodyBuys(old, connections, { kind: 'timed', warmupMs: 0, measureMs });
  const end = async () => {
    if (how === 'kill') await old.run('history', sales);
    await old.node[how]();
  };
  return restarts.measure(how, rounds, end, (node) => old.moveTo(node));
}
