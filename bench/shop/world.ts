/**
 * The accounts and products of a benchmark, set up through the operator API, and what is known of them.
 *
 * Customers share the uniform traffic; the big spender is the one wallet of `hot-wallet` and the flooding
 * account of `flood`. Contest products are made as they are needed, each for one contest.
 */
import { type OperatorClient, ok } from '../../test/support/operator-client.ts';
import type { IndexRange } from '../load/plan.ts';
import { inParallel } from '../measure/in-parallel.ts';
import { ItemLedger } from './item-ledger.ts';

/** So many share the uniform traffic. */
export const CUSTOMERS = 1_000;
export const catalog: IndexRange = { first: 0, count: 100 };
export const hotProduct: IndexRange = { first: 100, count: 1 };
export const stockOfContest = 100;

const callsAtOnce = 16;
/** Few enough that one upload stays far from any timeout. */
const itemsPerUpload = 50_000;
const customerCreditUsdt = 1_000_000;
const bigSpenderCreditUsdt = 100_000_000;
/** The credit of accounts that are many: together an operator's accounts may hold 9 thousand million. */
const crowdCreditUsdt = 10_000;

export interface WorldAccount {
  readonly accountId: number;
  readonly apiKey: string;
  readonly creditedMicros: number;
  /** The sum of all acknowledged purchases. */
  spentMicros: number;
}

export interface WorldProduct {
  readonly productId: number;
  readonly priceUsdt: number;
  readonly priceMicros: number;
  issued: number;
  sold: number;
}

export class World {
  readonly accounts: WorldAccount[] = [];
  readonly products: WorldProduct[] = [];
  readonly items = new ItemLedger();
  readonly customers: IndexRange;
  readonly bigSpender: IndexRange;
  #crowd: IndexRange = { first: 0, count: 0 };
  #longestUploadMs = 0;
  #operator: OperatorClient;

  private constructor(operator: OperatorClient, customers: number) {
    this.customers = { first: 0, count: customers };
    this.bigSpender = { first: customers, count: 1 };
    this.#operator = operator;
  }

  static async create(operator: OperatorClient, customers = CUSTOMERS): Promise<World> {
    const world = new World(operator, customers);
    await world.#createAccounts(customers, customerCreditUsdt);
    await world.#createAccounts(1, bigSpenderCreditUsdt);
    await world.createProducts(hotProduct.first + hotProduct.count);
    return world;
  }

  /** Moves to another server, which serves the same data now. */
  moveTo(operator: OperatorClient): void {
    this.#operator = operator;
  }

  /** From the request to the answer. */
  get longestUploadMs(): number {
    return this.#longestUploadMs;
  }

  get apiKeys(): string[] {
    return this.accounts.map((account) => account.apiKey);
  }

  /** Uploads what is missing so that every product of the range has at least `count` items. */
  async stockUp(range: IndexRange, count: number): Promise<void> {
    await inParallel(
      this.products.slice(range.first, range.first + range.count),
      4,
      async (product, offset) => {
        const missing = count - (product.issued - product.sold);
        for (let left = missing; left > 0; left -= itemsPerUpload) {
          await this.#upload(product, range.first + offset, Math.min(left, itemsPerUpload));
        }
      },
    );
  }

