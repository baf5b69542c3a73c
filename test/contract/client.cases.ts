/**
 * The TypeScript client against real servers: what it promises a reseller's program holds over HTTP, also when
 * answers get lost.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PurserClient, type PurserClientOptions, PurserError } from 'purser/client';
import { randomFromEnvironment } from '../support/random.ts';
import { casesOf, known } from './scene.ts';

export const client = casesOf('purser/client', (scene) => {
  function clientOf(
    { apiKey }: { apiKey: string },
    options: Partial<PurserClientOptions> = {},
  ): PurserClient {
    const timing = { sleep: async () => {} };
    return new PurserClient({ baseUrl: scene.server.buyerUrl, apiKey, timing, ...options });
  }

  async function refusalOf(call: Promise<unknown>): Promise<[code: string, status: number | undefined]> {
    const error = await call.catch((reason: unknown) => reason);
    if (!(error instanceof PurserError)) throw new Error('no refusal', { cause: error });
    assert.match(known(error.requestId), /^req_/);
    assert.equal(error.attempts, 1);
    return [error.code, error.status];
  }

  test('it buys, and the same purchase sent again brings the same order', async () => {
    const buyer = await scene.buyer();
    const client = clientOf(buyer);
    const productId = await scene.product({ stock: ['first', 'second', 'third'] });
    const purchase = client.purchase({ productId, quantity: 2, expectedPriceUsdt: 7 });
    const { requestId: _, ...order } = await purchase.send();
    assert.deepEqual(order.delivery?.items, ['first', 'second']);
    assert.equal(order.balanceAfterUsdt, 93);

    const afterCrash = JSON.parse(JSON.stringify(purchase));
    const resumed = clientOf({ apiKey: await scene.freshKey(buyer.accountId) });
    const { requestId: __, ...replayed } = await resumed.purchase(afterCrash.request, afterCrash).send();
    assert.deepEqual(replayed, order);
    assert.equal((await resumed.balance()).balanceUsdt, 93);

    assert.equal((await resumed.health()).status, 'ok');
    const { products } = await resumed.products();
    assert.equal(products.find(({ id }) => id === productId)?.availableStock, 1);
    const { requestId: ___, ...read } = await resumed.waitForOrder(order.orderId);
    assert.deepEqual({ ...read, balanceAfterUsdt: 93 }, order);
  });

  test('it says what a refusal was, in the API’s words', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 10 });
    const client = clientOf(buyer);
    const productId = await scene.product({ stock: 1 });
    const buy = (quantity: number, expectedPriceUsdt: number, id = productId) =>
      client.purchase({ productId: id, quantity, expectedPriceUsdt });

    const dearer = buy(1, 3);
    const error = await dearer.send().catch((reason: unknown) => reason);
    assert.ok(error instanceof PurserError);
    assert.deepEqual([error.code, error.currentPriceUsdt, error.isCharged], ['PRICE_CHANGED', 3.5, false]);

    const tooMany = buy(2, 7);
    assert.deepEqual(await refusalOf(tooMany.send()), ['OUT_OF_STOCK', 409]);
    assert.deepEqual(await refusalOf(buy(1, 3.5, 999_999).send()), ['NOT_FOUND', 404]);
    const { idempotencyKey } = dearer;
    const otherBody = client.purchase({ productId, expectedPriceUsdt: 3.5 }, { idempotencyKey });
    assert.deepEqual(await refusalOf(otherBody.send()), ['IDEMPOTENCY_CONFLICT', 409]);
    assert.deepEqual(await refusalOf(client.order(999_999)), ['NOT_FOUND', 404]);

    await scene.operator.addStock(productId, ['another', 'and one more']);
    assert.equal((await tooMany.send()).status, 'completed', 'with stock, the same key buys');
    assert.deepEqual(await refusalOf(buy(1, 3.5).send()), ['INSUFFICIENT_BALANCE', 402]);

    const reading = clientOf({ apiKey: await scene.freshKey(buyer.accountId, ['catalog:read']) });
    assert.deepEqual(await refusalOf(reading.balance()), ['FORBIDDEN', 403]);
    assert.deepEqual(await refusalOf(client.products()), ['UNAUTHORIZED', 401]);
  });

  test('whatever answers get lost, every purchase happens once', async (context) => {
    const random = randomFromEnvironment();
    context.diagnostic(`seed ${random.seed}`);
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 20, priceUsdt: 1 });
    let lostAnswers = 0;
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      // The first in any case: not one in twenty happens, too.
      if (lostAnswers > 0 && random.chance(0.6)) return response;
      await response.arrayBuffer();
      lostAnswers += 1;
      throw new TypeError('the answer got lost');
    };
    const client = clientOf(buyer, { fetch: losing, maxAttempts: 100 });
    const purchases = Array.from({ length: 20 }, () => client.purchase({ productId, expectedPriceUsdt: 1 }));
    const orders = await Promise.all(purchases.map((purchase) => purchase.send()));
    assert.ok(lostAnswers > 0);
    assert.equal(new Set(orders.flatMap(({ delivery }) => delivery?.items ?? [])).size, 20);
    assert.equal(await scene.balanceUsdt(buyer), 80);
    assert.equal(await scene.available(productId), 0);
  });
});
