/**
 * A node in this process, its two clients and the few lines it takes to set the stage: an account with money and a key,
 * a product with stock. Every reply that the buyers' client gets is held against the OpenAPI document that the node gives.
 *
 * Cases are in `*.cases.ts`, one noun a file. `both-transports.test.ts` runs all of them in order on one node, and
 * those that a transport could change on one with the other transport at the same time. Cases share a node, so every
 * case makes its own accounts and products, and none counts on ids or on being the only one that buys. Tests that count
 * on being alone (exact metrics, alerts, restarts) have a file to themselves.
 *
 * To run few of them: `npm test -- both-transports --test-name-pattern PATTERN`.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { platform } from 'node:process';
import type { Flags } from '../../src/config/config.ts';
import type { PurserNode } from '../../src/node/node.ts';
import { BuyerClient } from '../support/buyer-client.ts';
import { CheckedOperatorClient } from '../support/checked-operator-client.ts';
import { startInProcess } from '../support/nodes/node-in-process.ts';
import { type OperatorClient, ok, type ProductInput } from '../support/operator-client.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { DocumentedAnswers } from './openapi/documented-answers.ts';

export interface Buyer {
  readonly accountId: number;
  readonly apiKey: string;
}

export interface BuyerOptions {
  /** The wallet's balance; default 100. */
  readonly balanceUsdt?: number;
  /** Default: all. */
  readonly scopes?: readonly string[];
}

export interface ProductOptions extends ProductInput {
  /** How many items to put on the shelf, or which; default none. */
  readonly stock?: number | readonly string[];
}

interface Terms {
  readonly priceListId: number | undefined;
  readonly productId: number;
}

export class Scene {
  readonly transport: string;
  readonly #flags: Flags;
  readonly #hasTerms: boolean;
  #terms: Promise<Terms> | undefined;
  readonly #log: string[] = [];
  #folder: TemporaryFolder | undefined;
  #node: PurserNode | undefined;
  /** The last one is used; the others may still be waiting for answers. */
  #buyers: BuyerClient[] = [];
  #operator: OperatorClient | undefined;
  #answers: DocumentedAnswers | undefined;

  /**
   * `flags` by their names in camel case. `hasTerms`: every account has a price list, an own price, spend limits and
   * networks, all such that it buys as one without.
   */
  constructor(transport: string, flags: Flags = {}, hasTerms = false) {
    this.transport = transport;
    this.#hasTerms = hasTerms;
    this.#flags = { logLevel: 'warn', transport, ...flags };
  }

  /** Once more after `stop`, on the same folder. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#folder ??= await createTemporaryFolder('contract');
    const flags = { data: this.dataDir, ...this.#flags };
    this.#node = await startInProcess(flags, { env, onLine: (line) => this.#log.push(line) });
    const { buyerUrl, operatorUrl, operatorToken } = this.server;
    const document = await (await fetch(`${buyerUrl}/openapi.json`)).text();
    this.#answers = new DocumentedAnswers(document, { notesFields: true });
    this.useNextAddress();
    this.#operator = new CheckedOperatorClient(operatorUrl, operatorToken);
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

  async stop(): Promise<void> {
    for (const client of this.#buyers) client.close();
    this.#buyers = [];
    await this.#node?.stop();
    this.#node = undefined;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#folder?.remove();
  }

  get server() {
    const { buyerUrl, operatorUrl, operatorToken } = known(this.#node);
    return { buyerUrl, operatorUrl, operatorToken };
  }

  /** All lines of the log, of warnings and worse unless the flags say otherwise. */
  log(): string {
    return this.#log.join('');
  }

  get dataDir(): string {
    return known(this.#folder).path;
  }

  get buyers(): BuyerClient {
    return known(this.#buyers.at(-1));
  }

  /** The promises of the server's OpenAPI document, and the answers that were seen. */
  get answers(): DocumentedAnswers {
    return known(this.#answers);
  }

  get operator(): OperatorClient {
    return known(this.#operator);
  }

  /** A new account with money and a key, and no rate limit: how fast a test goes is not its subject. */
  async buyer(options: BuyerOptions = {}): Promise<Buyer> {
    const { balanceUsdt = 100, scopes } = options;
    const name = `buyer ${randomUUID()}`;
    const accountId = known(
      (await ok(this.operator.createAccount({ name, rateLimitPerMinute: null }))).accountId,
    );
    if (this.#hasTerms) await this.#setTerms(accountId);
    if (balanceUsdt > 0) await ok(this.operator.credit(accountId, balanceUsdt, 'first deposit'));
    return { accountId, apiKey: await this.freshKey(accountId, scopes) };
  }

  async #setTerms(accountId: number): Promise<void> {
    this.#terms ??= this.#newTerms();
    const { priceListId, productId } = await this.#terms;
    const spendLimits = [1, 24, 744].map((windowHours) => ({ windowHours, amountUsdt: 1e9 }));
    const terms = { priceListId, spendLimits, allowedNetworks: ['127.0.0.0/8', '::1'] };
    await ok(this.operator.json('PATCH', `/accounts/${accountId}`, terms));
    await ok(this.operator.json('PUT', `/accounts/${accountId}/prices/${productId}`, { priceUsdt: 1 }));
  }

  /** A price list whose prices are the products', and a product that nobody buys. */
  async #newTerms(): Promise<Terms> {
    const list = await ok(this.operator.json('POST', '/price-lists', { name: 'As it is', percent: 0 }));
    const productId = await this.product({ name: 'Not for sale' });
    return { priceListId: (list as { readonly priceListId?: number }).priceListId, productId };
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
    // Other products have the same texts.
    if (items.length > 0) await ok(this.operator.addStock(productId, items, { allowDuplicates: true }));
    return productId;
  }

  /** A purchase at 3.50 each, unless another total is expected. */
  buy(
    { apiKey }: Pick<Buyer, 'apiKey'>,
    productId: number,
    quantity = 1,
    expectedPriceUsdt = 3.5 * quantity,
    key: string = randomUUID(),
  ) {
    return this.buyers.purchase(apiKey, key, { productId, quantity, expectedPriceUsdt });
  }

  async balanceUsdt(buyer: Buyer): Promise<number> {
    return known((await this.buyers.balance(buyer.apiKey)).body.balanceUsdt);
  }

  /** The stock in the catalog of a product that keeps its own. */
  async available(productId: number): Promise<number> {
    const { availableStock } = await ok(this.operator.getProduct(productId));
    if (typeof availableStock !== 'number') throw new Error(`availableStock is ${availableStock}`);
    return availableStock;
  }
}

/** The cases of one file, for any server. */
export interface Cases {
  readonly title: string;
  readonly define: (scene: Scene) => void;
}

export function casesOf(title: string, define: (scene: Scene) => void): Cases {
  return { title, define };
}

/** A key for a purchase that is made once. */
export function freshIdempotencyKey(): string {
  return randomUUID();
}

/** The value of a field the contract promises. */
export function known<T>(value: T | undefined): T {
  return value ?? assert.fail('the answer lacks a field that it must have, or nothing has been started');
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
