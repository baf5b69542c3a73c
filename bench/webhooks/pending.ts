/**
 * How much memory of its own (RssAnon) a node takes when events wait for endpoints that are dead (`--dead`). By default
 * half of them refuse connections, so their events are attempted as fast as the node gives them turns, and half take
 * connections and say nothing. Mapped pages of files are shown beside it: the system takes them back when it needs
 * room.
 *
 * Events are `catalog.updated`, one for each change of a price and each of 1,000 subscribers (`--group-window 0s`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BuyerClient } from '../../test/support/buyer-client.ts';
import { OperatorClient, ok } from '../../test/support/operator-client.ts';
import { inParallel } from '../measure/in-parallel.ts';
import { sumOf } from '../measure/journal-counters.ts';
import { anonymousBytes, type MemoryUse, memoryUse } from '../measure/process-memory.ts';
import { textTable } from '../measure/text-table.ts';
import type { RunningNode } from '../systems/running-node.ts';
import { DeadEndpoints } from './dead-endpoints.ts';
import type { WebhookOptions } from './webhook-options.ts';

export interface PendingStep extends MemoryUse {
  readonly name: string;
  readonly pending: number;
  readonly attempts: number;
  /** The most `anonymousBytes` that was seen of this process up to here. */
  readonly mostAnonymousBytes: number;
}

const SUBSCRIBERS = 1_000;
const CALLS_AT_ONCE = 8;
const STEPS = 10;
const LOOK_MS = 100;
const TARGET_MIB = 240;
const STEP_TIMEOUT_MS = 120_000;
/** After the last event, and after the restart; the longest that was seen counts, too. */
const WATCH_MS = 30_000;

type Start = (flags: readonly string[], env: Readonly<Record<string, string>>) => Promise<RunningNode>;

/** `folder` is for what the endpoints need. */
export async function measurePending(
  start: Start,
  folder: string,
  { events, dead }: Pick<WebhookOptions, 'events' | 'dead'>,
  progress: (line: string) => void,
): Promise<PendingStep[]> {
  const endpoints = await DeadEndpoints.open(dead, folder);
  try {
    const startNode = () => start(['--group-window', '0s'], endpoints.env);
    return await new PendingRun(startNode, events, progress).measure(endpoints.hosts);
  } finally {
    endpoints.close();
  }
}

export function printPending(steps: readonly PendingStep[]): string {
  const mebibytes = (bytes: number) => (bytes / 1024 ** 2).toFixed(0);
  const header = [
    'step',
    'pending',
    'attempts',
    'RssAnon MiB',
    'peak',
    'RssFile MiB',
    'VmRSS MiB',
    'VmHWM MiB',
  ];
  const rows = steps.map((step) => [
    step.name,
    step.pending.toLocaleString('en'),
    step.attempts.toLocaleString('en'),
    mebibytes(step.anonymousBytes),
    mebibytes(step.mostAnonymousBytes),
    mebibytes(step.fileBytes),
    mebibytes(step.residentBytes),
    mebibytes(step.mostResidentBytes),
  ]);
  const most = Math.max(...steps.map(({ mostAnonymousBytes }) => mostAnonymousBytes));
  const mostResident = Math.max(...steps.map(({ mostResidentBytes }) => mostResidentBytes));
  return [
    textTable(header, rows),
    '',
    `most RssAnon: ${mebibytes(most)} MiB (target: ${TARGET_MIB} MiB)`,
    `high-water mark, mapped pages included: ${mebibytes(mostResident)} MiB`,
  ].join('\n');
}

class PendingRun {
  readonly #start: () => Promise<RunningNode>;
  readonly #events: number;
  readonly #progress: (line: string) => void;
  readonly #steps: PendingStep[] = [];
  #peak: AnonymousPeak | undefined;

  constructor(start: () => Promise<RunningNode>, events: number, progress: (line: string) => void) {
    this.#start = start;
    this.#events = events;
    this.#progress = progress;
  }

