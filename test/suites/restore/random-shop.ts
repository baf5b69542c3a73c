/** Shops on real nodes: a small one, and one in which anything happens, for tests that need a history with all of it. */
import { randomBytes } from 'node:crypto';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { type OperatorClient, ok } from '../../support/operator-client.ts';
import type { Random } from '../../support/random.ts';

const ITEM_PRODUCTS = 3;
/** Few, so that products have the same texts again and again. */
const TEXTS = 400;
const WEBHOOK = {
  // Nobody listens there: what comes up stays to be delivered.
  url: 'https://127.1.1.1/',
  events: ['order.completed', 'order.failed', 'stock.changed', 'catalog.updated'],
};

/** Eight codes of product 1 at 1 USDT, and an account with 100 USDT, whose key it gives. */
export async function sellCodes({ operator }: { operator: OperatorClient }): Promise<string> {
  await ok(operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
  await ok(operator.addStock(1, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']));
  await ok(operator.createAccount({ name: 'a buyer', rateLimitPerMinute: null }));
  await ok(operator.credit(1, 100, 'deposit'));
  return (await ok(operator.issueKey(1))).apiKey ?? '';
}

export class RandomShop {
  readonly node: QuietNode;
  readonly #random: Random;
  readonly #keys: string[] = [];
  readonly #accounts: number[] = [];
  readonly #items: number[] = [];
  #manual = 0;
  #file = 0;
  #lots: number[] = [];
  #orders: number[] = [];
  readonly #pending: number[] = [];
  #count = 0;

  private constructor(node: QuietNode, random: Random) {
    this.node = node;
    this.#random = random;
  }

  static async open(random: Random): Promise<RandomShop> {
    const shop = new RandomShop(
      await QuietNode.start('random-shop', { webhookAllow: '127.0.0.0/8' }),
      random,
    );
    const { operator } = shop.node;
    for (let count = 0; count < 3; count += 1) await shop.#account();
    for (let count = 0; count < ITEM_PRODUCTS; count += 1) {
      const { productId = 0 } = await ok(operator.createProduct({ name: `items ${count}`, priceUsdt: 1 }));
      shop.#items.push(productId);
    }
    shop.#manual =
      (await ok(operator.createProduct({ name: 'by hand', type: 'manual', priceUsdt: 2 }))).productId ?? 0;
    shop.#file =
      (await ok(operator.createProduct({ name: 'a file', type: 'file', priceUsdt: 3 }))).productId ?? 0;
    await shop.#newFile();
    return shop;
  }

  /** So many things happen, one after the other. */
  async live(steps: number): Promise<void> {
    const random = this.#random;
    const deeds: readonly (() => Promise<unknown>)[] = [
      () => this.#upload(),
      () => this.#upload(),
      () => this.#buy(random.pick(this.#items), random.between(1, 5)),
      () => this.#buy(random.pick(this.#items), random.between(1, 5)),
      () => this.#buy(random.pick(this.#items), 1),
      () => this.#buy(this.#manual, 1),
      () => this.#buy(this.#manual, 1),
      () => this.#buy(this.#file, 1),
      () => this.#complete(),
      () => this.#adjust('refund', {}),
      () => this.#adjust('replace', { items: [0] }),
      () => this.node.operator.withdrawStock(random.pick(this.#items), random.between(1, 8)),
      () => this.#recall(),
      () => this.#newFile(),
      () => this.#webhook(),
      () => this.#account(),
      () =>
        this.node.operator.updateProduct(random.pick(this.#items), {
          priceUsdt: 1,
          name: `renamed ${random.between(1, 9)}`,
        }),
    ];
    for (let step = 0; step < steps; step += 1) await random.pick(deeds)();
  }

  /** Many at once, so that groups have many facts. */
  async rush(purchases: number): Promise<void> {
    await Promise.all(Array.from({ length: purchases }, () => this.#buy(this.#random.pick(this.#items), 1)));
  }

  async #account(): Promise<void> {
    const { operator } = this.node;
    const { accountId = 0 } = await ok(operator.createAccount({ name: 'a buyer', rateLimitPerMinute: null }));
    await ok(operator.credit(accountId, 500, `deposit ${accountId}`));
    const { apiKey = '' } = await ok(operator.issueKey(accountId));
    this.#accounts.push(accountId);
    this.#keys.push(apiKey);
  }

  async #upload(): Promise<void> {
    const random = this.#random;
    const count = random.pick([1, 2, 5, 40, 130, 300]);
    const lines = Array.from({ length: count }, () => `text ${random.between(1, TEXTS)}`);
    const allowDuplicates = random.chance(0.5);
    const reply = await this.node.operator.addStock(random.pick(this.#items), lines, { allowDuplicates });
    const { lotId } = reply.body as { readonly lotId?: number };
    if (lotId !== undefined) this.#lots.push(lotId);
  }

  async #buy(productId: number, quantity: number): Promise<void> {
    this.#count += 1;
    const price = productId === this.#manual ? 2 : productId === this.#file ? 3 : 1;
    const body = { productId, quantity, expectedPriceUsdt: price * quantity };
    const reply = await this.node.buyers.purchase(this.#random.pick(this.#keys), `key ${this.#count}`, body);
    const { orderId } = reply.body as { readonly orderId?: number };
    if (orderId === undefined) return;
    this.#orders.push(orderId);
    if (productId === this.#manual) this.#pending.push(orderId);
  }

  /** By hand, also with a text that the product has. */
  async #complete(): Promise<void> {
    const orderId = this.#pending.shift();
    if (orderId === undefined) return;
    const random = this.#random;
    const items = Array.from({ length: random.between(0, 3) }, () => `text ${random.between(1, TEXTS)}`);
    if (random.chance(0.2)) await this.node.operator.moveOrder(orderId, 'fail', {});
    else await this.node.operator.moveOrder(orderId, 'complete', { items });
  }

  async #adjust(step: 'refund' | 'replace', body: object): Promise<void> {
    if (this.#orders.length === 0) return;
    await this.node.operator.adjustOrder(
      this.#random.pick(this.#orders),
      step,
      body,
      `adjust ${this.#count}`,
    );
    this.#count += 1;
  }

  async #recall(): Promise<void> {
    if (this.#lots.length === 0 || this.#random.chance(0.7)) return;
    await this.node.operator.json('POST', `/lots/${this.#random.pick(this.#lots)}/recall`, { reason: 'bad' });
  }

  async #newFile(): Promise<void> {
    const bytes = new Uint8Array(randomBytes(this.#random.pick([1, 700, 1_200_000])));
    await ok(this.node.operator.setFile(this.#file, bytes, 'application/pdf'));
  }

  async #webhook(): Promise<void> {
    const apiKey = this.#random.pick(this.#keys);
    if (this.#random.chance(0.3)) await this.node.buyers.deleteWebhook(apiKey);
    else await this.node.buyers.setWebhook(apiKey, WEBHOOK);
  }
}
