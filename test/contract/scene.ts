/**
 * A server, its two clients and the few lines it takes to set the stage: an account with money and a key,
 * a product with stock. Every reply that the buyers' client gets is held against the OpenAPI document that the
 * server gives.
 *
 * Cases are in `*.cases.ts`, one noun a file. `both-transports.test.ts` runs them in order on one server with each
 * transport, and the transports at the same time: what a transport could change on both, the rest on one. Cases share a server, so every case makes its
 * own accounts and products, and none counts on ids or on being the only one that buys. What counts on being alone
 * (exact metrics, alerts, restarts) has a test file to itself.
 *
 * To run few of them: `node dist/test/run.js both-transports --test-name-pattern PATTERN`.
 */
import { randomUUID } from 'node:crypto';
import { platform } from 'node:process';
import { after, before, describe } from 'node:test';
import { BuyerClient } from '../support/buyer-client.ts';
import { CheckedOperatorClient } from '../support/checked-operator-client.ts';
import { type OperatorClient, ok, type ProductInput } from '../support/operator-client.ts';
import { type PurserProcess, startPurser } from '../support/purser-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { WITHOUT_UWS, withoutTransport } from '../support/uws-binary.ts';
import { DocumentedAnswers } from './documented-answers.ts';

export interface Buyer {
  readonly accountId: number;
  readonly apiKey: string;
}

export interface BuyerOptions {
  /** What the wallet holds; default 100. */
  readonly balanceUsdt?: number;
  /** Default: all. */
  readonly scopes?: readonly string[];
}

export interface ProductOptions extends ProductInput {
  /** How many items to put on the shelf, or which; default none. */
  readonly stock?: number | readonly string[];
}

export class Scene {
  readonly transport: string;
  readonly #flags: readonly string[];
  #folder: TemporaryFolder | undefined;
  #server: PurserProcess | undefined;
  /** The last one is used; the others may still be waiting for answers. */
  readonly #buyers: BuyerClient[] = [];
  #operator: OperatorClient | undefined;
  #answers: DocumentedAnswers | undefined;

  constructor(transport: string, flags: readonly string[] = []) {
    this.transport = transport;
    this.#flags = ['--transport', transport, ...flags];
  }