  async measure(hosts: readonly string[]): Promise<PendingStep[]> {
    const node = await this.#startWatched();
    const operator = new OperatorClient(node.operatorUrl, node.operatorToken);
    const { productId = 0 } = await ok(
      operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }),
    );
    await subscribe(node, operator, hosts);
    await this.#note('subscribed', node, operator);
    const changes = Math.ceil(this.#events / SUBSCRIBERS);
    for (let step = 1; step <= STEPS; step += 1) {
      const upTo = Math.round((changes * step) / STEPS);
      for (let change = Math.round((changes * (step - 1)) / STEPS); change < upTo; change += 1) {
        await ok(operator.updateProduct(productId, { priceUsdt: 1 + (change + 1) / 100 }));
      }
      await untilDerived(operator, upTo * SUBSCRIBERS);
      await this.#note(`${(upTo * SUBSCRIBERS).toLocaleString('en')} events`, node, operator);
    }
    await this.#watch('later', node, operator);
    this.#peak?.end();
    await node.stop();
    const again = await this.#startWatched();
    const operatorAgain = new OperatorClient(again.operatorUrl, again.operatorToken);
    await this.#note('started again', again, operatorAgain);
    await this.#watch('later', again, operatorAgain);
    this.#peak?.end();
    await again.stop();
    return this.#steps;
  }

  async #startWatched(): Promise<RunningNode> {
    const node = await this.#start();
    this.#peak = new AnonymousPeak(node.pid);
    return node;
  }

  /** Watches the memory, and keeps its figures from when most was resident. */
  async #watch(name: string, node: RunningNode, operator: OperatorClient): Promise<void> {
    const endMs = performance.now() + WATCH_MS;
    let most: MemoryUse | undefined;
    while (performance.now() < endMs) {
      const use = await memoryUse(node.pid);
      if (use !== undefined && use.residentBytes > (most?.residentBytes ?? 0)) most = use;
      await sleep(LOOK_MS);
    }
    await this.#note(`the most in ${WATCH_MS / 1_000} s`, node, operator, most);
    await this.#note(name, node, operator);
  }

  async #note(name: string, node: RunningNode, operator: OperatorClient, seen?: MemoryUse): Promise<void> {
    const use = seen ?? (await memoryUse(node.pid));
    if (use === undefined) throw new Error('how much memory a process has is only known on Linux');
    const { pending, attempts } = await countersOf(operator);
    const mostAnonymousBytes = Math.max(this.#peak?.bytes ?? 0, use.anonymousBytes);
    this.#steps.push({ name, pending, attempts, ...use, mostAnonymousBytes });
    this.#progress(`pending: ${name}: ${Math.round(use.anonymousBytes / 1024 ** 2)} MiB RssAnon`);
  }
}

/** Looks again and again, because the system keeps a high-water mark of all resident pages only. */
class AnonymousPeak {
  #bytes = 0;
  #isEnded = false;

  constructor(pid: number) {
    void this.#look(pid);
  }

  get bytes(): number {
    return this.#bytes;
  }

  end(): void {
    this.#isEnded = true;
  }

  async #look(pid: number): Promise<void> {
    while (!this.#isEnded) {
      this.#bytes = Math.max(this.#bytes, (await anonymousBytes(pid)) ?? 0);
      await sleep(LOOK_MS, undefined, { ref: false });
    }
  }
}

async function subscribe(
  node: RunningNode,
  operator: OperatorClient,
  hosts: readonly string[],
): Promise<void> {
  const buyer = new BuyerClient(node.buyerUrl);
  try {
    await inParallel(Array.from({ length: SUBSCRIBERS }), CALLS_AT_ONCE, async (_, index) => {
      const { accountId = 0 } = await ok(
        operator.createAccount({ name: `dead ${index}`, rateLimitPerMinute: null }),
      );
      const { apiKey = '' } = await ok(operator.issueKey(accountId));
      const url = `https://${hosts[index % hosts.length]}:8443/${index}`;
      const { status, text } = await buyer.setWebhook(apiKey, { url, events: ['catalog.updated'] });
      if (status !== 200) throw new Error(`a webhook was answered ${status}: ${text}`);
    });
  } finally {
    buyer.close();
  }
}

/** Until so many events have come up. */
async function untilDerived(operator: OperatorClient, events: number): Promise<void> {
  const endMs = performance.now() + STEP_TIMEOUT_MS;
  while ((await countersOf(operator)).known < events) {
    if (performance.now() > endMs) throw new Error(`${events} events did not come up`);
    await sleep(LOOK_MS);
  }
}

async function countersOf(operator: OperatorClient) {
  const { text } = await operator.request('GET', '/metrics', {});
  return {
    known: sumOf(text, 'purser_webhook_events_total') ?? 0,
    pending: sumOf(text, 'purser_webhook_pending') ?? 0,
    attempts: sumOf(text, 'purser_webhook_attempts_total') ?? 0,
  };
}