  /** New products without stock; those of a supplier are delivered under their index as sku. */
  async createProducts(count: number, supplierId?: number): Promise<IndexRange> {
    const first = this.products.length;
    const indexes = Array.from({ length: count }, (_, offset) => first + offset);
    await inParallel(indexes, callsAtOnce, async (index) => {
      // Prices differ, so that a total charged for another product is noticed.
      const cents = 1 + (index % 7);
      const { productId } = await ok(
        this.#operator.createProduct({
          name: `Bench ${index}`,
          description: 'A product of the benchmark',
          instructions: '',
          type: 'standard',
          priceUsdt: cents / 100,
          ...(supplierId === undefined ? {} : { supplierId, supplierSku: String(index) }),
        }),
      );
      if (productId === undefined) throw new Error('a product was created without an id');
      this.products[index] = {
        productId,
        priceUsdt: cents / 100,
        priceMicros: cents * 10_000,
        issued: 0,
        sold: 0,
      };
    });
    return { first, count };
  }

  /** New products with a hundred items each. */
  async createContests(count: number): Promise<IndexRange> {
    const range = await this.createProducts(count);
    await this.stockUp(range, stockOfContest);
    return range;
  }

  /** The first `count` accounts of a crowd apart from all others. They are made when they are asked for, and stay. */
  async crowd(count: number): Promise<IndexRange> {
    if (this.#crowd.count < count) this.#crowd = await this.#createAccounts(count, crowdCreditUsdt);
    return { first: this.#crowd.first, count };
  }

  /** Accounts, and products that a supplier delivers under their index as sku, apart from all others. */
  async createSupplied(
    accountCount: number,
    productCount: number,
    supplier: { readonly url: string; readonly secret: string },
  ): Promise<{ accounts: IndexRange; products: IndexRange }> {
    const { supplierId } = await ok(this.#operator.createSupplier({ name: 'Bench supplier', ...supplier }));
    if (supplierId === undefined) throw new Error('a supplier was created without an id');
    const accounts = await this.#createAccounts(accountCount, customerCreditUsdt);
    const products = await this.createProducts(productCount, supplierId);
    return { accounts, products };
  }

  /** Gives every account a price list that changes no total and a spend limit that nobody reaches. */
  async listEverybody(): Promise<void> {
    const list = { name: 'Bench', percent: 0 };
    const { text } = await this.#operator.json('POST', '/price-lists', list);
    const { priceListId } = JSON.parse(text) as { readonly priceListId: number };
    await this.#setEverybody({ priceListId, spendLimits: [{ windowHours: 24, amountUsdt: 1_000_000_000 }] });
  }

  /** Every account's key works from the networks that it names, which are all. */
  allowEverywhere(): Promise<void> {
    return this.#setEverybody({ allowedNetworks: ['0.0.0.0/0', '::/0'] });
  }

  async #setEverybody(settings: object): Promise<void> {
    await inParallel(this.accounts, callsAtOnce, async ({ accountId }) => {
      await ok(this.#operator.json('PATCH', `/accounts/${accountId}`, settings));
    });
  }

  async #upload(product: WorldProduct, index: number, count: number): Promise<void> {
    const startedMs = performance.now();
    const { added } = await ok(this.#operator.addStock(product.productId, this.items.issue(index, count)));
    if (added !== count) throw new Error(`of ${count} new items ${added} were added to product ${index}`);
    product.issued += count;
    this.#longestUploadMs = Math.max(this.#longestUploadMs, performance.now() - startedMs);
  }

  async #createAccounts(count: number, creditUsdt: number): Promise<IndexRange> {
    const first = this.accounts.length;
    const indexes = Array.from({ length: count }, (_, offset) => first + offset);
    await inParallel(indexes, callsAtOnce, async (index) => {
      this.accounts[index] = await this.#createAccount(index, creditUsdt);
    });
    return { first, count };
  }

  async #createAccount(index: number, creditUsdt: number): Promise<WorldAccount> {
    const name = `bench ${index}`;
    const { accountId } = await ok(this.#operator.createAccount({ name, rateLimitPerMinute: null }));
    if (accountId === undefined) throw new Error('an account was created without an id');
    await ok(this.#operator.credit(accountId, creditUsdt, `bench-${index}`));
    const { apiKey } = await ok(this.#operator.issueKey(accountId));
    if (apiKey === undefined) throw new Error('a key was issued without its text');
    return { accountId, apiKey, creditedMicros: creditUsdt * 1_000_000, spentMicros: 0 };
  }
}
