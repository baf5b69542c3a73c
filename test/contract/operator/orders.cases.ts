/** DESIGN.md §7 and docs/orders.md: orders from the bot, refunds, and the list of orders. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OperatorBody, ok } from '../../support/operator-client.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { assertRefusal, assertSuccess } from '../reply-assertions.ts';
import { type Buyer, casesOf, freshIdempotencyKey, known } from '../scene.ts';

export const orders = casesOf('operator API: orders', (scene) => {
  async function opened(buyer: Buyer, productId: number, quantity?: number): Promise<number> {
    const input = { accountId: buyer.accountId, productId, ...(quantity === undefined ? {} : { quantity }) };
    const reply = await scene.operator.openOrder(input);
    assertDone(reply, 201);
    assert.equal(reply.body.status, 'processing');
    return known(reply.body.orderId);
  }

  test('§1 an order from the bot is the buyer’s, processing, and neither charged nor reserved', async () => {
    const [buyer, stranger] = [await scene.buyer(), await scene.buyer()];
    const productId = await scene.product({ stock: 3 });
    const orderId = await opened(buyer, productId, 2);
    const fetched = await scene.buyers.order(buyer.apiKey, orderId);
    assertSuccess(fetched, 200);
    const { requestId: _, createdAt: __, success: ___, ...order } = fetched.body;
    const expected = { orderId, status: 'processing', productId, quantity: 2, totalPriceUsdt: 7 };
    assert.deepEqual(order, expected);
    assertRefusal(await scene.buyers.order(stranger.apiKey, orderId), 404, 'NOT_FOUND');
    assert.deepEqual([await scene.balanceUsdt(buyer), await scene.available(productId)], [100, 3]);
    assert.equal('idempotencyKey' in (await scene.operator.getOrder(orderId)).body, false);
    assertDone(await scene.operator.moveOrder(orderId, 'fail'), 200);
    for (const step of ['pay', 'refund'] as const) {
      assertRefused(await scene.operator.moveOrder(orderId, step), 409, 'TRANSITION_NOT_ALLOWED');
    }
    assert.deepEqual([await scene.balanceUsdt(buyer), await scene.available(productId)], [100, 3]);
  });

  test('paid, it is delivered at the price of that moment; of many who pay at once, one does', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: ['first', 'second', 'third'] });
    const orderId = await opened(buyer, productId, 2);
    await scene.operator.updateProduct(productId, { priceUsdt: 4 });
    const replies = await Promise.all([0, 1, 2, 3, 4, 5].map(() => scene.operator.moveOrder(orderId, 'pay')));
    const [paid, ...refused] = replies.toSorted((a, b) => a.status - b.status);
    for (const reply of refused) assertRefused(reply, 409, 'TRANSITION_NOT_ALLOWED');
    const { status, totalPriceUsdt, balanceAfterUsdt, delivery, requestId } = known(paid).body;
    const { entries } = JSON.parse((await scene.operator.json('GET', '/audit?limit=2')).text);
    assert.deepEqual(
      entries.map((entry: Record<string, unknown>) => [entry.action, entry.orderId, entry.requestId]),
      ['ItemTextsShown', 'OrderPaid'].map((action) => [action, orderId, requestId]),
    );
    assert.deepEqual([status, totalPriceUsdt, balanceAfterUsdt], ['completed', 8, 92]);
    assert.deepEqual(delivery, { items: ['first', 'second'] });
    const fetched = (await scene.buyers.order(buyer.apiKey, orderId)).body;
    assert.deepEqual([fetched.status, fetched.delivery], ['completed', delivery]);
    assert.equal('balanceAfterUsdt' in fetched, false);
    assert.deepEqual([await scene.balanceUsdt(buyer), await scene.available(productId)], [92, 1]);
  });

  test('is shown without its items to whoever does not want them, which leaves no fact', async () => {
    const buyer = await scene.buyer();
    const orderId = await opened(buyer, await scene.product({ stock: ['secret'] }));
    await scene.operator.moveOrder(orderId, 'pay');
    const path = `/audit?accountId=${buyer.accountId}`;
    const facts = async () => JSON.parse((await scene.operator.json('GET', path)).text).entries.length;
    const before = await facts();
    for (const count of [0, 0, 1]) {
      const query = count === 0 ? '?items=false' : '?items=true';
      const shown = await scene.operator.json('GET', `/orders/${orderId}${query}`);
      assertDone(shown, 200);
      assert.deepEqual([shown.body.status, 'delivery' in shown.body], ['completed', count > 0]);
      assert.equal(await facts(), before + count);
    }
    assertRefused(await scene.operator.json('GET', `/orders/${orderId}?items=no`), 400, 'BAD_REQUEST');
  });

  test('what cannot be paid now stays processing, and is paid later', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 3 });
    const productId = await scene.product({ stock: 1 });
    const orderId = await opened(buyer, productId);
    const pay = (body?: unknown) => scene.operator.moveOrder(orderId, 'pay', body);
    assertRefused(await pay(), 402, 'INSUFFICIENT_BALANCE');
    await scene.operator.credit(buyer.accountId, 10, 'more');
    await scene.operator.withdrawStock(productId, 1);
    assertRefused(await pay(), 409, 'OUT_OF_STOCK');
    await scene.operator.addStock(productId, ['later']);
    const changed = await pay({ expectedPriceUsdt: 3 });
    assertRefused(changed, 409, 'PRICE_CHANGED');
    assert.equal(changed.body.currentPriceUsdt, 3.5);
    await scene.operator.updateProduct(productId, { active: false });
    assertRefused(await pay(), 404, 'NOT_FOUND');
    await scene.operator.updateProduct(productId, { active: true });
    assert.equal((await scene.buyers.order(buyer.apiKey, orderId)).body.status, 'processing');
    assert.equal(await scene.balanceUsdt(buyer), 13);
    const paid = await pay({ expectedPriceUsdt: 3.5 });
    assert.deepEqual(paid.body.delivery, { items: ['later'] });
    assert.equal(await scene.balanceUsdt(buyer), 9.5);
  });

  test('a refund returns the money once, and never the items', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 3 });
    const bought = await scene.buy(buyer, productId, 2);
    const orderId = known(bought.body.orderId);
    const refunded = await scene.operator.moveOrder(orderId, 'refund');
    assertDone(refunded, 200);
    assertRefused(await scene.operator.moveOrder(orderId, 'refund'), 409, 'TRANSITION_NOT_ALLOWED');
    assert.deepEqual([await scene.balanceUsdt(buyer), await scene.available(productId)], [100, 1]);
    const fetched = (await scene.buyers.order(buyer.apiKey, orderId)).body;
    for (const order of [refunded.body, fetched]) {
      assert.deepEqual([order.status, 'delivery' in order], ['refunded', false]);
    }
  });

  test('an order that cannot be made is refused', async () => {
    const { accountId } = await scene.buyer();
    const productId = await scene.product({ stock: 1 });
    for (const [status, changes] of [
      [404, { accountId: 999_999_999 }] as const,
      [404, { productId: 999_999_999 }] as const,
      [400, { accountId: undefined }] as const,
      [400, { productId: undefined }] as const,
      ...[0, 1.5, '1', 10_001].map((quantity) => [400, { quantity }] as const),
      [400, { recipient: { username: 'somebody' } }] as const,
    ]) {
      const reply = await scene.operator.json('POST', '/orders', { accountId, productId, ...changes });
      assert.equal(reply.status, status, JSON.stringify(changes));
    }
    for (const step of ['pay', 'complete', 'fail', 'refund'] as const) {
      assertRefused(await scene.operator.moveOrder(999_999_999, step), 404, 'NOT_FOUND');
    }
    const orderId = await opened({ accountId, apiKey: '' }, productId);
    for (const expectedPriceUsdt of [-1, '3.5', null]) {
      const reply = await scene.operator.moveOrder(orderId, 'pay', { expectedPriceUsdt });
      assertRefused(reply, 400, 'BAD_REQUEST');
    }
  });

  test('§4 more items than one order may have: 400 when they are there, and the key stays free', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 1_000 });
    const productId = await scene.product({ priceUsdt: 0.01, stock: 10_001 });
    const key = freshIdempotencyKey();
    const buy = (quantity: number) =>
      scene.buyers.purchase(buyer.apiKey, key, { productId, quantity, expectedPriceUsdt: quantity / 100 });
    assertRefusal(await buy(10_002), 409, 'OUT_OF_STOCK');
    const refused = await buy(10_001);
    assertRefusal(refused, 400, 'BAD_REQUEST');
    assert.match(String(refused.body.message), /at most 10000 items/);
    const bought = await buy(10_000);
    assertSuccess(bought, 201);
    assert.equal(bought.body.delivery?.items?.length, 10_000);
    assert.equal(await scene.available(productId), 1);
  });

  async function listed(query: string): Promise<OperatorBody[]> {
    const { orders = [], nextCursor } = await ok(scene.operator.json('GET', `/orders?${query}`));
    if (nextCursor === undefined) return [...orders];
    return [...orders, ...(await listed(`${query.replace(/&cursor=.*/, '')}&cursor=${nextCursor}`))];
  }

  test('GET /orders lists newest first, by account, product and status, page by page', async () => {
    const [buyer, other] = [await scene.buyer(), await scene.buyer()];
    const [items, manual] = [await scene.product({ stock: 9 }), await scene.product({ type: 'manual' })];
    const first = await opened(buyer, items);
    const second = await opened(other, items);
    const third = await opened(buyer, manual);
    const fourth = await opened(buyer, items);
    const fifth = await opened(other, manual);
    await scene.operator.moveOrder(third, 'pay');
    await scene.operator.moveOrder(fourth, 'pay');
    const cases: [query: string, expected: number[]][] = [
      [`accountId=${buyer.accountId}`, [fourth, third, first]],
      [`accountId=${buyer.accountId}&limit=1`, [fourth, third, first]],
      [`productId=${manual}`, [fifth, third]],
      [`productId=${manual}&status=pending_delivery`, [third]],
      [`accountId=${other.accountId}&productId=${items}&limit=2`, [second]],
      [`accountId=${buyer.accountId}&status=completed`, [fourth]],
      [`accountId=${buyer.accountId}&status=refunded`, []],
    ];
    for (const [query, expected] of cases) {
      const found = (await listed(query)).map(({ orderId }) => orderId);
      assert.deepEqual(found, expected, query);
    }
    const [newest] = await listed(`accountId=${buyer.accountId}&limit=1`);
    const { delivery, requestId, success, purchaseRequestId, ...order } = (
      await scene.operator.getOrder(fourth)
    ).body;
    assert.match(String(purchaseRequestId), /^req_\d+_\d+$/);
    // A single order has an envelope, whose `requestId` is that of this call.
    assert.deepEqual(newest, { ...order, requestId: purchaseRequestId });
    for (const query of ['status=gone', 'accountId=x', 'productId=-1', 'limit=0', 'limit=1001', 'cursor=x']) {
      assertRefused(await scene.operator.json('GET', `/orders?${query}`), 400, 'BAD_REQUEST');
    }
  });
});
