/** SPEC.md §4, idempotency rules for POST /orders: what a key remembers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BuyerReply } from '../../support/buyer-client.ts';
import { assertRefusal, assertReplay, assertSuccess, withoutRequestId } from '../reply-assertions.ts';
import { type BuyerOptions, casesOf, freshIdempotencyKey, known, type ProductOptions } from '../scene.ts';

/** Other bytes, the same request; `ID` stands for the product. The first one is sent first. */
const sameRequests = [
  '{"productId":ID,"expectedPriceUsdt":3.5}',
  '{"expectedPriceUsdt":3.5,"productId":ID}',
  '  {\n  "productId" : ID,\n  "expectedPriceUsdt" : 3.5\n}\n',
  '{"productId":ID,"quantity":1,"expectedPriceUsdt":3.5}',
  '{"quantity":1,"expectedPriceUsdt":3.50,"productId":ID}',
  '{"productId":ID.0,"quantity":1.0,"expectedPriceUsdt":35e-1}',
];

export const idempotency = casesOf('idempotency', (scene) => {
  /** A buyer with a key for a product at 3.50. `send` buys one unless `changes` say otherwise. */
  async function stage(product: ProductOptions = { stock: 5 }, options: BuyerOptions = {}) {
    const [buyer, productId] = await Promise.all([scene.buyer(options), scene.product(product)]);
    const key = freshIdempotencyKey();
    const send = (changes: object = {}, by: { apiKey?: string; key?: string } = {}) => {
      const body = { productId, expectedPriceUsdt: 3.5, ...changes };
      return scene.buyers.purchase(by.apiKey ?? buyer.apiKey, by.key ?? key, body);
    };
    const sendText = (text: string): Promise<BuyerReply> => {
      const headers = {
        'x-api-key': buyer.apiKey,
        'idempotency-key': key,
        'content-type': 'application/json',
      };
      return scene.buyers.raw('POST', '/orders', headers, text.replaceAll('ID', String(productId)));
    };
    const left = async () => [await scene.balanceUsdt(buyer), await scene.available(productId)];
    return { buyer, productId, send, sendText, left };
  }

  test('§4 a repeat returns the same order, byte for byte apart from the request id, whatever has changed since', async () => {
    const { buyer, productId, send, left } = await stage({ stock: 5 }, { balanceUsdt: 7 });
    const two = { quantity: 2, expectedPriceUsdt: 7 };
    const first = await send(two);
    assertSuccess(first, 201);
    assertReplay(await send(two), first);
    await scene.operator.updateProduct(productId, { priceUsdt: 9.99, active: false, name: 'Other' });
    assertReplay(await send(two), first);
    await scene.operator.credit(buyer.accountId, 50, 'more');
    assertReplay(await send(two), first);
    assert.deepEqual(await left(), [50, 3]);
  });

  test('§4 key order, white space and an omitted quantity don’t make another request', async () => {
    const { sendText, left } = await stage();
    const [first, ...others] = sameRequests;
    const bought = await sendText(known(first));
    assertSuccess(bought, 201);
    for (const body of others) assertReplay(await sendText(body), bought);
    assert.deepEqual(await left(), [96.5, 4]);
  });

  test('§4 another quantity, product, price or recipient under the key is 409 IDEMPOTENCY_CONFLICT', async () => {
    const { send, left } = await stage();
    const first = await send();
    assertSuccess(first, 201);
    for (const changes of [
      { quantity: 2 },
      { quantity: 2, expectedPriceUsdt: 7 },
      { productId: await scene.product({ stock: 10 }) },
      { expectedPriceUsdt: 3.51 },
      { productId: 999_999_999 },
      { recipient: { username: '@some_one' } },
    ]) {
      assertRefusal(await send(changes), 409, 'IDEMPOTENCY_CONFLICT');
    }
    assertReplay(await send(), first);
    assert.deepEqual(await left(), [96.5, 4]);
  });

  /** Refusals that a key remembers; the operator's changes make the purchase possible. */
  const stored = [
    [402, 'INSUFFICIENT_BALANCE', { balanceUsdt: 1 }, {}, 3.5],
    [409, 'PRICE_CHANGED', {}, {}, 5],
    [404, 'NOT_FOUND', {}, { active: false }, 3.5],
  ] as const;
  for (const [status, code, options, product, expectedPriceUsdt] of stored) {
    test(`§4 ${code} is repeated after its reason is gone; another key buys`, async () => {
      const { buyer, productId, send, left } = await stage({ stock: 1, ...product }, options);
      const first = await send({ expectedPriceUsdt });
      assertRefusal(first, status, code);
      await scene.operator.credit(buyer.accountId, 10, 'more');
      await scene.operator.updateProduct(productId, { priceUsdt: expectedPriceUsdt, active: true });
      const repeated = await send({ expectedPriceUsdt });
      assertReplay(repeated, first);
      assertRefusal(await send({ expectedPriceUsdt, quantity: 2 }), 409, 'IDEMPOTENCY_CONFLICT');
      assert.equal(repeated.body.currentPriceUsdt, code === 'PRICE_CHANGED' ? 3.5 : undefined);
      assert.equal((await left())[1], 1);
      assertSuccess(await send({ expectedPriceUsdt }, { key: freshIdempotencyKey() }), 201);
    });
  }

  test('§4 OUT_OF_STOCK is not stored: with stock the same key buys, with another body, too', async () => {
    const { productId, send, left } = await stage({});
    const two = { quantity: 2, expectedPriceUsdt: 7 };
    for (let i = 0; i < 2; i += 1) {
      const refused = await send(two);
      assertRefusal(refused, 409, 'OUT_OF_STOCK');
      assert.equal(refused.headers['idempotent-replayed'], undefined);
    }
    await scene.operator.addStock(productId, ['a', 'b']);
    const bought = await send();
    assertSuccess(bought, 201);
    assert.equal(bought.headers['idempotent-replayed'], undefined);
    assertReplay(await send(), bought);
    assertRefusal(await send(two), 409, 'IDEMPOTENCY_CONFLICT');
    assert.deepEqual(await left(), [96.5, 1]);
  });

  test('§4 twenty requests at once with one key make one order, which all of them get', async () => {
    const { send, left } = await stage({ stock: 30 });
    const replies = await Promise.all(Array.from({ length: 20 }, () => send()));
    for (const reply of replies) assertSuccess(reply, 201);
    assert.equal(new Set(replies.map(withoutRequestId)).size, 1);
    const originals = replies.filter((reply) => reply.headers['idempotent-replayed'] === undefined);
    assert.equal(originals.length, 1);
    assert.deepEqual(await left(), [96.5, 29]);
  });

  test('§4 two bodies at once with one key: one is bought, the other is in conflict', async () => {
    const { send, left } = await stage({ stock: 30 });
    const bodies = Array.from({ length: 20 }, (_, index) => (index % 2) + 1);
    const sent = bodies.map((quantity) => send({ quantity, expectedPriceUsdt: 3.5 * quantity }));
    const replies = await Promise.all(sent);
    const bought = replies.filter((reply) => reply.status === 201);
    const refused = replies.filter((reply) => reply.status !== 201);
    assert.deepEqual([bought.length, refused.length], [10, 10]);
    for (const reply of refused) assertRefusal(reply, 409, 'IDEMPOTENCY_CONFLICT');
    assert.equal(new Set(bought.map(withoutRequestId)).size, 1);
    const { quantity = 0, totalPriceUsdt = 0 } = known(bought[0]).body;
    assert.deepEqual(await left(), [100 - totalPriceUsdt, 30 - quantity]);
  });

  test('§4 keys are the account’s, as they are written', async () => {
    const { buyer, send } = await stage();
    const { apiKey } = await scene.buyer();
    const replies = [await send({}, { key: 'order-a', apiKey })];
    for (const key of ['order-a', 'order-A', 'order-', `${buyer.accountId}/order-a`]) {
      replies.push(await send({}, { key }));
    }
    for (const reply of replies) {
      assertSuccess(reply, 201);
      assert.equal(reply.headers['idempotent-replayed'], undefined);
    }
    assert.equal(new Set(replies.map((reply) => reply.body.orderId)).size, 5);
  });

  test('§4 a replay needs a living key and the scope, like any purchase; any such key of the account gets it', async () => {
    const { buyer, send } = await stage();
    const first = await send();
    assertSuccess(first, 201);
    const readOnly = await scene.freshKey(buyer.accountId, ['orders:read']);
    assertRefusal(await send({}, { apiKey: readOnly }), 403, 'FORBIDDEN');
    assertRefusal(await send(), 401, 'UNAUTHORIZED');
    assertReplay(await send({}, { apiKey: await scene.freshKey(buyer.accountId) }), first);
  });
});
