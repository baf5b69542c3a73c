/** Nodes of one shop that share a log in PostgreSQL, as real processes, and the folders that `purser cluster` makes. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { OperatorClient } from './operator-client.ts';
import { runCommand } from './purser-command.ts';
import { OPERATOR_TOKEN, type PurserProcess, startPurser } from './purser-process.ts';

/** Of a test, for all its nodes. */
const ENVIRONMENT = { PURSER_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };

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

  constructor(options: ClusterShopOptions) {
    this.#options = options;
  }

  /** Of a node that has its log alone, or of one of the cluster, which `init` or `join` have made. */
  async start(node: string, isAlone = false): Promise<PurserProcess> {
    const { url, binary } = this.#options;
    const port = await this.#portOf(node);
    const flags = isAlone ? [] : ['--log', url, '--node', node, '--url', this.#urlOf(port)];
    const started = await startPurser({
      dataDir: this.folderOf(node),
      ...(binary !== undefined && { binary }),
      flags: ['--port', String(port), ...flags, ...(this.#options.flags ?? [])],
      env: this.environment,
    });
    this.running.set(node, started);
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
    const { body } = await this.operator(node).json('GET', path);
    return { ...body };
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
        const { status } = await this.operator(node).json('GET', '/ready');
        if (status === 200) leader = node;
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

  async kill(node: string): Promise<void> {
    const process = this.#processOf(node);
    this.running.delete(node);
    await process.kill();
  }

  /** By SIGTERM. Its exit code. */
  async stop(node: string): Promise<number | null> {
    const process = this.#processOf(node);
    this.running.delete(node);
    return await process.stop();
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
    const { code, stderr } = await runCommand(args, this.environment, this.#options.binary);
    assert.equal(code, 0, stderr);
  }
}
