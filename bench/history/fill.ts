/** Gives a node orders through the front door, part by part, and notes what memory it has meanwhile. */
import { untilQuiet } from '../measure/machine-time.ts';
import { anonymousBytes } from '../measure/process-memory.ts';
import { slope } from '../measure/statistics.ts';
import type { WindowShape } from '../scenarios/scenarios.ts';
import type { Stage } from '../shop/stage.ts';
import { catalog } from '../shop/world.ts';

export interface MemoryPoint {
  readonly orders: number;
  readonly anonymousBytes: number | undefined;
}

export interface Filled {
  readonly memory: readonly MemoryPoint[];
  readonly bestPerSecond: number;
}

export interface FillOptions {
  /** Until there are so many. */
  readonly orders: number;
  readonly connections: number;
}

/** Filling is done in parts, each audited before the next, so that what is kept of answers stays bounded. */
const mostOrdersPerPart = 50_000;
/** Memory is read after each part. */
const leastParts = 4;

/** Buys until there are so many orders. */
export async function fill(
  stage: Stage,
  parts: { readonly progress: (line: string) => void },
  options: FillOptions,
): Promise<Filled> {
  const memory: MemoryPoint[] = [await memoryPoint(stage)];
  const ordersPerPart = Math.min(mostOrdersPerPart, Math.ceil(options.orders / leastParts));
  let bestPerSecond = 0;
  while (stage.audit.orders < options.orders) {
    const requests = Math.min(ordersPerPart, options.orders - stage.audit.orders);
    const before = stage.audit.orders;
    await stage.stockUp(catalog, requests * 1.1);
    const span = { kind: 'counted', warmupRequests: 0, requests } as const;
    const { window } = await stage.run('history', everybodyBuys(stage, options.connections, span));
    bestPerSecond = Math.max(bestPerSecond, window.lanes[0]?.answersPerSecond ?? 0);
    if (stage.audit.orders === before) throw new Error('no purchase succeeded: the history cannot be built');
    memory.push(await memoryPoint(stage));
    parts.progress(`history: ${stage.audit.orders.toLocaleString('en')} orders`);
  }
  return { memory, bestPerSecond };
}

/** All customers buy from the whole catalog; at so many a second, or as fast as they are answered. */
export function everybodyBuys(
  { world }: Stage,
  connections: number,
  span: WindowShape['span'],
  perSecond?: number,
): WindowShape {
  const plan = { name: 'buyers', connections, products: catalog, choice: 'random', copies: 1 } as const;
  const pace = perSecond === undefined ? {} : { perSecond };
  return { lanes: [{ plan: { ...plan, ...pace, accounts: world.customers }, refusals: [] }], span };
}

/** Bytes an order over the second half: single readings swing with the garbage collector, and heaps grow first. */
export function growth(memory: readonly MemoryPoint[]): number | undefined {
  const settled = memory.slice(Math.floor(memory.length / 2));
  return slope(
    settled.flatMap(({ orders, anonymousBytes: bytes }) =>
      bytes === undefined ? [] : [{ x: orders, y: bytes }],
    ),
  );
}

async function memoryPoint(stage: Stage): Promise<MemoryPoint> {
  await untilQuiet();
  return { orders: stage.audit.orders, anonymousBytes: await anonymousBytes(stage.node.pid) };
}
