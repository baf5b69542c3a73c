/**
 * The cost of webhooks to purchases: as many as the buyers can make, on a node whose 1,000 accounts all subscribe, a
 * tenth of them with receivers that hang, by as many on a node where nobody does. The two take turns, so that each
 * ratio is of two windows a few seconds apart; between windows all that is owed is delivered.
 */

import { type Spread, spread } from '../measure/statistics.ts';
import type { WindowShape } from '../scenarios/scenarios.ts';
import type { Stage } from '../shop/stage.ts';
import { catalog } from '../shop/world.ts';
import type { SubscribedStage } from './subscribed-stage.ts';
import { MOST_PER_SECOND, type NamedFigures, printDeliveries } from './sustained.ts';
import type { WebhookOptions } from './webhook-options.ts';

export interface SharesResult {
  readonly rounds: readonly NamedFigures[];
  readonly silentPerSecond: Spread | undefined;
  readonly subscribedPerSecond: Spread | undefined;
  /** The ratio of two windows of a round. */
  readonly ratio: Spread | undefined;
}

const WARMUP_MS = 4_000;
const MEASURE_MS = 3_000;

export async function measureShares(
  subscribed: SubscribedStage,
  silent: Stage,
  { rounds, connections }: WebhookOptions,
  progress: (line: string) => void,
): Promise<SharesResult> {
  const plan = { name: 'buyers', choice: 'random', copies: 1, products: catalog } as const;
  const shape: WindowShape = {
    lanes: [{ plan: { ...plan, connections, accounts: silent.world.customers }, refusals: [] }],
    span: { kind: 'timed', warmupMs: WARMUP_MS, measureMs: MEASURE_MS },
  };
  const orders = (MOST_PER_SECOND * (WARMUP_MS + MEASURE_MS)) / 1_000;
  const quietly = async (): Promise<number> => {
    await silent.stockUp(catalog, orders);
    const { window } = await silent.run('nobody subscribed', shape);
    return window.lanes[0]?.answersPerSecond ?? Number.NaN;
  };
  // The other node's code is warm.
  await quietly();
  const pairs: { silent: number; figures: NamedFigures }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const silentPerSecond = await quietly();
    await subscribed.stage.stockUp(catalog, orders);
    const { figures } = await subscribed.run('as fast as buyers can', shape);
    pairs.push({ silent: silentPerSecond, figures: { ...figures, name: `round ${round}, full speed` } });
    const [one, other] = [silentPerSecond, figures.purchasesPerSecond].map(Math.round);
    progress(`round ${round}: ${one} purchases/s with nobody subscribed, ${other} with all`);
  }
  return {
    rounds: pairs.map(({ figures }) => figures),
    silentPerSecond: spread(pairs.map((pair) => pair.silent)),
    subscribedPerSecond: spread(pairs.map(({ figures }) => figures.purchasesPerSecond)),
    ratio: spread(pairs.map((pair) => pair.figures.purchasesPerSecond / pair.silent)),
  };
}

export function printShares(result: SharesResult): string {
  const text = (value: Spread | undefined, digits: number) =>
    value === undefined
      ? '–'
      : `${value.median.toFixed(digits)} (${value.min.toFixed(digits)}–${value.max.toFixed(digits)})`;
  return [
    printDeliveries(result.rounds),
    '',
    `purchases/s with nobody subscribed: ${text(result.silentPerSecond, 0)}; with all: ${text(result.subscribedPerSecond, 0)}`,
    `with all by with nobody, within a round: ${text(result.ratio, 2)} (target: at least 0.8)`,
  ].join('\n');
}
