/**
 * Deliveries beside the purchases that cause them.
 *
 * To 1,000 receivers the load is an open loop: purchases at a rate that the machine sustains together with their
 * deliveries, because a closed loop buys as fast as it can, ten times faster than any TLS client sends, and then the
 * delay measured is only the length of the queue. The closed loop is the second row.
 */

import { textTable } from '../measure/text-table.ts';
import type { WindowShape } from '../scenarios/scenarios.ts';
import { catalog } from '../shop/world.ts';
import type { DeliveryFigures, SubscribedStage } from './subscribed-stage.ts';
import type { WebhookOptions } from './webhook-options.ts';

export interface NamedFigures extends DeliveryFigures {
  readonly name: string;
}

const traffic = { name: 'buyers', choice: 'random', copies: 1, products: catalog } as const;
/** By webhookConcurrency: what takes some seconds to deliver. */
const BACKLOGS = [
  { webhookConcurrency: 1, orders: 8_000 },
  { webhookConcurrency: 16, orders: 20_000 },
] as const;
const BACKLOG_CONNECTIONS = 64;
/** Purchases a second to prepare stock for in a closed loop. */
export const MOST_PER_SECOND = 60_000;

/** One account, one receiver: how fast a backlog goes out once the purchases have ended. */
export async function measureOneReceiver(
  subscribed: SubscribedStage,
  progress: (line: string) => void,
): Promise<NamedFigures[]> {
  const { bigSpender } = subscribed.stage.world;
  const rows: NamedFigures[] = [];
  for (const { webhookConcurrency, orders } of BACKLOGS) {
    const name = `one receiver, concurrency ${webhookConcurrency}`;
    await subscribed.setConcurrency(bigSpender.first, webhookConcurrency);
    await subscribed.stage.stockUp(catalog, orders * 1.1);
    const plan = { ...traffic, connections: BACKLOG_CONNECTIONS, accounts: bigSpender };
    const span = { kind: 'counted', warmupRequests: 0, requests: orders } as const;
    const { figures, window } = await subscribed.run(name, { lanes: [{ plan, refusals: [] }], span });
    const drain = { fromMs: window.toMs, toMs: subscribed.book.lastReceiptMs };
    const deliveriesPerSecond = subscribed.book.deliveriesPerSecond(drain);
    rows.push({ ...figures, name, deliveriesPerSecond });
    progress(`${name}: ${Math.round(deliveriesPerSecond)} deliveries/s`);
  }
  return rows;
}

/** All accounts, each with its receiver: at a steady rate, and as fast as the buyers can. */
export async function measureSustained(
  subscribed: SubscribedStage,
  receivers: string,
  { rate, connections, warmupMs, measureMs }: WebhookOptions,
  progress: (line: string) => void,
): Promise<NamedFigures[]> {
  const { customers } = subscribed.stage.world;
  const span = { kind: 'timed', warmupMs, measureMs } as const;
  const shape: WindowShape = {
    lanes: [{ plan: { ...traffic, connections, accounts: customers, perSecond: rate }, refusals: [] }],
    span,
  };
  const name = `${receivers}, ${rate.toLocaleString('en')} purchases/s`;
  await subscribed.stage.stockUp(catalog, (rate * 1.2 * (warmupMs + measureMs)) / 1_000);
  const { figures } = await subscribed.run(name, shape);
  progress(`${name}: ${Math.round(figures.deliveriesPerSecond)} deliveries/s, p99 ${figures.p99Ms} ms`);
  return [{ ...figures, name }];
}

export function printDeliveries(rows: readonly NamedFigures[]): string {
  const header = [
    'receivers',
    'purchases/s',
    'deliveries/s',
    'delay p50 ms',
    'p99 ms',
    'longest ms',
    'drained ms',
    'server cpu',
    'client cpu',
    'receivers cpu',
  ];
  return textTable(header, rows.map(rowOf));
}

export function rowOf(row: NamedFigures): string[] {
  const whole = (value: number) => Math.round(value).toLocaleString('en');
  const share = (value: number | undefined) => (value === undefined ? '–' : `${Math.round(value * 100)} %`);
  return [
    row.name,
    whole(row.purchasesPerSecond),
    whole(row.deliveriesPerSecond),
    whole(row.p50Ms),
    whole(row.p99Ms),
    whole(row.longestMs),
    whole(row.drainedInMs),
    share(row.serverCpuShare),
    share(row.clientCpuShare),
    share(row.receiversCpuShare),
  ];
}
