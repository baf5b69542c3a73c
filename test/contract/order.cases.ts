/** SPEC.md §2 and §4: GET /orders/{id}. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal, assertSuccess } from './reply-assertions.ts';
import { type Buyer, casesOf, freshIdempotencyKey, known } from './scene.ts';

/** What isn't the decimal form of a positive integer names no order. `ID` stands for one that is the caller's. */
const idsOfNothing = [
  '0',
  '-1',
  '-ID',
  '+ID',
  '0ID',
  'ID.0',
  'ID.5',
  'IDe0',
  '1e3',
  '0x1',
  'abc',
  'IDabc',
  'ID%20',
  '%20ID',
  'ID,ID',
  '%00',
  'null',
  'NaN',
  'Infinity',
  '__proto__',
  '9007199254740991',
  '9007199254740992',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '1'.repeat(400),
];

export const order = casesOf('GET /orders/{id}', (scene) => {
  async function orderOf(buyer: Buyer) {
    const productId = await scene.product({ stock: ['first', 'second'] });
    const body = { productId, quantity: 2, expectedPriceUsdt: 7 };
    return scene.buyers.purchase(buyer.apiKey, freshIdempotencyKey(), body);
  }

  test('§2 it is the purchase’s answer without the balance after it', async () => {
    const buyer = await scene.buyer();
    const bought = await orderOf(buyer);
    const { balanceAfterUsdt, requestId: _, ...order } = bought.body;
    assert.equal(balanceAfterUsdt, 93);
    const reply = await scene.buyers.order(buyer.apiKey, known(order.orderId));
    assertSuccess(reply, 200);
    const { requestId, ...fetched } = reply.body;
    assert.notEqual(requestId, bought.body.requestId);
    assert.deepEqual(fetched, order);
  });

  test('§2 it stays what it was when price, name and stock change, and the key is regenerated', async () => {
    const buyer = await scene.buyer();
    const bought = await orderOf(buyer);
    const orderId = known(bought.body.orderId);
    const before = (await scene.buyers.order(buyer.apiKey, orderId)).body;
    await scene.operator.updateProduct(known(bought.body.productId), { priceUsdt: 9, active: false });
    const nextKey = await scene.freshKey(buyer.accountId);
    const after = (await scene.buyers.order(nextKey, orderId)).body;
    assert.deepEqual({ ...after, requestId: '' }, { ...before, requestId: '' });
  });

  test('§4 an order of another account is 404, like one that doesn’t exist', async () => {
    const owner = await scene.buyer();
    const stranger = await scene.buyer();
    const orderId = known((await orderOf(owner)).body.orderId);
    assertRefusal(await scene.buyers.order(stranger.apiKey, orderId), 404, 'NOT_FOUND');
    assertRefusal(await scene.buyers.order(stranger.apiKey, orderId + 1_000_000), 404, 'NOT_FOUND');
    assertSuccess(await scene.buyers.order(owner.apiKey, orderId), 200);
  });

  for (const id of idsOfNothing) {
    test(`§4 ${id.slice(0, 20)} is not the id of an order`, async () => {
      const buyer = await scene.buyer();
      const orderId = known((await orderOf(buyer)).body.orderId);
      const asked = id.replaceAll('ID', String(orderId));
      assertRefusal(await scene.buyers.order(buyer.apiKey, asked), 404, 'NOT_FOUND');
    });
  }

  test('§2 order ids are distinct across accounts', async () => {
    const [one, other] = [await scene.buyer(), await scene.buyer()];
    const replies = await Promise.all([one, other, one, other].map(orderOf));
    assert.equal(new Set(replies.map((reply) => reply.body.orderId)).size, 4);
  });
});
