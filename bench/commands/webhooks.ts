/**
 * The benchmark of webhooks from start to verdict: purchases cause events, events reach 1,000 receivers over TLS, and
 * both are measured from outside while they share the machine with the load generator and the receivers.
 *
 * Like that of contention, the verdict is the check's, not the speed's: it returns true when every acknowledged
 * purchase reached its receiver, in order, and the books of orders and wallets add up.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LoadGenerator } from '../load/load-generator.ts';
import { type Conditions, readConditions } from '../measure/conditions.ts';
import { Stage } from '../shop/stage.ts';
import { Violations } from '../shop/violations.ts';
import { CUSTOMERS } from '../shop/world.ts';
import type { RunningNode } from '../systems/running-node.ts';
import { measurePending, printPending } from '../webhooks/pending.ts';
import { Receivers } from '../webhooks/receivers.ts';
import { measureShares, printShares } from '../webhooks/shares.ts';
import { SubscribedStage } from '../webhooks/subscribed-stage.ts';
import { measureOneReceiver, measureSustained, printDeliveries } from '../webhooks/sustained.ts';
import type { WebhookOptions } from '../webhooks/webhook-options.ts';

export interface WebhookEnvironment {
  readonly startNode: (
    dataDir: string,
    flags: readonly string[],
    env: Readonly<Record<string, string>>,
  ) => Promise<RunningNode>;
  /** An empty folder on the filesystem to measure. */
  readonly folder: string;
  /** The report, a block at a time. */
  readonly print: (text: string) => void;
  /** Prints the progress, a line at a time. */
  readonly progress: (line: string) => void;
}

const HANGING = 100;

/** Resolves true when the check found nothing wrong. */
export async function runWebhooks(
  options: WebhookOptions,
  environment: WebhookEnvironment,
): Promise<boolean> {
  environment.print(printConditions(readConditions(environment.folder), options));
  const run = new WebhookRun(options, environment);
  try {
    if (options.scenarios.some((name) => name !== 'pending')) await run.deliver();
    if (options.scenarios.includes('pending')) await run.pending();
    const { violations } = run;
    environment.print(
      violations.count === 0
        ? 'check: every acknowledged order reached its own receiver, first attempts in order; one in ten signatures verified; orders and wallets add up'
        : [`check: ${violations.count} violations`, ...violations.lines()].join('\n'),
    );
    return violations.count === 0;
  } finally {
    await run.close();
  }
}

/** Owns what was started. */
class WebhookRun {
  readonly violations = new Violations();
  readonly #options: WebhookOptions;
  readonly #environment: WebhookEnvironment;
  readonly #generator = LoadGenerator.start(1);
  readonly #nodes: RunningNode[] = [];
  #receivers: Receivers | undefined;

  constructor(options: WebhookOptions, environment: WebhookEnvironment) {
    this.#options = options;
    this.#environment = environment;
  }

  async deliver(): Promise<void> {
    const { scenarios, seed } = this.#options;
    const { print, progress, folder } = this.#environment;
    const parts = { seed, violations: this.violations };
    // The big spender has one, too.
    const receivers = await Receivers.start(folder, CUSTOMERS + 1);
    this.#receivers = receivers;
    const node = await this.#start('subscribed');
    progress(`${CUSTOMERS} receivers subscribe`);
    const subscribed = await SubscribedStage.open(node, this.#generator, receivers, parts);
    if (scenarios.includes('one-receiver')) {
      print(printDeliveries(await measureOneReceiver(subscribed, progress)));
    }
    if (scenarios.includes('sustained')) {
      print(printDeliveries(await measureSustained(subscribed, 'all healthy', this.#options, progress)));
    }
    await subscribed.hang(HANGING);
    if (scenarios.includes('hanging')) {
      print(printDeliveries(await measureSustained(subscribed, `${HANGING} hang`, this.#options, progress)));
    }
    if (scenarios.includes('shares')) {
      const silent = await Stage.open(await this.#start('silent'), this.#generator, parts);
      print(printShares(await measureShares(subscribed, silent, this.#options, progress)));
      await silent.compare();
      await silent.node.stop();
    }
    progress('checking orders and wallets');
    await subscribed.stage.compare();
    await node.stop();
  }

  async pending(): Promise<void> {
    const { print, progress, folder } = this.#environment;
    const start = (flags: readonly string[], env: Readonly<Record<string, string>>) =>
      this.#start('pending', flags, env);
    print(printPending(await measurePending(start, folder, this.#options, progress)));
  }

  async close(): Promise<void> {
    await this.#generator.stop();
    await Promise.all(this.#nodes.map((node) => node.kill()));
    await this.#receivers?.stop();
  }

  /** On a folder of its own for each name. */
  async #start(
    name: string,
    flags: readonly string[] = [],
    env: Readonly<Record<string, string>> = this.#trustInReceivers(),
  ): Promise<RunningNode> {
    const dataDir = join(this.#environment.folder, name);
    await mkdir(dataDir, { recursive: true });
    const dns = this.#receivers === undefined ? [] : ['--dns-server', this.#receivers.dns.address];
    const node = await this.#environment.startNode(
      dataDir,
      ['--webhook-allow', '127.0.0.0/8', ...dns, ...flags],
      env,
    );
    this.#nodes.push(node);
    return node;
  }

  #trustInReceivers(): Readonly<Record<string, string>> {
    return this.#receivers === undefined ? {} : { NODE_EXTRA_CA_CERTS: this.#receivers.authorityFile };
  }
}

function printConditions(conditions: Conditions, { warmupMs, measureMs, seed }: WebhookOptions): string {
  return [
    `processor   ${conditions.processor}, ${conditions.cores} cores; ${conditions.memoryGib} GiB memory`,
    `system      ${conditions.kernel}; data on ${conditions.filesystem}`,
    `disk        4 KiB written and synced in ${conditions.syncMicros} µs (median of 100)`,
    `before      load average ${conditions.loadAverage.toFixed(2)}`,
    `software    node ${conditions.node}, ${Object.values(conditions.libraries).join(', ')}`,
    'durability  fsync on, of the journal and of the outbox',
    `windows     ${warmupMs} ms warm-up, ${measureMs} ms measured; seed ${seed}`,
    'load        one client process, one process that plays all receivers (TLS 1.3, a host name and connections each)',
    'delay       from createdAt of the order to its receipt, on the one clock of this machine',
  ].join('\n');
}
