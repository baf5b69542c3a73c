/** A server that sells what a supplier delivers, and what can be asked of both from outside. */
import { BuyerClient, type BuyerClientOptions, type BuyerReply } from '../../../support/buyer-client.ts';
import type { PurserProcess } from '../../../support/nodes/purser-process.ts';
import { type OperatorBody, OperatorClient, ok } from '../../../support/operator-client.ts';

export const PRICE_USDT = 3;
const QUANTITY = 2;

export interface Attempt {
  readonly key: string;
  readonly sku: string;
  readonly productId: number;
  /** The answer before the kill, if there was one. */
  answer?: BuyerReply;
}

/** The orders and supplier purchases of this account, and its key. */
export interface Stage {
  readonly accountId: number;
  readonly apiKey: string;
  readonly productIds: ReadonlyMap<string, number>;
}

export class SupplierShop {
  readonly server: PurserProcess;
  readonly operator: OperatorClient;
  readonly #buyers: BuyerClient;

  constructor(server: PurserProcess, options: BuyerClientOptions = {}) {
    this.server = server;
    this.operator = new OperatorClient(server.operatorUrl, server.operatorToken);
    this.#buyers = new BuyerClient(server.buyerUrl, options);
  }

  /**
   * A product for each sku, and an account that can pay for all of it. Each has the supplier by an entry of its own: the
   * node asks none any more that leaves five purchases in a row without an answer, and some skus are made for that.
   */
  async setStage(supplier: { url: string; secret: string }, skus: readonly string[], balanceUsdt: number) {
    const { operator } = this;
    const { accountId = 0 } = await ok(operator.createAccount({ name: 'a', rateLimitPerMinute: null }));
    await ok(operator.credit(accountId, balanceUsdt, 'start'));
    const { apiKey = '' } = await ok(operator.issueKey(accountId));
    const { url, secret } = supplier;
    const productIds = new Map<string, number>();
    for (const supplierSku of skus) {
      const { supplierId = 0 } = await ok(operator.createSupplier({ name: supplierSku, url, secret }));
      const product = { name: supplierSku, type: 'standard', priceUsdt: PRICE_USDT, supplierId, supplierSku };
      productIds.set(supplierSku, (await ok(operator.createProduct(product))).productId ?? 0);
    }
    return { accountId, apiKey, productIds } satisfies Stage;
  }

  buy({ apiKey }: Stage, { key, productId }: Attempt): Promise<BuyerReply> {
    const expectedPriceUsdt = QUANTITY * PRICE_USDT;
    return this.#buyers.purchase(apiKey, key, { productId, quantity: QUANTITY, expectedPriceUsdt });
  }

  /** An order from the bot, not paid yet. */
  async openOrder({ accountId }: Stage, productId: number): Promise<number> {
    const order = { accountId, productId, quantity: QUANTITY };
    return (await ok(this.operator.json('POST', '/orders', order))).orderId ?? 0;
  }

  async orders({ accountId }: Stage): Promise<Row<'orders'>[]> {
    return await this.#pages('/orders', 'orders', `accountId=${accountId}`);
  }

  async openSupplierPurchases(): Promise<Row<'supplierPurchases'>[]> {
    return await this.#pages('/supplier-purchases', 'supplierPurchases', '');
  }

  /** The texts that suppliers delivered after all. */
  async takeOwnStock({ productIds }: Stage): Promise<string[]> {
    const items: string[] = [];
    for (const productId of productIds.values()) {
      items.push(...((await ok(this.operator.withdrawStock(productId, 10_000))).items ?? []));
    }
    return items;
  }

  async kill(): Promise<void> {
    await this.server.kill();
    this.#buyers.close();
  }

  async stop(): Promise<number | null> {
    this.#buyers.close();
    return await this.server.stop();
  }

  async #pages<Key extends 'orders' | 'supplierPurchases'>(
    path: string,
    key: Key,
    filter: string,
  ): Promise<Row<Key>[]> {
    const rows: Row<Key>[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const place = cursor === '' ? filter : `${filter}&cursor=${cursor}`;
      const page: OperatorBody = await ok(this.operator.json('GET', `${path}?${place}`));
      rows.push(...((page[key] ?? []) as Row<Key>[]));
      cursor = page.nextCursor;
    }
    return rows;
  }
}

type Row<Key extends 'orders' | 'supplierPurchases'> = NonNullable<OperatorBody[Key]>[number];
