/**
 * A real node that delivers to real receivers: over TLS by an authority of the test's own, by names that the test's
 * own name server knows.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WEBHOOK_EVENTS, type Webhook } from '../../src/engine/webhook.ts';
import { verifyDataFolder } from '../../src/persistence/verify.ts';
import { type ServerUnderTest, startServer } from '../suites/crash/shop/server-under-test.ts';
import { ok } from '../support/operator-client.ts';
import { WEBHOOK_PORT } from '../support/servers/loopback-listener.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { WebhookScene } from './delivery/webhook-scene.ts';

export interface Subscriber {
  readonly accountId: number;
  readonly apiKey: string;
  readonly secret: string;
}

export interface Subscription {
  readonly host: string;
  /** Default: all. */
  readonly events?: Webhook['events'];
  readonly webhookConcurrency?: number;
}

const STOCK = 10_000;

export class WebhookNode {
  readonly network: WebhookScene;
  readonly #folder: TemporaryFolder;
  readonly #flags: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  #server: ServerUnderTest | undefined;

  private constructor(
    network: WebhookScene,
    folder: TemporaryFolder,
    flags: readonly string[],
    env: Readonly<Record<string, string>>,
  ) {
    this.network = network;
    this.#folder = folder;
    this.#flags = flags;
    this.#env = env;
  }

  /**
   * A node whose product 1 has plenty of stock. `flags` are more flags of `purser serve`. When it rejects, nothing is
   * left open: a test's process would wait for the name server and the receivers.
   */
  static async prepare(
    flags: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<WebhookNode> {
    const network = await WebhookScene.open();
    const node = new WebhookNode(network, await createTemporaryFolder('webhooks'), flags, env);
    try {
      writeFileSync(node.#caFile, network.authority.certificate);
      const { operator } = await node.start();
      await ok(operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
      await ok(operator.addStock(1, Array.from({ length: STOCK }, (_, index) => `code-${index}`).join('\n')));
      return node;
    } catch (error) {
      await node.close();
      throw error;
    }
  }

  get dataDir(): string {
    return join(this.#folder.path, 'data');
  }

  get server(): ServerUnderTest {
    if (this.#server === undefined) throw new Error('the node is not running');
    return this.#server;
  }

  async start(): Promise<ServerUnderTest> {
    const webhooks = ['--dns-server', this.network.dns.address, '--webhook-allow', '127.0.0.0/8'];
    this.#server = await startServer({
      dataDir: this.dataDir,
      flags: [...webhooks, ...this.#flags],
      env: { NODE_EXTRA_CA_CERTS: this.#caFile, ...this.#env },
    });
    return this.#server;
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = undefined;
  }

  async kill(): Promise<void> {
    await this.#server?.kill();
    this.#server = undefined;
  }

  /** New accounts with money, a key and a webhook each, registered as buyers do. The node must be running. */
  async subscribe(...subscriptions: Subscription[]): Promise<Subscriber[]> {
    const subscribers: Subscriber[] = [];
    for (const { host, webhookConcurrency, events = WEBHOOK_EVENTS } of subscriptions) {
      const account = await this.#newAccount(webhookConcurrency);
      const url = `https://${host}:${WEBHOOK_PORT}/hook`;
      const { body } = await this.server.buyers.setWebhook(account.apiKey, { url, events });
      const secret = body.webhook?.secret;
      if (secret === undefined) throw new Error(body.message);
      subscribers.push({ ...account, secret });
    }
    return subscribers;
  }

  /** Buys one of product 1; the order's id. Throws when the purchase isn't answered with 201. */
  async buy({ apiKey }: Subscriber): Promise<number> {
    const reply = await this.server.buyers.purchase(apiKey, randomUUID(), {
      productId: 1,
      expectedPriceUsdt: 1,
    });
    const orderId = reply.body?.orderId;
    if (reply.status !== 201 || typeof orderId !== 'number') throw new Error(`it answered ${reply.status}`);
    return orderId;
  }

  /** Stops the node; throws unless what `purser verify` calls finds all in order. */
  async verify(): Promise<void> {
    await this.stop();
    const lines: string[] = [];
    const isSound = await verifyDataFolder(this.dataDir, (line) => lines.push(line));
    if (!isSound) throw new Error(lines.join('\n'));
  }

  async close(): Promise<void> {
    await this.kill();
    this.network.close();
    await this.#folder.remove();
  }

  async #newAccount(webhookConcurrency = 1): Promise<Omit<Subscriber, 'secret'>> {
    const { operator } = this.server;
    const input = { name: 'reseller', rateLimitPerMinute: null, webhookConcurrency };
    const { accountId = 0 } = await ok(operator.createAccount(input));
    await ok(operator.credit(accountId, 100_000, randomUUID()));
    const { apiKey = '' } = await ok(operator.issueKey(accountId));
    return { accountId, apiKey };
  }

  get #caFile(): string {
    return join(this.#folder.path, 'authority.pem');
  }
}
