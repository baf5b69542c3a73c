/**
 * How fast webhooks are delivered: a backlog goes out over TLS to receivers in this process, and the clock runs from
 * the first receipt to the last. A backlog, because then nothing but the deliveries limits the rate; what is not
 * seen here is how deliveries and purchases share a machine.
 *
 * Events are `catalog.updated`, one for each change of a price and each subscriber (`--group-window 0s`). Every
 * subscriber has a URL of its own, which makes it an endpoint of its own with connections of its own; they share
 * an address. All must arrive, each once, or it is no measurement.
 */
import { Rejection } from '../src/engine/rejection.ts';
import { JournalFolder } from '../test/persistence/journal-folder.ts';
import { WEBHOOK_PORT } from '../test/support/loopback-listener.ts';
import { WebhookNode } from '../test/webhooks/webhook-node.ts';
import { median } from './statistics.ts';
import { textTable } from './text-table.ts';

interface Setting {
  readonly name: string;
  readonly receivers: number;
  readonly webhookConcurrency: number;
  /** Events of each receiver. */
  readonly events: number;
}

const settings: readonly Setting[] = [
  { name: 'one receiver, concurrency 1', receivers: 1, webhookConcurrency: 1, events: 8_000 },
  { name: 'one receiver, concurrency 16', receivers: 1, webhookConcurrency: 16, events: 20_000 },
  { name: '1,000 receivers, concurrency 1', receivers: 1_000, webhookConcurrency: 1, events: 30 },
];
const host = 'receiver.test';
const timeoutMs = 180_000;
const changesPerGroup = 32;

export async function runWebhooks(rounds: number, print: (text: string) => void): Promise<void> {
  const rows: string[][] = [];
  for (const setting of settings) {
    const rates: number[] = [];
    for (let round = 0; round < rounds; round += 1) rates.push(await deliveriesPerSecond(setting));
    const shown = rates.map((rate) => Math.round(rate).toLocaleString('en'));
    rows.push([setting.name, Math.round(median(rates)).toLocaleString('en'), shown.join(' ')]);
  }
  print(textTable(['receivers', 'deliveries/s', 'rounds'], rows));
}

async function deliveriesPerSecond(setting: Setting): Promise<number> {
  const { receivers, webhookConcurrency, events } = setting;
  const node = await WebhookNode.prepare(['--group-window', '0s']);
  try {
    const receiver = await node.network.receiver(host);
    await node.subscribe(
      ...Array.from({ length: receivers }, (_, index) => ({
        host,
        url: `https://${host}:${WEBHOOK_PORT}/hook/${index}`,
        events: ['catalog.updated'] as const,
        webhookConcurrency,
      })),
    );
    await node.stop();
    await changePrices(node.dataDir, events);
    await node.start();
    const expected = receivers * events;
    await arrived(() => receiver.requests.length >= expected);
    const ids = new Set(receiver.requests.map(({ headers }) => headers['x-service-delivery']));
    if (ids.size !== expected || receiver.requests.length !== expected) {
      throw new Error(`${receiver.requests.length} deliveries of ${ids.size} events, not of ${expected}`);
    }
    const [first, last] = [receiver.requests[0], receiver.requests.at(-1)];
    const tookMs = (last?.receivedAtMs ?? 0) - (first?.receivedAtMs ?? 0);
    return ((expected - 1) / tookMs) * 1_000;
  } finally {
    await node.close();
  }
}

async function changePrices(dataDir: string, changes: number): Promise<void> {
  const journal = await JournalFolder.open(dataDir);
  const change = (number: number) =>
    new Promise<void>((resolve, reject) => {
      const changed = { priceMicros: 1_000_000 + number };
      journal.engine.submit({ kind: 'UpdateProduct', productId: 1, changes: changed }, (result) =>
        result instanceof Rejection ? reject(new Error(result.message)) : resolve(),
      );
    });
  for (let first = 1; first <= changes; first += changesPerGroup) {
    const count = Math.min(changesPerGroup, changes - first + 1);
    await Promise.all(Array.from({ length: count }, (_, index) => change(first + index)));
  }
  await journal.close();
}

async function arrived(isSo: () => boolean): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`the backlog was not delivered within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
