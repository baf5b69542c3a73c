/** SPEC.md §1 and §4: numbers at the edge of what JSON can say, in every field that takes one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BuyerReply } from '../../support/buyer-client.ts';
import { assertEnvelope, assertRefusal, assertReplay } from '../reply-assertions.ts';
import { casesOf, freshIdempotencyKey } from '../scene.ts';

/** Totals that a client may send, for a product at `priceUsdt`; the total is a whole number of cents. */
const expectedPrices: readonly (readonly [priceUsdt: number, expected: string, same: boolean])[] = [
  [3.5, '3.5', true],
  [3.5, '3.50', true],
  [0.3, '0.30000000000000004', true],
  [3.5, '3.5000001', false],
  [3.5, '3.49', false],
  [3.5, '0', false],
  [3.5, '-0.0', false],
  [3.5, '1e-7', false],
  [3.5, '1.7976931348623157e308', false],
  [3.5, '9007199254740991', false],
  [3.5, '9007199254.740993', false],
  [3.5, '18446744073709551619.5', false],
];

/** More than any shelf holds: with the right total there isn't enough stock, with a wrong one the price differs. */
const quantities: readonly (readonly [priceUsdt: number, quantity: string, totalUsdt: string])[] = [
  [0.07, '1000000000', '70000000'],
  [1, '4294967297', '4294967297'],
  [1, '9007199254740991', '9007199254740991'],
  [0.01, '9007199254740991', '90071992547409.91'],
];

/** Whole numbers by the letter of JSON, beyond what an integer can be: 400, or like any other that is too large. */
const absurdQuantities = ['9007199254740992', '9007199254740993', '1e16', '1e308', '1e400'];

const absurdProductIds = ['0', '-0', '-1', '2147483648', '9007199254740992', '9223372036854775808', '1e400'];

export const purchaseNumbers = casesOf('numbers in a purchase', (scene) => {
  function post(apiKey: string, body: string): Promise<BuyerReply> {
    const headers = {
      'x-api-key': apiKey,
      'idempotency-key': freshIdempotencyKey(),
      'content-type': 'application/json',
    };
    return scene.buyers.raw('POST', '/orders', headers, body);
  }

  test('§4 a total is the one that is expected, or it isn’t', async () => {
    for (const [priceUsdt, expected, same] of expectedPrices) {
      const buyer = await scene.buyer({ balanceUsdt: 10 });
      const productId = await scene.product({ priceUsdt, stock: 1 });
      const reply = await post(buyer.apiKey, `{"productId":${productId},"expectedPriceUsdt":${expected}}`);
      assert.equal(reply.status, same ? 201 : 409, `${priceUsdt} is ${expected}`);
      assert.equal(same ? reply.body.totalPriceUsdt : reply.body.currentPriceUsdt, priceUsdt);
      assert.equal(await scene.balanceUsdt(buyer), same ? 10 - priceUsdt : 10);
    }
  });

  test('§4 more than any shelf has is out of stock at its total, and has another price at 1.50', async () => {
    const buyer = await scene.buyer();
    for (const [priceUsdt, quantity, totalUsdt] of quantities) {
      const productId = await scene.product({ priceUsdt, stock: 3 });
      const body = `{"productId":${productId},"quantity":${quantity}`;
      const wrong = await post(buyer.apiKey, `${body},"expectedPriceUsdt":1.5}`);
      assertRefusal(wrong, 409, 'PRICE_CHANGED');
      assert.equal(wrong.body.currentPriceUsdt, Number(totalUsdt));
      const right = await post(buyer.apiKey, `${body},"expectedPriceUsdt":${totalUsdt}}`);
      assertRefusal(right, 409, 'OUT_OF_STOCK');
    }
    assert.equal(await scene.balanceUsdt(buyer), 100);
  });

  test('§4 PRICE_CHANGED is repeated also where the total is beyond every wallet', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ priceUsdt: 1, stock: 3 });
    const key = freshIdempotencyKey();
    const body = { productId, quantity: Number.MAX_SAFE_INTEGER, expectedPriceUsdt: 1.5 };
    const first = await scene.buyers.purchase(buyer.apiKey, key, body);
    assertRefusal(first, 409, 'PRICE_CHANGED');
    await scene.operator.updateProduct(productId, { priceUsdt: 2 });
    assertReplay(await scene.buyers.purchase(buyer.apiKey, key, body), first);
    const other = await scene.buyers.purchase(buyer.apiKey, key, { productId, expectedPriceUsdt: 2 });
    assertRefusal(other, 409, 'IDEMPOTENCY_CONFLICT');
  });

  test('§4 absurd quantities, totals and ids are refused, and charge nothing', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ priceUsdt: 1, stock: 3 });
    const ofQuantity = (quantity: string) =>
      `{"productId":${productId},"quantity":${quantity},"expectedPriceUsdt":${quantity}}`;
    const bodies = [
      ...absurdQuantities.map(ofQuantity),
      ...absurdProductIds.map((id) => `{"productId":${id},"expectedPriceUsdt":1}`),
      `{"productId":${productId},"expectedPriceUsdt":1e400}`,
    ];
    for (const body of bodies) {
      const reply = await post(buyer.apiKey, body);
      assertEnvelope(reply);
      const codes = ['BAD_REQUEST', 'NOT_FOUND', 'OUT_OF_STOCK', 'PRICE_CHANGED'];
      assert.ok(codes.includes(String(reply.body.error)), `${body}: ${reply.text}`);
    }
    assert.deepEqual([await scene.balanceUsdt(buyer), await scene.available(productId)], [100, 3]);
  });
});
