/**
 * Thousands of buyers want a hundred items at the same moment, each over a connection of its own: who wins, and how
 * long until the last loser knows.
 *
 * Everybody asks once and leaves. The buyers' connections are open before the sale, as browsers' are on the page where
 * the button is: how fast a server accepts connections is another question. So the sale begins when the server is at
 * rest again after them.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from '../shop/stage.ts';
import type { Violations } from '../shop/violations.ts';
import { laneFigures, only, type ScenarioFigures, usageOf } from './figures.ts';
import type { WindowShape } from './scenarios.ts';

interface FlashSaleOptions {
  /** Default 10,000. There are fewer where a process may not have so many connections. */
  readonly buyers?: number;
  /** Default 100. */
  readonly items?: number;
  /** The buyers' requests are spread evenly over so long; default 200. */
  readonly spreadMs?: number;
}

/** The longest wait for an answer: after that the run breaks off. */
const ANSWERED_WITHIN_MS = 60_000;

/** The buyers' accounts are made in the stage's first sale, and buy again in the next. */
export async function measureFlashSale(
  stage: Stage,
  violations: Violations,
  options: FlashSaleOptions = {},
): Promise<ScenarioFigures> {
  const { buyers: wanted = 10_000, items = 100, spreadMs = 200 } = options;
  const buyers = Math.min(wanted, mostConnections());
  const accounts = await stage.world.crowd(buyers);
  const products = await stage.world.createProducts(1);
  await stage.world.stockUp(products, items);
  const plan = { name: 'buyers', connections: buyers, accounts, products, copies: 1, once: true, spreadMs };
  const shape: WindowShape = {
    lanes: [{ plan: { ...plan, choice: 'contest' }, refusals: ['OUT_OF_STOCK'] }],
    span: { kind: 'counted', warmupRequests: 0, requests: buyers },
  };
  const { window, tallies } = await within(ANSWERED_WITHIN_MS, stage.run('flash-sale', shape));
  const { orders: winners, refused } = only(tallies);
  if (winners !== Math.min(items, buyers))
    violations.add(`flash-sale: ${winners} winners for ${items} items and ${buyers} buyers`);
  const lane = only(window.lanes);
  return {
    ...laneFigures(lane),
    ...usageOf(window),
    connections: buyers,
    winners,
    losers: refused.get('OUT_OF_STOCK') ?? 0,
    ...(lane.lastOtherMs === undefined ? {} : { lastLoserMs: lane.lastOtherMs - lane.fromMs }),
  };
}

async function within<Result>(mostMs: number, result: Promise<Result>): Promise<Result> {
  const late = new AbortController();
  const timeout = delay(mostMs, undefined, { signal: late.signal }).then(() => {
    throw new Error(`flash-sale: not every buyer was answered within ${mostMs / 1000} s`);
  });
  try {
    return await Promise.race([result, timeout]);
  } finally {
    late.abort();
    timeout.catch(() => {});
  }
}

/** Files and sockets that a server or a load process needs besides those of the buyers. */
const otherFiles = 1_000;

/**
 * How many connections one process may have, at the server's end or at the buyers'. Node raises its own limit as far as
 * it is allowed to when it starts, so that this process has the limit of all. Unknown, and so unbounded, without /proc.
 */
function mostConnections(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Number(limit) - otherFiles);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
