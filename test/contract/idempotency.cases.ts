/** SPEC.md §4, idempotency rules for POST /orders: what a key remembers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BuyerReply } from '../support/buyer-client.ts';
import { assertRefusal, assertReplay, assertSuccess, withoutRequestId } from './reply-assertions.ts';
import { type Buyer, casesOf, freshIdempotencyKey, known } from './scene.ts';

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
  function post(buyer: Buyer, key: string, body: string): Promise<BuyerReply> {
    const headers = {
      'x-api-key': buyer.apiKey,
      'idempotency-key': key,
      'content-type': 'application/json',
    };
    return scene.buyers.raw('POST', '/orders', headers, body);
  }

  test('§4 a repeat returns the same order, byte for byte apart from the request id, whatever has changed since', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 7 });
    const productId = await scene.product({ stock: 5 });
    const key = freshIdempotencyKey();
    const body = { productId, quantity: 2, expectedPriceUsdt: 7 };
    const repeat = () => scene.buyers.purchase(buyer.apiKey, key, body);
    const first = await repeat();
    assertSuccess(first, 201);
    assertReplay(await repeat(), first);
    await scene.operator.updateProduct(productId, { priceUsdt: 9.99, active: false, name: 'Other' });
    assertReplay(await repeat(), first);
    await scene.operator.credit(buyer.accountId, 50, 'more');
    assertReplay(await repeat(), first);
    assert.deepEqual([await scene.balanceUsdt(buyer), await scene.available(productId)], [50, 3]);
  });

  test('§4 key order, white space and an omitted quantity don’t make another request', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 10 });
    const key = freshIdempotencyKey();
    const [first, ...others] = sameRequests.map((body) => body.replaceAll('ID', String(productId)));
    const bought = await post(buyer, key, known(first));
    assertSuccess(bought, 201);
    for (const body of others) assertReplay(await post(buyer, key, body), bought);
    assert.equal(await scene.balanceUsdt(buyer), 96.5);
  });

  test('§4 another quantity, product or price under the key is 409 IDEMPOTENCY_CONFLICT', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 10 });
    const otherProductId = await scene.product({ stock: 10 });
    const key = freshIdempotencyKey();
    const body = { productId, quantity: 1, expectedPriceUsdt: 3.5 };
    const first = await scene.buyers.purchase(buyer.apiKey, key, body);
    assertSuccess(first, 201);
    for (const change of [
      { quantity: 2 },
      { quantity: 2, expectedPriceUsdt: 7 },
      { productId: otherProductId },
      { expectedPriceUsdt: 3.51 },
      { productId: 999_999_999 },
      { recipient: { username: '@some_one' } },
    ]) {
      const reply = await scene.buyers.purchase(buyer.apiKey, key, { ...body, ...change });
      assertRefusal(reply, 409, 'IDEMPOTENCY_CONFLICT');
    }
    assertReplay(await scene.buyers.purchase(buyer.apiKey, key, body), first);
    assert.equal(await scene.balanceUsdt(buyer), 96.5);
  });

  type Change = (buyer: Buyer, productId: number) => Promise<unknown>;
  /** Refusals that a key remembers; the change would make the purchase succeed. */
  const stored: [status: number, code: string, active: boolean, expectedPriceUsdt: number, change: Change][] =
    [
      [
        402,
        'INSUFFICIENT_BALANCE',
        true,
        3.5,
        ({ accountId }) => scene.operator.credit(accountId, 50, 'more'),
      ],
      [409, 'PRICE_CHANGED', true, 5, (_, id) => scene.operator.updateProduct(id, { priceUsdt: 5 })],
      [404, 'NOT_FOUND', false, 3.5, (_, id) => scene.operator.updateProduct(id, { active: true })],
    ];
  for (const [status, code, active, expectedPriceUsdt, change] of stored) {
    test(`§4 ${code} is repeated after its reason is gone; another key buys`, async () => {
      const buyer = await scene.buyer({ balanceUsdt: code === 'INSUFFICIENT_BALANCE' ? 1 : 10 });
      const productId = await scene.product({ active, stock: 1 });
      const key = freshIdempotencyKey();
      const body = { productId, expectedPriceUsdt };
      const first = await scene.buyers.purchase(buyer.apiKey, key, body);
      assertRefusal(first, status, code);
      await change(buyer, productId);
      const repeated = await scene.buyers.purchase(buyer.apiKey, key, body);
      assertReplay(repeated, first);
      const other = await scene.buyers.purchase(buyer.apiKey, key, { ...body, quantity: 2 });
      assertRefusal(other, 409, 'IDEMPOTENCY_CONFLICT');
      assert.equal(repeated.body.currentPriceUsdt, code === 'PRICE_CHANGED' ? 3.5 : undefined);
      assert.equal(await scene.available(productId), 1);
      assertSuccess(await scene.buyers.purchase(buyer.apiKey, freshIdempotencyKey(), body), 201);
    });
  }

  test('§4 OUT_OF_STOCK is not stored: with stock the same key buys, with another body, too', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product();
    const key = freshIdempotencyKey();
    const body = { productId, quantity: 2, expectedPriceUsdt: 7 };
    for (let i = 0; i < 2; i += 1) {
      const refused = await scene.buyers.purchase(buyer.apiKey, key, body);
      assertRefusal(refused, 409, 'OUT_OF_STOCK');
      assert.equal(refused.headers['idempotent-replayed'], undefined);
    }
    await scene.operator.addStock(productId, ['a', 'b']);
    const one = { productId, expectedPriceUsdt: 3.5 };
    const bought = await scene.buyers.purchase(buyer.apiKey, key, one);
    assertSuccess(bought, 201);
    assert.equal(bought.headers['idempotent-replayed'], undefined);
    assertReplay(await scene.buyers.purchase(buyer.apiKey, key, one), bought);
    assertRefusal(await scene.buyers.purchase(buyer.apiKey, key, body), 409, 'IDEMPOTENCY_CONFLICT');
    assert.equal(await scene.balanceUsdt(buyer), 96.5);
  });

  test('§4 twenty requests at once with one key make one order, which all of them get', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 30 });
    const key = freshIdempotencyKey();
    const body = { productId, expectedPriceUsdt: 3.5 };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => scene.buyers.purchase(buyer.apiKey, key, body)),
    );
    for (const reply of replies) assertSuccess(reply, 201);
    assert.equal(new Set(replies.map(withoutRequestId)).size, 1);
    const originals = replies.filter((reply) => reply.headers['idempotent-replayed'] === undefined);
    assert.equal(originals.length, 1);
    assert.equal(await scene.balanceUsdt(buyer), 96.5);
    assert.equal(await scene.available(productId), 29);
  });

  test('§4 two bodies at once with one key: one is bought, the other is in conflict', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 30 });
    const key = freshIdempotencyKey();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const quantity = (index % 2) + 1;
        return scene.buyers.purchase(buyer.apiKey, key, {
          productId,
          quantity,
          expectedPriceUsdt: 3.5 * quantity,
        });
      }),
    );
    const bought = replies.filter((reply) => reply.status === 201);
    const refused = replies.filter((reply) => reply.status !== 201);
    assert.deepEqual([bought.length, refused.length], [10, 10]);
    for (const reply of refused) assertRefusal(reply, 409, 'IDEMPOTENCY_CONFLICT');
    assert.equal(new Set(bought.map(withoutRequestId)).size, 1);
    assert.equal(await scene.balanceUsdt(buyer), 100 - known(bought[0]?.body.totalPriceUsdt));
  });

  test('§4 keys are the account’s, as they are written', async () => {
    const [one, other] = [await scene.buyer(), await scene.buyer()];
    const productId = await scene.product({ stock: 5 });
    const body = { productId, expectedPriceUsdt: 3.5 };
    const replies = [];
    for (const [buyer, key] of [
      [one, 'order-a'],
      [other, 'order-a'],
      [one, 'order-A'],
      [one, 'order-'],
      [one, `${one.accountId}/order-a`],
    ] as const) {
      replies.push(await scene.buyers.purchase(buyer.apiKey, key, body));
    }
    for (const reply of replies) {
      assertSuccess(reply, 201);
      assert.equal(reply.headers['idempotent-replayed'], undefined);
    }
    assert.equal(new Set(replies.map((reply) => reply.body.orderId)).size, 5);
  });

  test('§4 a replay needs a living key and the scope, like any purchase; any such key of the account gets it', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 1 });
    const key = freshIdempotencyKey();
    const body = { productId, expectedPriceUsdt: 3.5 };
    const first = await scene.buyers.purchase(buyer.apiKey, key, body);
    assertSuccess(first, 201);
    const readOnly = await scene.freshKey(buyer.accountId, ['orders:read']);
    assertRefusal(await scene.buyers.purchase(readOnly, key, body), 403, 'FORBIDDEN');
    assertRefusal(await scene.buyers.purchase(buyer.apiKey, key, body), 401, 'UNAUTHORIZED');
    const next = await scene.freshKey(buyer.accountId);
    assertReplay(await scene.buyers.purchase(next, key, body), first);
  });
});
