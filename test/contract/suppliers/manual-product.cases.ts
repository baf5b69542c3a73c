/** SPEC.md §2, §3 and §4: products that the operator delivers by hand, from the purchase to the end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { assertRefusal, assertSuccess } from '../reply-assertions.ts';
import { type Buyer, casesOf, freshIdempotencyKey, known } from '../scene.ts';

const items = ['user: x\npassword: y', 'Zoë ☃ 𝄞'];

export const manualProduct = casesOf('manual products', (scene) => {
  function buy(buyer: Buyer, productId: number, key = freshIdempotencyKey()) {
    return scene.buy(buyer, productId, 2, 7, key);
  }

  async function pendingOrder() {
    const buyer = await scene.buyer();
    const productId = await scene.product({ type: 'manual' });
    const key = freshIdempotencyKey();
    const bought = await buy(buyer, productId, key);
    return { buyer, productId, key, bought, orderId: known(bought.body.orderId) };
  }

  test('§3 it is sold as pending_delivery: 201, the wallet debited, no delivery', async () => {
    const { buyer, bought, orderId, productId } = await pendingOrder();
    assertSuccess(bought, 201);
    const { createdAt: _, requestId: __, ...body } = bought.body;
    const order = { orderId, status: 'pending_delivery', productId, quantity: 2 };
    assert.deepEqual(body, { success: true, ...order, totalPriceUsdt: 7, balanceAfterUsdt: 93 });
    assert.equal(await scene.balanceUsdt(buyer), 93);
    const fetched = await scene.buyers.order(buyer.apiKey, orderId);
    assert.deepEqual([fetched.body.status, 'delivery' in fetched.body], ['pending_delivery', false]);
  });

  test('§3 completed, it has its delivery, for the buyer and the operator, or none', async () => {
    const { buyer, orderId } = await pendingOrder();
    const completed = await scene.operator.moveOrder(orderId, 'complete', { items });
    assertDone(completed, 200);
    assert.deepEqual([completed.body.status, completed.body.delivery], ['completed', { items }]);
    const fetched = await scene.buyers.order(buyer.apiKey, orderId);
    assertSuccess(fetched, 200);
    assert.deepEqual([fetched.body.status, fetched.body.delivery], ['completed', { items }]);
    assert.deepEqual((await scene.operator.getOrder(orderId)).body.delivery, { items });
    assert.equal(await scene.balanceUsdt(buyer), 93);
    const withoutText = await pendingOrder();
    const { body } = await scene.operator.moveOrder(withoutText.orderId, 'complete');
    assert.deepEqual([body.status, body.delivery], ['completed', { items: [] }]);
  });

  test('§4 a repeated purchase answers with the order as it is now, and the balance of then', async () => {
    const { buyer, productId, key, orderId } = await pendingOrder();
    assertSuccess(await buy(buyer, productId), 201);
    const repeat = async (expected: Record<string, unknown>) => {
      const reply = await buy(buyer, productId, key);
      assertSuccess(reply, 201);
      assert.equal(reply.headers['idempotent-replayed'], 'true');
      const { status, delivery, balanceAfterUsdt } = reply.body;
      assert.deepEqual({ orderId: reply.body.orderId, status, delivery, balanceAfterUsdt }, expected);
    };
    const then = { orderId, balanceAfterUsdt: 93, delivery: undefined };
    await repeat({ ...then, status: 'pending_delivery' });
    await scene.operator.moveOrder(orderId, 'complete', { items });
    await repeat({ ...then, status: 'completed', delivery: { items } });
    await scene.operator.moveOrder(orderId, 'refund');
    await repeat({ ...then, status: 'refunded' });
    assert.equal(await scene.balanceUsdt(buyer), 93);
  });

  test('§3 failed, its amount is in the wallet again', async () => {
    const { buyer, orderId } = await pendingOrder();
    const failed = await scene.operator.moveOrder(orderId, 'fail');
    assertDone(failed, 200);
    assert.deepEqual([failed.body.status, 'delivery' in failed.body], ['failed', false]);
    assert.equal(await scene.balanceUsdt(buyer), 100);
    const fetched = await scene.buyers.order(buyer.apiKey, orderId);
    assert.deepEqual([fetched.body.status, fetched.body.totalPriceUsdt], ['failed', 7]);
    for (const step of ['pay', 'complete', 'fail', 'refund'] as const) {
      assertRefused(await scene.operator.moveOrder(orderId, step), 409, 'TRANSITION_NOT_ALLOWED');
    }
    assert.equal(await scene.balanceUsdt(buyer), 100);
  });

  test('of many who complete one order at once, one does, and his items are the delivery', async () => {
    const { buyer, orderId } = await pendingOrder();
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        scene.operator.moveOrder(orderId, 'complete', { items: [`by ${index}`] }),
      ),
    );
    const winners = replies.filter(({ status }) => status === 200);
    assert.equal(winners.length, 1);
    for (const reply of replies) {
      if (reply.status !== 200) assertRefused(reply, 409, 'TRANSITION_NOT_ALLOWED');
    }
    const { delivery } = (await scene.buyers.order(buyer.apiKey, orderId)).body;
    assert.deepEqual(delivery, winners[0]?.body.delivery);
  });

  test('items that cannot be delivered are 400, and the order stays pending', async () => {
    const { buyer, orderId } = await pendingOrder();
    for (const [index, bad] of [
      ...['x', [1], ['a', ''], ['x'.repeat(16 * 1024 + 1)], ['\ud800'], new Array<string>(10_001).fill('x')],
      new Array<string>(300).fill('x'.repeat(16 * 1024)),
    ].entries()) {
      const reply = await scene.operator.moveOrder(orderId, 'complete', { items: bad });
      assert.equal(reply.status, 400, `number ${index}`);
    }
    assert.equal((await scene.buyers.order(buyer.apiKey, orderId)).body.status, 'pending_delivery');
    assertDone(await scene.operator.moveOrder(orderId, 'complete', { items }), 200);
  });

  test('§2 the catalog and the operator have it with unlimited stock; a file product without a file is not on sale', async () => {
    const buyer = await scene.buyer();
    const [manual, file] = [await scene.product({ type: 'manual' }), await scene.product({ type: 'file' })];
    assertRefusal(await buy(buyer, file), 404, 'NOT_FOUND');
    const products = known((await scene.buyers.products(buyer.apiKey)).body.products);
    assert.equal(products.find(({ id }) => id === manual)?.availableStock, 'unlimited');
    assert.ok(products.every(({ id }) => id !== file));
    for (const id of [manual, file]) {
      assert.equal((await scene.operator.getProduct(id)).body.availableStock, 'unlimited');
    }
  });
});
