/**
 * A Purser whose accounts all subscribe, under load, with the books of what their receivers got. Set up through the
 * front door: each customer registers a webhook of its own, and the receivers verify with the secrets they were given.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BuyerClient } from '../../test/support/buyer-client.ts';
import { OperatorClient, ok } from '../../test/support/operator-client.ts';
import type { LoadGenerator } from '../load/load-generator.ts';
import { inParallel } from '../measure/in-parallel.ts';
import { processorTimeMs } from '../measure/machine-time.ts';
import type { WindowShape } from '../scenarios/scenarios.ts';
import { Stage, type StageOptions, type StageWindow } from '../shop/stage.ts';
import type { RunningNode } from '../systems/running-node.ts';
import { DeliveryBook, percentile } from './delivery-book.ts';
import type { Receivers } from './receivers.ts';

export interface DeliveryFigures {
  readonly purchasesPerSecond: number;
  readonly deliveriesPerSecond: number;
  /** From `createdAt` to the receipt, of what was bought while measuring, by healthy receivers. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** From the end of the measured time to the last receipt. */
  readonly drainedInMs: number;
  /** The server's share of one core. */
  readonly serverCpuShare: number | undefined;
  readonly clientCpuShare: number;
  readonly receiversCpuShare: number | undefined;
}

const CALLS_AT_ONCE = 8;
const LOOK_MS = 50;
const DRAIN_TIMEOUT_MS = 180_000;

export class SubscribedStage {
  readonly stage: Stage;
  readonly book: DeliveryBook;
  readonly #receivers: Receivers;
  readonly #violations: StageOptions['violations'];
  /** Receivers below hang. */
  #firstHealthy = 0;

  private constructor(stage: Stage, receivers: Receivers, { violations }: StageOptions) {
    this.stage = stage;
    this.#receivers = receivers;
    this.#violations = violations;
    this.book = new DeliveryBook(violations);
  }

  static async open(
    node: RunningNode,
    generator: LoadGenerator,
    receivers: Receivers,
    options: StageOptions,
  ): Promise<SubscribedStage> {
    const stage = await Stage.open(node, generator, options);
    const subscribed = new SubscribedStage(stage, receivers, options);
    await subscribed.#subscribeAll();
    return subscribed;
  }

  /** The first `count` receivers hang from now on. */
  async hang(count: number): Promise<void> {
    this.#firstHealthy = count;
    await this.#receivers.hang(count);
  }

  /** Runs a window, waits until all of it is delivered to those that answer, and enters both in the books. */
  async run(scenario: string, shape: WindowShape): Promise<StageWindow & { figures: DeliveryFigures }> {
    const receiversBeforeMs = processorTimeMs(this.#receivers.pid);
    const run = await this.stage.run(scenario, shape);
    const { window } = run;
    const receiversAfterMs = processorTimeMs(this.#receivers.pid);
    const wallMs = (shape.span.kind === 'timed' ? shape.span.warmupMs : 0) + window.measuredMs;
    const expected = this.book.bought(window.answers, this.#firstHealthy);
    await this.#drained(expected);
    const delays = this.book.delaysMs(window, this.#firstHealthy);
    const figures: DeliveryFigures = {
      purchasesPerSecond: window.lanes.reduce((sum, lane) => sum + lane.answersPerSecond, 0),
      deliveriesPerSecond: this.book.deliveriesPerSecond(window),
      p50Ms: percentile(delays, 50),
      p99Ms: percentile(delays, 99),
      longestMs: percentile(delays, 100),
      drainedInMs: this.book.lastReceiptMs - window.toMs,
      serverCpuShare: window.serverCpuShare,
      clientCpuShare: window.clientCpuShare,
      receiversCpuShare:
        receiversBeforeMs === undefined || receiversAfterMs === undefined
          ? undefined
          : (receiversAfterMs - receiversBeforeMs) / wallMs,
    };
    return { ...run, figures };
  }

  async #drained(expected: number): Promise<void> {
    const endMs = performance.now() + DRAIN_TIMEOUT_MS;
    for (let count = 0; count < expected && performance.now() < endMs; await sleep(LOOK_MS)) {
      count = await this.#receivers.count();
    }
    do {
      this.book.received(await this.#receivers.collect());
      if (this.book.missing(this.#firstHealthy) === 0) return;
      await sleep(LOOK_MS);
    } while (performance.now() < endMs);
    this.#violations.add(
      `${this.book.missing(this.#firstHealthy)} deliveries are missing after ${DRAIN_TIMEOUT_MS} ms`,
    );
  }

  async #subscribeAll(): Promise<void> {
    const { world, node } = this.stage;
    const buyer = new BuyerClient(node.buyerUrl);
    const secrets: string[] = [];
    try {
      await inParallel(world.accounts, CALLS_AT_ONCE, async ({ apiKey }, index) => {
        const url = this.#receivers.urlOf(index);
        const { status, body, text } = await buyer.setWebhook(apiKey, { url, events: ['order.completed'] });
        if (status !== 200) throw new Error(`a webhook was answered ${status}: ${text}`);
        secrets[index] = body.webhook?.secret ?? '';
      });
    } finally {
      buyer.close();
    }
    await this.#receivers.setSecrets(secrets);
  }

  /** How many deliveries the account may have under way. */
  async setConcurrency(account: number, webhookConcurrency: number): Promise<void> {
    const { node, world } = this.stage;
    const operator = new OperatorClient(node.operatorUrl, node.operatorToken);
    const accountId = world.accounts[account]?.accountId;
    if (webhookConcurrency > 1) this.book.unordered.add(account);
    await ok(operator.json('PATCH', `/accounts/${accountId}`, { webhookConcurrency }));
  }
}
