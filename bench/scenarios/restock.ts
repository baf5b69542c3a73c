/**
 * A crowd asks for a product of which there is nothing, again and again, when the operator uploads new items: how long
 * until the first of them is sold, and until the last is.
 *
 * The crowd is an open loop: it asks at its rate, whatever the answers do. So a thousand items can't be sold faster
 * than it asks, and the rate belongs to the figures.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { BuyerClient } from '../../test/support/buyer-client.ts';
import type { LoadGenerator } from '../load/load-generator.ts';
import type { IndexRange } from '../load/plan.ts';
import type { WindowShape } from '../scenarios.ts';
import type { Stage } from '../stage.ts';
import type { Violations } from '../violations.ts';
import { laneFigures, only, type ScenarioFigures, unixNowMs } from './figures.ts';

export interface RestockOptions {
  readonly connections: number;
  /** Requests a second of the crowd. */
  readonly perSecond: number;
  /** Uploaded in one request; default 1,000. */
  readonly items?: number;
  /** Of asking in vain: before the measured time (default 500), and in it before the upload (default 1,000). */
  readonly warmupMs?: number;
  readonly waitMs?: number;
  /** From the upload's answer to the end; default 2,000. What isn't sold by then has no `soldOutMs`. */
  readonly sellMs?: number;
}

/** Beyond what is planned, for a slow upload. */
const spareMs = 30_000;

export async function measureRestock(
  stage: Stage,
  generator: LoadGenerator,
  violations: Violations,
  options: RestockOptions,
): Promise<ScenarioFigures> {
  const { connections, perSecond, items = 1_000, warmupMs = 500, waitMs = 1_000, sellMs = 2_000 } = options;
  const products = await stage.world.createProducts(1);
  const plan = {
    name: 'crowd',
    connections,
    perSecond,
    accounts: stage.world.customers,
    products,
    copies: 1,
  };
  const shape: WindowShape = {
    lanes: [{ plan: { ...plan, choice: 'random' }, refusals: ['OUT_OF_STOCK'] }],
    span: { kind: 'timed', warmupMs, measureMs: waitMs + sellMs + spareMs },
  };
  const upload = async (): Promise<number> => {
    await delay(waitMs);
    const atMs = unixNowMs();
    await stage.world.stockUp(products, items);
    await delay(sellMs);
    return atMs;
  };
  const crowd = await stage.begin('restock', shape, generator);
  const uploadedMs = await upload().catch(async (error: unknown) => {
    await crowd.end();
    throw error;
  });
  const { load, tallies } = await crowd.end();
  const lane = only(load.lanes);
  const { orders } = only(tallies);
  if (orders < items && !(await isStillSold(stage, products)))
    violations.add(`restock: ${orders} winners for ${items} items, and no item is left`);
  return {
    ...laneFigures(lane),
    clientCpuShare: load.clientCpuShare,
    connections,
    perSecond,
    ...(lane.firstPurchaseMs === undefined ? {} : { firstWinnerMs: lane.firstPurchaseMs - uploadedMs }),
    ...(lane.lastPurchaseMs === undefined || lane.statuses.get(201) !== items
      ? {}
      : { soldOutMs: lane.lastPurchaseMs - uploadedMs }),
  };
}

/** Buys once more, to tell a slow server from one that keeps an item. The books know of the purchase. */
async function isStillSold(stage: Stage, products: IndexRange): Promise<boolean> {
  const { accounts, products: all } = stage.world;
  const [account, product] = [accounts[0], all[products.first]];
  const buyer = new BuyerClient(stage.node.buyerUrl);
  try {
    const body = { productId: product?.productId ?? 0, expectedPriceUsdt: product?.priceUsdt ?? 0 };
    const key = `restock-${products.first}`;
    const { status, text } = await buyer.purchase(account?.apiKey ?? '', key, body);
    if (status === 201) stage.audit.readOrder('restock', { account: 0, product: products.first, text });
    return status === 201;
  } finally {
    buyer.close();
  }
}
