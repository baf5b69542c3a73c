/**
 * A crowd asks for a product of which there is nothing, again and again, when the operator uploads new items: how long
 * until the first of them is sold, and until the last is.
 *
 * The crowd is a closed loop: everybody asks again with the answer. An open loop was rejected: a thousand items can't be
 * sold faster than the crowd asks, so at one rate for all the time would be that of the rate.
 *
 * Nobody sees the crowd's answers before its end. So one more buyer, whose purchases count too, asks now and then
 * whether there is something left.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { BuyerClient } from '../../test/support/buyer-client.ts';
import type { LoadGenerator } from '../load/load-generator.ts';
import type { IndexRange } from '../load/plan.ts';
import type { Stage } from '../shop/stage.ts';
import type { Violations } from '../shop/violations.ts';
import { soldOutWithinMs } from './awaited.ts';
import { laneFigures, only, type ScenarioFigures, unixNowMs } from './figures.ts';
import type { WindowShape } from './scenarios.ts';

interface RestockOptions {
  readonly connections: number;
  /** Uploaded in one request; default 1,000. */
  readonly items?: number;
  /**
   * The times of asking in vain: before the measured time (default 500), and in it before the upload (default 1,000).
   */
  readonly warmupMs?: number;
  readonly waitMs?: number;
  /**
   * The time from the upload's request in which the items must sell out; later there is no `soldOutMs`. Default:
   * `soldOutWithinMs`.
   */
  readonly mostMs?: number;
}

const askAgainMs = 100;
/** For answers that are on their way when nothing is left. */
const settleMs = 500;
/** Beyond what is planned, so that the crowd stays until it is told that it was enough. */
const spareMs = 10_000;

export async function measureRestock(
  stage: Stage,
  generator: LoadGenerator,
  violations: Violations,
  options: RestockOptions,
): Promise<ScenarioFigures> {
  const { connections, items = 1_000, warmupMs = 500, waitMs = 1_000 } = options;
  const { mostMs = soldOutWithinMs } = options;
  const products = await stage.world.createProducts(1);
  const plan = {
    name: 'crowd',
    connections,
    accounts: stage.world.customers,
    products,
    copies: 1,
  };
  const shape: WindowShape = {
    lanes: [{ plan: { ...plan, choice: 'random' }, refusals: ['OUT_OF_STOCK'] }],
    span: { kind: 'timed', warmupMs, measureMs: waitMs + mostMs + spareMs },
  };
  const sell = async () => {
    await delay(waitMs);
    const uploadedMs = unixNowMs();
    await stage.world.stockUp(products, items);
    const sale = await untilSoldOut(stage, products, uploadedMs + mostMs);
    await delay(settleMs);
    return { ...sale, uploadedMs };
  };
  const crowd = await stage.begin('restock', shape, generator);
  const { isSoldOut, bought, boughtMs, uploadedMs } = await sell().catch(async (error: unknown) => {
    await crowd.end();
    throw error;
  });
  const { load, tallies } = await crowd.end();
  const endMs = unixNowMs();
  const lane = only(load.lanes);
  const winners = only(tallies).orders + bought;
  if (isSoldOut && winners < items)
    violations.add(`restock: ${winners} winners for ${items} items, and no item is left`);
  // An answer that came after the measured time is known to have come before the end.
  const isAllSeen = (lane.statuses.get(201) ?? 0) + bought === items;
  const lastMs = isAllSeen ? Math.max(lane.lastPurchaseMs ?? 0, boughtMs) : endMs;
  return {
    ...laneFigures(lane),
    clientCpuShare: load.clientCpuShare,
    connections,
    ...(lane.firstPurchaseMs === undefined ? {} : { firstWinnerMs: lane.firstPurchaseMs - uploadedMs }),
    ...(isSoldOut && winners === items ? { soldOutMs: lastMs - uploadedMs } : {}),
  };
}

interface Sale {
  readonly isSoldOut: boolean;
  /** By the one who asked; the last of them at `boughtMs`, 0 without any. */
  readonly bought: number;
  readonly boughtMs: number;
}

/** Asks until nothing is left, or until `deadlineMs`, Unix milliseconds. The books know of the purchases. */
async function untilSoldOut(stage: Stage, products: IndexRange, deadlineMs: number): Promise<Sale> {
  const { accounts, products: all } = stage.world;
  const [account, product] = [accounts[0], all[products.first]];
  const body = { productId: product?.productId ?? 0, expectedPriceUsdt: product?.priceUsdt ?? 0 };
  const buyer = new BuyerClient(stage.node.buyerUrl);
  let [bought, boughtMs] = [0, 0];
  try {
    for (let asked = 0; ; asked += 1) {
      const key = `restock-${products.first}-${asked}`;
      const reply = await buyer.purchase(account?.apiKey ?? '', key, body);
      if (reply.status === 201) {
        stage.audit.readOrder('restock', { account: 0, product: products.first, text: reply.text });
        [bought, boughtMs] = [bought + 1, unixNowMs()];
      }
      const isSoldOut = reply.body.error === 'OUT_OF_STOCK';
      if (isSoldOut || unixNowMs() >= deadlineMs) return { isSoldOut, bought, boughtMs };
      await delay(askAgainMs);
    }
  } finally {
    buyer.close();
  }
}