  async start(): Promise<void> {
    this.#folder = await createTemporaryFolder('contract');
    this.#server = await startPurser({
      dataDir: this.#folder.path,
      flags: this.#flags,
    });
    const { buyerUrl } = this.#server;
    const stranger = new BuyerClient(buyerUrl);
    const { text } = await stranger.raw('GET', '/openapi.json');
    stranger.close();
    const answers = new DocumentedAnswers(text);
    this.#answers = answers;
    this.useNextAddress();
    this.#operator = new CheckedOperatorClient(this.#server.operatorUrl, this.#server.operatorToken);
  }

  /** Buyers call from another address of this machine: a server takes 20 invalid keys from each (SPEC.md §8). */
  useNextAddress(): void {
    // Elsewhere the loopback interface has one address, unless somebody gives it more.
    const localAddress = platform === 'linux' ? `127.0.0.${this.#buyers.length + 1}` : undefined;
    const { answers } = this;
    this.#buyers.push(
      new BuyerClient(this.server.buyerUrl, {
        localAddress,
        onReply: (method, path, reply) => answers.check(method, path, reply),
      }),
    );
  }

  /** Throws when the server has crashed or doesn't stop cleanly. */
  async stop(): Promise<void> {
    for (const client of this.#buyers) client.close();
    const exitCode = await this.#server?.stop();
    if (this.#server !== undefined && exitCode !== 0) {
      throw new Error(`the server exited with ${exitCode}:\n${this.#server.output()}`);
    }
    await this.#folder?.remove();
  }

  get server(): PurserProcess {
    return started(this.#server);
  }

  get dataDir(): string {
    return started(this.#folder).path;
  }

  get buyers(): BuyerClient {
    return started(this.#buyers.at(-1));
  }

  /** What the server's OpenAPI document says, and which of it was seen. */
  get answers(): DocumentedAnswers {
    return started(this.#answers);
  }

  get operator(): OperatorClient {
    return started(this.#operator);
  }

  /** A new account with money and a key, and no rate limit: how fast a test goes is not its subject. */
  async buyer(options: BuyerOptions = {}): Promise<Buyer> {
    const { balanceUsdt = 100, scopes } = options;
    const name = `buyer ${randomUUID()}`;
    const accountId = known(
      (await ok(this.operator.createAccount({ name, rateLimitPerMinute: null }))).accountId,
    );
    if (balanceUsdt > 0) await ok(this.operator.credit(accountId, balanceUsdt, 'first deposit'));
    return { accountId, apiKey: await this.freshKey(accountId, scopes) };
  }

  /** Issues a key; the one before dies. */
  async freshKey(accountId: number, scopes?: readonly string[]): Promise<string> {
    return known((await ok(this.operator.issueKey(accountId, scopes))).apiKey);
  }

  /** A new product at 3.50 unless said otherwise; returns its id. */
  async product(options: ProductOptions = {}): Promise<number> {
    const { stock = 0, ...input } = options;
    const created = await ok(this.operator.createProduct({ ...productDefaults, ...input }));
    const productId = known(created.productId);
    const items = typeof stock === 'number' ? numberedItems(stock) : stock;
    if (items.length > 0) await ok(this.operator.addStock(productId, items));
    return productId;
  }

  async balanceUsdt(buyer: Buyer): Promise<number> {
    return known((await this.buyers.balance(buyer.apiKey)).body.balanceUsdt);
  }

  /** What the catalog says is left of a product that keeps its own stock. */
  async available(productId: number): Promise<number> {
    const { availableStock } = await ok(this.operator.getProduct(productId));
    if (typeof availableStock !== 'number') throw new Error(`availableStock is ${availableStock}`);
    return availableStock;
  }
}

/** What one file of cases proves, for any server that it is given. */
export interface Cases {
  readonly title: string;
  readonly define: (scene: Scene) => void;
}

export function casesOf(title: string, define: (scene: Scene) => void): Cases {
  return { title, define };
}

export interface SharedServers {
  /** Beside the transport's. */
  readonly flags: readonly string[];
  readonly cases: readonly Cases[];
  /**
   * Cases that no transport changes: those of the operator API, which node serves whatever the buyers' is, and those of
   * what happens behind a request that was read and before its answer is written.
   */
  readonly onOneTransport: readonly Cases[];
  /** Cases that wait for many seconds, on one transport, at the same time as the others. */
  readonly meanwhile: Cases;
}

export function onBothTransports(servers: SharedServers): void {
  const { flags, cases, onOneTransport, meanwhile } = servers;
  // A half on each, so that neither has to wait long for the other.
  const half = WITHOUT_UWS ? 0 : Math.ceil(onOneTransport.length / 2);
  const onUws = { flags, cases: [...cases, ...onOneTransport.slice(0, half)], meanwhile: [meanwhile] };
  const onNode = { flags, cases: [...cases, ...onOneTransport.slice(half)], meanwhile: [] };
  describe('both transports', { timeout: 300_000, concurrency: true }, () => {
    onServer('uws', onUws);
    onServer('node', WITHOUT_UWS ? { ...onNode, meanwhile: [meanwhile] } : onNode);
  });
}

interface CasesOfServer {
  readonly flags: readonly string[];
  readonly cases: readonly Cases[];
  readonly meanwhile: readonly Cases[];
}

function onServer(transport: string, { flags, cases, meanwhile }: CasesOfServer): void {
  const skip = withoutTransport(transport);
  describe(`--transport ${transport}`, { timeout: 300_000, concurrency: true, skip }, () => {
    const scene = new Scene(transport, flags);
    before(() => scene.start());
    after(() => scene.stop());
    const defineAll = (all: readonly Cases[]) => {
      for (const { title, define } of all) {
        describe(`${title} (--transport ${transport})`, { timeout: 120_000 }, () => {
          before(() => scene.useNextAddress());
          define(scene);
        });
      }
    };
    describe('one after the other', { timeout: 300_000, concurrency: 1 }, () => defineAll(cases));
    defineAll(meanwhile);
  });
}

/** A key for a purchase that is made once. */
export function freshIdempotencyKey(): string {
  return randomUUID();
}

/** The value of a field the contract promises. */
export function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the answer lacks a field that it must have');
  return value;
}

const productDefaults = {
  name: 'Gift card',
  description: 'One code',
  instructions: 'Redeem it',
  type: 'standard',
  priceUsdt: 3.5,
};

function numberedItems(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `item-${index + 1}`);
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the scene has not been started');
  return value;
}
