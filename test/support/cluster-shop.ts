/**
 * Nodes of one shop that share a log in PostgreSQL, as real processes, and the folders that `purser cluster` makes.
 *
 * What always holds: a node that ends by itself is started again, as its unit does. On a busy machine any leader may lose
 * the lead, so who asks a node asks again while it starts. A test of such an end says so (`letEnd`).
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { BuyerClient, type BuyerReply, type PurchaseBody } from './buyer-client.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { OperatorClient } from './operator-client.ts';
import { runCommand } from './purser-command.ts';
import { OPERATOR_TOKEN, type PurserProcess, startPurser } from './purser-process.ts';

/** Of a test, for all its nodes. */
const ENVIRONMENT = { PURSER_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };

/** What begins needs an answer of PostgreSQL within seconds, or says this. */
const UNREACHABLE = /the log is not reachable|the log can't be used/;
const TRIES = 3;

export interface ClusterShopOptions {
  /** Has a folder for each node. */
  readonly folder: string;
  /** Of the log. */
  readonly url: string;
  /** Further ones of `purser serve`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A program that needs no node, in place of the one that is tested otherwise. */
  readonly binary?: string;
}

export class ClusterShop {
  readonly #options: ClusterShopOptions;
  readonly #ports = new Map<string, number>();
  readonly running = new Map<string, PurserProcess>();
  /** Those that have ended by themselves and start. */
  readonly #starting = new Map<string, Promise<unknown>>();

  constructor(options: ClusterShopOptions) {
    this.#options = options;
  }

  /** Of a node that has its log alone, or of one of the cluster, which `init` or `join` have made. */
  async start(node: string, isAlone = false): Promise<PurserProcess> {
    const { url, binary } = this.#options;
    const port = await this.#portOf(node);
    const flags = isAlone ? [] : ['--log', url, '--node', node, '--url', this.#urlOf(port)];
    const options = {
      dataDir: this.folderOf(node),
      ...(binary !== undefined && { binary }),
      flags: ['--port', String(port), ...flags, ...(this.#options.flags ?? [])],
      env: this.environment,
    };
    let started: PurserProcess | undefined;
    for (let tries = 1; started === undefined; tries += 1) {
      started = await startPurser(options).catch((error: Error) => {
        if (tries === TRIES || !UNREACHABLE.test(error.message)) throw error;
        return undefined;
      });
    }
    this.running.set(node, started);
    void started.exited.then(({ code }) => {
      // A test that kills it in its own way starts it, too.
      if (code === null || this.running.get(node) !== started) return;
      const starting = this.start(node, isAlone).catch(console.error);
      this.#starting.set(
        node,
        starting.finally(() => this.#starting.delete(node)),
      );
    });
    return started;
  }

  async init(node: string): Promise<void> {
    await this.#cluster('init', node);
  }

  async join(node: string): Promise<void> {
    await this.#cluster('join', node);
  }

  /** Of commands that open a folder. */
  get environment(): Readonly<Record<string, string>> {
    return { ...ENVIRONMENT, ...this.#options.env };
  }

  folderOf(node: string): string {
    return join(this.#options.folder, node);
  }

  operator(node: string): OperatorClient {
    return new OperatorClient(this.#processOf(node).operatorUrl, OPERATOR_TOKEN);
  }

  /** The body of what a node answers its operator. */
  async ask(node: string, path: string): Promise<Readonly<Record<string, unknown>>> {
    let body: object | undefined;
    await eventually(`node ${node} answers`, async () => {
      body = (await orGone(this.operator(node).json('GET', path)))?.body;
      return body !== undefined;
    });
    return { ...body };
  }

  async purchaseAt(node: string, apiKey: string, key: string, body: PurchaseBody): Promise<BuyerReply> {
    const buyers = new BuyerClient(this.#processOf(node).buyerUrl);
    try {
      return await buyers.purchase(apiKey, key, body);
    } finally {
      buyers.close();
    }
  }

  purchase(apiKey: string, key: string, body: PurchaseBody): Promise<BuyerReply> {
    return this.askLeader((leader) => this.purchaseAt(leader, apiKey, key, body));
  }

  /** Once more when that node has lost the lead meanwhile: what is asked for may happen twice. */
  async askLeader<Reply extends { readonly body: { readonly error?: string } }>(
    ask: (leader: string) => Promise<Reply>,
  ): Promise<Reply> {
    let reply: Reply | undefined;
    await eventually('a leader answers', async () => {
      reply = await orGone(ask(await this.leader()));
      return reply !== undefined && reply.body.error !== 'NOT_LEADING';
    });
    return reply ?? assert.fail();
  }

  /** What `GET /status` has about the cluster, and where the node's journal is. */
  async statusOf(node: string) {
    const body = await this.ask(node, '/status');
    const cluster = body.cluster as {
      readonly role: string;
      readonly term: number;
      readonly leader: unknown;
    };
    return { ...cluster, position: Number(body.journalPosition), orders: Number(body.orders) };
  }

  /** The node that takes requests, once there is one. */
  async leader(): Promise<string> {
    let leader: string | undefined;
    await eventually('a node leads', async () => {
      for (const node of this.running.keys()) {
        const ready = await orGone(this.operator(node).json('GET', '/ready'));
        if (ready?.status === 200) leader = node;
      }
      return leader !== undefined;
    });
    return leader ?? '';
  }

  /** Every node has the facts that the leader has. */
  async level(patienceMs?: number): Promise<void> {
    const leader = await this.leader();
    const { position } = await this.statusOf(leader);
    for (const node of this.running.keys()) {
      await eventually(
        `node ${node} has all facts`,
        async () => (await this.statusOf(node)).position >= position,
        patienceMs,
      );
    }
  }

  /** It is not started again when it ends. */
  async letEnd(node: string): Promise<PurserProcess> {
    if (this.#starting.has(node)) await this.#starting.get(node);
    const process = this.#processOf(node);
    this.running.delete(node);
    return process;
  }

  async kill(node: string): Promise<void> {
    await (await this.letEnd(node)).kill();
  }

  /** By SIGTERM. Its exit code. */
  async stop(node: string): Promise<number | null> {
    return await (await this.letEnd(node)).stop();
  }

  async close(): Promise<void> {
    await Promise.all([...this.running.keys()].map((node) => this.kill(node)));
  }

  #processOf(node: string): PurserProcess {
    const process = this.running.get(node);
    if (process === undefined) throw new Error(`node ${node} does not run`);
    return process;
  }

  async #portOf(node: string): Promise<number> {
    const port = this.#ports.get(node) ?? (await freePort());
    this.#ports.set(node, port);
    return port;
  }

  #urlOf(port: number): string {
    return `http://127.0.0.1:${port}`;
  }

  async #cluster(verb: 'init' | 'join', node: string): Promise<void> {
    const url = this.#urlOf(await this.#portOf(node));
    const where = ['--data', this.folderOf(node), '--log', this.#options.url, '--node', node, '--url', url];
    const args = ['cluster', verb, ...where];
    for (let tries = 1; ; tries += 1) {
      const { code, stderr } = await runCommand(args, this.environment, this.#options.binary);
      if (code === 0) return;
      assert.ok(tries < TRIES && UNREACHABLE.test(stderr), stderr);
    }
  }
}

/** What a node answers, or undefined when nobody listens any more. */
function orGone<Reply>(asked: Promise<Reply>): Promise<Reply | undefined> {
  return asked.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET') return undefined;
    throw error;
  });
}
