/** DESIGN.md §7 and docs/orders.md: refunds of a part, new items for bad ones, and who repeats which. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ok } from '../../support/operator-client.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { assertSuccess } from '../reply-assertions.ts';
import { casesOf, freshIdempotencyKey, known } from '../scene.ts';

export const adjustments = casesOf('operator API: refunds and replacements', (scene) => {
  /** An order of three items for 10 USDT, with two more in stock. */
  async function bought(options: { readonly type?: string } = {}) {
    const buyer = await scene.buyer();
    const isOfItems = options.type === undefined;
    const stock = isOfItems ? ['a', 'b', 'c', 'd', 'e'] : 0;
    const priceTiers = [{ minQuantity: 3, priceUsdt: 3.333333 }];
    const productId = await scene.product({ ...options, priceUsdt: 4, priceTiers, stock });
    const key = freshIdempotencyKey();
    const body = { productId, quantity: 3, expectedPriceUsdt: 10 };
    const buy = () => scene.buyers.purchase(buyer.apiKey, key, body);
    const reply = await buy();
    assertSuccess(reply, 201);
    return { buyer, productId, buy, orderId: known(reply.body.orderId) };
  }

  const refund = (orderId: number, body: object, key?: string) =>
    scene.operator.adjustOrder(orderId, 'refund', body, key);
  const replace = (orderId: number, items: unknown, key?: string) =>
    scene.operator.adjustOrder(orderId, 'replace', { items }, key);

  test('items are refunded by their shares, the last one takes the rest, and all of them end the order', async () => {
    const { buyer, orderId } = await bought();
    const first = await refund(orderId, { items: [1, 0], reason: 'two were dead' }, 'first');
    assertDone(first, 200);
    const { status, refundedUsdt, balanceUsdt } = first.body;
    assert.deepEqual([status, refundedUsdt, balanceUsdt], ['completed', 6.666666, 96.666666]);
    assert.equal('delivery' in first.body, false);
    const fetched = (await scene.buyers.order(buyer.apiKey, orderId)).body;
    assert.deepEqual([fetched.status, fetched.delivery], ['completed', { items: ['a', 'b', 'c'] }]);
    assertRefused(await refund(orderId, { items: [1] }, 'again'), 409, 'TRANSITION_NOT_ALLOWED');
    const last = (await refund(orderId, { items: [2] }, 'last')).body;
    assert.deepEqual([last.status, last.refundedUsdt, last.balanceUsdt], ['refunded', 10, 100]);
    assert.equal((await scene.buyers.order(buyer.apiKey, orderId)).body.status, 'refunded');
    assert.equal(await scene.balanceUsdt(buyer), 100);
  });

  test('a repeated refund pays nothing, and says the order and the wallet as they are now', async () => {
    const { buyer, orderId } = await bought();
    for (const [body, key] of [[{ amountUsdt: 2.5 }, 'amount'] as const, [{}, 'rest'] as const]) {
      const before = await scene.balanceUsdt(buyer);
      const replies = await Promise.all([0, 1, 2].map(() => refund(orderId, body, key)));
      for (const reply of replies) assertDone(reply, 200);
      assert.deepEqual(replies.map((reply) => reply.body.repeated ?? false).sort(), [false, true, true]);
      assert.equal(new Set(replies.map((reply) => reply.body.refundedUsdt)).size, 1);
      assert.ok((await scene.balanceUsdt(buyer)) > before);
    }
    await scene.operator.credit(buyer.accountId, 1, 'later');
    const again = await refund(orderId, { amountUsdt: 2.5, reason: 'other words' }, 'amount');
    const { status, refundedUsdt, balanceUsdt, repeated } = again.body;
    assert.deepEqual([status, refundedUsdt, balanceUsdt, repeated], ['refunded', 10, 101, true]);
    for (const body of [{ amountUsdt: 2 }, { items: [0] }, {}]) {
      assertRefused(await refund(orderId, body, 'amount'), 409, 'IDEMPOTENCY_CONFLICT');
    }
    assertRefused(await replace(orderId, [0], 'amount'), 409, 'IDEMPOTENCY_CONFLICT');
    assertRefused(await refund(orderId, {}), 409, 'TRANSITION_NOT_ALLOWED');
    assert.equal(await scene.balanceUsdt(buyer), 101);
  });

  test('never more than is left, and nothing by items after an amount', async () => {
    const { buyer, orderId } = await bought();
    const tooMuch = await refund(orderId, { amountUsdt: 10.000001 }, 'k');
    assertRefused(tooMuch, 409, 'TRANSITION_NOT_ALLOWED');
    assert.match(tooMuch.text, /10 USDT are left/);
    assertDone(await refund(orderId, { amountUsdt: 9.999999 }, 'k'), 200);
    assertRefused(await refund(orderId, { amountUsdt: 0.000002 }, 'l'), 409, 'TRANSITION_NOT_ALLOWED');
    const byItems = await refund(orderId, { items: [0] }, 'l');
    assertRefused(byItems, 409, 'TRANSITION_NOT_ALLOWED');
    assert.match(byItems.text, /by amount/);
    const rest = await refund(orderId, {});
    assert.deepEqual([rest.body.status, rest.body.balanceUsdt], ['refunded', 100]);
    assert.equal(await scene.balanceUsdt(buyer), 100);
  });

  test('a pending order of which a part was refunded returns the rest when it fails', async () => {
    const { buyer, orderId } = await bought({ type: 'manual' });
    const part = await refund(orderId, { amountUsdt: 3.333334 }, 'k');
    assert.deepEqual([part.body.status, part.body.balanceUsdt], ['pending_delivery', 93.333334]);
    const failed = await scene.operator.moveOrder(orderId, 'fail');
    assert.deepEqual([failed.body.status, failed.body.refundedUsdt], ['failed', 3.333334]);
    assert.equal(await scene.balanceUsdt(buyer), 100);
  });

  test('items are refunded once they are delivered: before, the delivery would bring them all the same', async () => {
    const { buyer, orderId } = await bought({ type: 'manual' });
    for (const items of [[2], [0, 1, 2]]) {
      const refused = await refund(orderId, { items }, 'k');
      assertRefused(refused, 409, 'TRANSITION_NOT_ALLOWED');
      assert.match(refused.text, /is pending_delivery.*Wait until it is delivered, or fail it/);
    }
    assert.equal(await scene.balanceUsdt(buyer), 90);
    await ok(scene.operator.moveOrder(orderId, 'complete', { items: ['a', 'b', 'c'] }));
    const delivered = await refund(orderId, { items: [2] }, 'k');
    assert.deepEqual([delivered.body.status, delivered.body.balanceUsdt], ['completed', 93.333334]);
  });

  test('new items stand in the places of bad ones, for the buyer too, and no money moves', async () => {
    const { buyer, productId, buy, orderId } = await bought();
    const replaced = await replace(orderId, [1], 'k');
    assertDone(replaced, 200);
    const audit = (await scene.operator.json('GET', '/audit?limit=1')).text;
    assert.match(audit, new RegExp(`"action":"ItemTextsShown",.*"orderId":${orderId}[,}]`));
    const items = ['a', 'd', 'c'];
    assert.deepEqual([replaced.body.status, replaced.body.delivery], ['completed', { items }]);
    assert.deepEqual((await scene.buyers.order(buyer.apiKey, orderId)).body.delivery, { items });
    const repeatedPurchase = await buy();
    assertSuccess(repeatedPurchase, 201);
    assert.deepEqual(repeatedPurchase.body.delivery, { items });
    assert.deepEqual([await scene.balanceUsdt(buyer), await scene.available(productId)], [90, 1]);

    const again = await replace(orderId, [1], 'k');
    assert.deepEqual([again.body.repeated, again.body.delivery], [true, { items }]);
    assertRefused(await replace(orderId, [0], 'k'), 409, 'IDEMPOTENCY_CONFLICT');
    assertRefused(await replace(orderId, [0, 2], 'l'), 409, 'OUT_OF_STOCK');
    assert.equal(await scene.available(productId), 1);
    await ok(scene.operator.addStock(productId, ['f']));
    const both = await replace(orderId, [2, 1], 'l');
    assert.deepEqual(both.body.delivery, { items: ['a', 'e', 'f'] });

    const shown = await ok(scene.operator.getOrder(orderId));
    const seen = known(shown.adjustments).map(({ at: _, ...adjustment }) => adjustment);
    assert.deepEqual(seen, [
      { kind: 'replacement', items: [1], oldItems: [1], newItems: [3], idempotencyKey: 'k' },
      { kind: 'replacement', items: [1, 2], oldItems: [3, 2], newItems: [4, 5], idempotencyKey: 'l' },
    ]);
  });

  test('texts that were delivered by hand are replaced from stock; an item that was refunded is not', async () => {
    const { orderId } = await bought({ type: 'manual' });
    assertRefused(await replace(orderId, [0], 'k'), 409, 'TRANSITION_NOT_ALLOWED');
    await ok(scene.operator.moveOrder(orderId, 'complete', { items: ['by hand'] }));
    const manual = await replace(orderId, [0], 'k');
    assertRefused(manual, 409, 'TRANSITION_NOT_ALLOWED');
    assert.match(manual.text, /standard product/);

    const other = await bought();
    assertDone(await refund(other.orderId, { items: [0] }, 'r'), 200);
    assertRefused(await replace(other.orderId, [0], 'k'), 409, 'TRANSITION_NOT_ALLOWED');
    assertDone(await replace(other.orderId, [1], 'k'), 200);
    assertDone(await refund(other.orderId, { items: [1] }, 'a replaced one'), 200);
    assertDone(await refund(other.orderId, {}), 200);
    assertRefused(await replace(other.orderId, [2], 'l'), 409, 'TRANSITION_NOT_ALLOWED');
  });

  type Bad = [step: 'refund' | 'replace', body: object, key: string | undefined, says: RegExp];
  const bad: Bad[] = [
    ['refund', { amountUsdt: 1 }, undefined, /Idempotency-Key is missing/],
    ['replace', { items: [0] }, undefined, /Idempotency-Key is missing/],
    ['refund', {}, 'k'.repeat(129), /1 to 128/],
    ['refund', { amountUsdt: 1, items: [0] }, 'k', /not both/],
    ['refund', { amountUsdt: 0 }, 'k', /must not be 0/],
    ['refund', { amountUsdt: -1 }, 'k', /more than 0/],
    ['refund', { amountUsdt: 0.0000001 }, 'k', /6 decimals/],
    ['refund', { items: [] }, 'k', /items/],
    ['refund', { items: [1, 0, 1] }, 'k', /items has 1 twice/],
    ['refund', { items: [3] }, 'k', /items has 3.*0 to 2/],
    ['replace', { items: [0.5] }, 'k', /items/],
    ['replace', { items: [0, 3] }, 'k', /items has 3.*0 to 2/],
    ['replace', {}, 'k', /items/],
  ];
  test('what is malformed is 400, says why, and changes nothing', async () => {
    const { buyer, orderId } = await bought();
    for (const [step, body, key, says] of bad) {
      const reply = await scene.operator.adjustOrder(orderId, step, body, key);
      assertRefused(reply, 400, 'BAD_REQUEST');
      assert.match(String(reply.body.message), says, `${step} ${JSON.stringify(body)}`);
    }
    assert.equal(await scene.balanceUsdt(buyer), 90);
    assertRefused(await refund(999_999_999, { amountUsdt: 1 }, 'k'), 404, 'NOT_FOUND');
    assertRefused(await replace(999_999_999, [0], 'k'), 404, 'NOT_FOUND');
    assert.equal('adjustments' in (await ok(scene.operator.getOrder(orderId))), false);
  });

  test('a key that is deactivated is 401, until it is activated again or another one is issued', async () => {
    const { accountId, apiKey } = await scene.buyer();
    const setActive = (active: unknown) =>
      scene.operator.json('PATCH', `/accounts/${accountId}/key`, { active });
    const statusOf = async (key: string) => (await scene.buyers.balance(key)).status;
    assert.equal((await ok(scene.operator.getAccount(accountId))).keyActive, true);
    const frozen = await setActive(false);
    assertDone(frozen, 200);
    assert.deepEqual([frozen.body.keyActive, await statusOf(apiKey)], [false, 401]);
    assertDone(await setActive(false), 200);
    assert.equal((await setActive(true)).body.keyActive, true);
    assert.equal(await statusOf(apiKey), 200);
    await setActive(false);
    assert.equal(await statusOf(await scene.freshKey(accountId)), 200);
    for (const active of ['false', null]) assertRefused(await setActive(active), 400, 'BAD_REQUEST');
    await ok(scene.operator.revokeKey(accountId));
    assertRefused(await setActive(true), 404, 'NOT_FOUND');
  });
});
