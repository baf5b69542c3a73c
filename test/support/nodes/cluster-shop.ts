/**
 * Nodes of one shop that share a log in PostgreSQL, as real processes, and the folders that `purser cluster` makes.
 *
 * Invariant: a leader that ends because it has lost the lead is started again, as its unit does. On a busy machine that
 * may happen to any of them, so who asks a node asks again while it starts. A test of such an end says so (`letEnd`). A
 * node that ends otherwise fails the test.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { BuyerClient, type BuyerReply, type PurchaseBody } from '../buyer-client.ts';
import { eventually } from '../eventually.ts';
import { OperatorClient } from '../operator-client.ts';
import { freePort } from '../servers/free-port.ts';
import { runCommand } from './purser-command.ts';
import { OPERATOR_TOKEN, type PurserProcess, startPurser } from './purser-process.ts';

/** The environment of all nodes of a test. */
const ENVIRONMENT = { PURSER_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };

/** The message of a command that begins without an answer of PostgreSQL within seconds. */
const UNREACHABLE = /the log is not reachable|the log can't be (used|read)|PostgreSQL did not answer/;
const TRIES = 3;
const HAS_LOST_THE_LEAD = /stopping: (PostgreSQL has confirmed nothing|another node leads)/;

export interface ClusterShopOptions {
  /** Has a folder for each node. */
  readonly folder: string;
  /** The URL of the log; as a node sees it, where they see it differently. */
  readonly url: string | ((node: string) => string);
  /** Further flags of `purser serve`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A program that needs no node, in place of the one that is tested otherwise. */
  readonly binary?: string;
}

export class ClusterShop {
  readonly #options: ClusterShopOptions;
  readonly #ports = new Map<string, number>();
  readonly running = new Map<string, PurserProcess>();
  /** Nodes that have lost the lead. */
  readonly #starting = new Map<string, Promise<unknown>>();
  /** Whose end the tests wait for. */
  readonly #ending = new Set<PurserProcess>();

  constructor(options: ClusterShopOptions) {
    this.#options = options;
  }

  /** Starts a node that has its log alone, or one of the cluster, which `init` or `join` have made. */
  async start(node: string, isAlone = false): Promise<PurserProcess> {
    const { binary } = this.#options;
    const port = await this.#portOf(node);
    const flags = isAlone ? [] : ['--log', this.#logOf(node), '--node', node, '--url', this.#urlOf(port)];
    const options = {
      dataDir: this.folderOf(node),
      ...(binary !== undefined && { binary }),
      flags: ['--port', String(port), ...flags, ...(this.#options.flags ?? [])],
      env: this.environment,
    };
    const started = await onceReachable(() => startPurser(options));
    this.running.set(node, started);
    void this.#startAgain(node, started);
    return started;
  }

  /** Starts a node again that has ended. Nobody takes a rejection, so it fails the test. */
  async #startAgain(node: string, ended: PurserProcess): Promise<void> {
    const { code } = await ended.exited;
    // A test that kills it in its own way starts it, too.
    if (code === null || this.running.get(node) !== ended) return;
    const output = ended.output();
    assert.ok(code === 1 && HAS_LOST_THE_LEAD.test(output), `node ${node} ended with ${code}: ${output}`);
    console.log(`node ${node} has lost the lead, and starts again`);
    const starting = this.start(node);
    this.#starting.set(node, starting);
    try {
      await starting;
    } finally {
      this.#starting.delete(node);
    }
  }

  /** Runs `nodes`. The shop begins with what `prepare` gives the first one while that has its log alone. */
  async begin(
    nodes: readonly string[],
    prepare: (process: PurserProcess) => Promise<unknown>,
  ): Promise<void> {
    const [first = '', ...others] = nodes;
    await prepare(await this.start(first, true));
    await this.stop(first);
    await this.init(first);
    await this.start(first);
    for (const node of others) {
      await this.join(node);
      await this.start(node);
    }
    await this.level();
  }

  async init(node: string): Promise<void> {
    await this.#cluster('init', node);
  }

  async join(node: string): Promise<void> {
    await this.#cluster('join', node);
  }

  /** The environment of commands that open a folder. */
  get environment(): Readonly<Record<string, string>> {
    return { ...ENVIRONMENT, ...this.#options.env };
  }

  folderOf(node: string): string {
    return join(this.#options.folder, node);
  }

  operator(node: string): OperatorClient {
    return new OperatorClient(this.#processOf(node).operatorUrl, OPERATOR_TOKEN);
  }

  /** The body of what a node answers its operator, once it runs. */
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

  /** Again and again while that node loses the lead meanwhile: what is asked for may happen twice. */
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

  /** The node's status about the cluster, by `GET /status`, and the end of its journal. */
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

  /** Stops all, proves their folders against the log, and compares their states: the digest that all have. */
  async verify(): Promise<string> {
    await this.level();
    const leader = await this.leader();
    const nodes = [...this.running.keys()];
    for (const node of nodes.filter((name) => name !== leader)) await this.stop(node);
    await this.stop(leader);
    const digests = new Set<string>();
    for (const node of nodes) {
      const where = ['--data', this.folderOf(node), '--log', this.#logOf(node)];
      const { code, stdout, stderr } = await runCommand(['verify', ...where], this.environment);
      assert.equal(code, 0, `node ${node}: ${stdout}${stderr}`);
      digests.add(/^digest: .*$/m.exec(stdout)?.[0] ?? `node ${node} prints no digest`);
    }
    assert.equal(digests.size, 1, [...digests].join('\n'));
    return [...digests].join();
  }

  /** Lets a node end: from the call on it is not started again, and nobody asks it any more. */
  async letEnd(node: string): Promise<PurserProcess> {
    const starting = this.#starting.get(node);
    if (starting !== undefined) await starting;
    const process = this.#processOf(node);
    this.running.delete(node);
    this.#ending.add(process);
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
    const nodes = [...this.running.keys()].map((node) => this.letEnd(node));
    await Promise.allSettled(nodes);
    await Promise.all([...this.#ending].map((process) => process.kill()));
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

  #logOf(node: string): string {
    const { url } = this.#options;
    return typeof url === 'string' ? url : url(node);
  }

  #urlOf(port: number): string {
    return `http://127.0.0.1:${port}`;
  }

  async #cluster(verb: 'init' | 'join', node: string): Promise<void> {
    const url = this.#urlOf(await this.#portOf(node));
    const where = ['--data', this.folderOf(node), '--log', this.#logOf(node), '--node', node, '--url', url];
    const args = ['cluster', verb, ...where];
    await onceReachable(async () => {
      const { code, stderr } = await runCommand(args, this.environment, this.#options.binary);
      assert.equal(code, 0, stderr);
    });
  }
}

/** Begins again, so often, where PostgreSQL did not answer in time. */
async function onceReachable<Begun>(begin: () => Promise<Begun>): Promise<Begun> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await begin();
    } catch (error) {
      if (tries === TRIES || !UNREACHABLE.test(String(error))) throw error;
    }
  }
}

const GONE = new Set<string | undefined>(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** The answer of a node, or undefined when nobody listens any more. */
function orGone<Reply>(asked: Promise<Reply>): Promise<Reply | undefined> {
  return asked.catch((error: NodeJS.ErrnoException) => {
    if (GONE.has(error.code)) return undefined;
    throw error;
  });
}
