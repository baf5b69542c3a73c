/**
 * The first buyer, who asks again when there is a long history: the time that a node takes to find its oldest orders
 * and keys. An account apart from the world's, so its wallet is not in the audit; here each answer is compared with the
 * first one.
 */
import { isDeepStrictEqual } from 'node:util';
import { type BuyerBody, BuyerClient, type PurchaseBody } from '../../test/support/buyer-client.ts';
import { OperatorClient, ok } from '../../test/support/operator-client.ts';
import { type Spread, spread } from '../measure/statistics.ts';
import type { Violations } from '../shop/violations.ts';
import type { RunningNode } from '../systems/running-node.ts';

const ORDERS = 100;
const PRICE_USDT = 0.01;

export interface OldestTimes {
  /** GET /orders/{id}, milliseconds. */
  readonly orderMs: Spread | undefined;
  /** POST /orders with a key that was used. */
  readonly keyMs: Spread | undefined;
}

export class FirstBuyer {
  readonly #apiKey: string;
  readonly #body: PurchaseBody;
  readonly #orders: readonly BuyerBody[];

  private constructor(apiKey: string, body: PurchaseBody, orders: readonly BuyerBody[]) {
    this.#apiKey = apiKey;
    this.#body = body;
    this.#orders = orders;
  }

  static async buy(node: RunningNode): Promise<FirstBuyer> {
    const operator = new OperatorClient(node.operatorUrl, node.operatorToken);
    const { accountId = 0 } = await ok(
      operator.createAccount({ name: 'first buyer', rateLimitPerMinute: null }),
    );
    await ok(operator.credit(accountId, ORDERS * PRICE_USDT, 'first buyer'));
    const { apiKey = '' } = await ok(operator.issueKey(accountId));
    const product = { name: 'First', description: '', instructions: '', priceUsdt: PRICE_USDT };
    const { productId = 0 } = await ok(operator.createProduct({ ...product, type: 'standard' }));
    const items = Array.from({ length: ORDERS }, (_, item) => `first-${item}`);
    await ok(operator.addStock(productId, items.join('\n')));
    const body = { productId, expectedPriceUsdt: PRICE_USDT };
    const orders: BuyerBody[] = [];
    const buyer = new BuyerClient(node.buyerUrl);
    try {
      for (let number = 0; number < ORDERS; number += 1) {
        const reply = await buyer.purchase(apiKey, keyOf(number), body);
        if (reply.status !== 201)
          throw new Error(`the first buyer was answered ${reply.status} ${reply.text}`);
        orders.push(reply.body);
      }
    } finally {
      buyer.close();
    }
    return new FirstBuyer(apiKey, body, orders);
  }

  /** Asks for each once, one after the other. */
  async askAgain(node: RunningNode, violations: Violations): Promise<OldestTimes> {
    const buyer = new BuyerClient(node.buyerUrl);
    const orderMs: number[] = [];
    const keyMs: number[] = [];
    try {
      // The connection is there, and what only a first request pays for is paid.
      await buyer.balance(this.#apiKey);
      for (const [number, order] of this.#orders.entries()) {
        const { requestId: _, ...known } = order;
        const { balanceAfterUsdt: __, ...fetched } = known;
        const get = await timed(() => buyer.order(this.#apiKey, order.orderId ?? 0));
        const again = await timed(() => buyer.purchase(this.#apiKey, keyOf(number), this.#body));
        orderMs.push(get.ms);
        keyMs.push(again.ms);
        expectSame('order', fetched, get.body, violations);
        expectSame('key', known, again.body, violations);
      }
    } finally {
      buyer.close();
    }
    return { orderMs: spread(orderMs), keyMs: spread(keyMs) };
  }
}

async function timed(call: () => Promise<{ readonly body: BuyerBody }>) {
  const startMs = performance.now();
  const { body } = await call();
  return { ms: performance.now() - startMs, body };
}

function expectSame(what: string, known: object, body: BuyerBody, violations: Violations): void {
  const { requestId: _, ...answered } = body;
  if (isDeepStrictEqual(answered, known)) return;
  violations.add(`the oldest ${what}: ${JSON.stringify(known)} is now ${JSON.stringify(answered)}`);
}

function keyOf(number: number): string {
  return `first-buyer-${String(number).padStart(3, '0')}`;
}
