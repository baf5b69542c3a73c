/**
 * SPEC.md §2, §3, §4 and DESIGN of suppliers (docs/suppliers.md): a product that a supplier delivers, whatever the
 * supplier does, over real HTTP. Servers poll suppliers every 50 ms, and ask what they have every 200 ms.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { assertRefusal, assertReplay, assertSuccess } from '../reply-assertions.ts';
import { casesOf, freshIdempotencyKey, known } from '../scene.ts';
import { supplierScene, testFailure, testUnpaid } from './supplier-scene.ts';

/** On a server that gives suppliers half a second. That it is 15 s by default, `test/config/config.test.ts` says. */
export const silentSupplier = casesOf('products of a silent supplier', (scene) => {
  const supplied = supplierScene(scene);
  testFailure(supplied, 'silent', 504, 'PROVIDER_TIMEOUT', 2);
  testUnpaid(supplied, 'silent', 504, 'PROVIDER_TIMEOUT');
  after(() => assert.ok(scene.answers.seen.has('POST /orders 504 PROVIDER_TIMEOUT')));
});

export const suppliedProduct = casesOf('supplied products', (scene) => {
  const supplied = supplierScene(scene);
  const { stage, buy, report, ownStock, heldUsdt, openSupplierPurchase, ownItems, botOrder } = supplied;

  test('§4 delivered: 201 with the items, charged once, and repeated as it was', async () => {
    const { buyer, productId, buy: purchase } = await stage('codes');
    const bought = await purchase();
    assertSuccess(bought, 201);
    const { status, delivery, totalPriceUsdt, balanceAfterUsdt } = bought.body;
    assert.deepEqual([status, totalPriceUsdt, balanceAfterUsdt], ['completed', 7, 93]);
    assert.equal(delivery?.items?.length, 2);
    assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [93, 0]);
    assertReplay(await purchase(), bought);
    const order = await scene.buyers.order(buyer.apiKey, known(bought.body.orderId));
    assert.deepEqual(order.body.delivery, delivery);
    assert.equal(await scene.balanceUsdt(buyer), 93);
    assert.equal(await openSupplierPurchase(productId), undefined);
  });

  test('§2 while the supplier is asked the amount is held, other purchases go on, and the key waits', async () => {
    const { supplier } = supplied;
    const { buyer, key, productId, buy: purchase } = await stage('late');
    const own = await scene.product({ stock: ownItems(2) });
    const before = supplier.purchases.size;
    const first = purchase();
    await eventually('a hold', async () => (await heldUsdt(buyer)) === 7);
    assert.equal(await scene.balanceUsdt(buyer), 93);
    const second = purchase();
    assertSuccess(await buy(buyer, own, freshIdempotencyKey()), 201);
    const other = { productId, quantity: 1, expectedPriceUsdt: 3.5 };
    assertRefusal(await scene.buyers.purchase(buyer.apiKey, key, other), 409, 'IDEMPOTENCY_CONFLICT');
    const tooMuch = await scene.operator.credit(buyer.accountId, -87, 'takes held money');
    assert.deepEqual([tooMuch.status, tooMuch.body.error], [402, 'INSUFFICIENT_BALANCE']);
    await eventually('the question', async () => supplier.purchases.size > before);
    supplier.answerLate();
    const [one, two] = await Promise.all([first, second]);
    assertSuccess(one, 201);
    assertReplay(two, one);
    assert.equal(supplier.purchases.size, before + 1);
    assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [86, 0]);
  });

  test('§4 out of stock: nothing charged, and the same key may try again', async () => {
    const { buyer, productId, buy: purchase } = await stage('out-of-stock');
    assertRefusal(await purchase(), 409, 'OUT_OF_STOCK');
    assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [100, 0]);
    assert.equal(await openSupplierPurchase(productId), undefined);
    await ok(scene.operator.addStock(productId, ownItems(2)));
    assertSuccess(await purchase(), 201);
  });

  testFailure(supplied, 'failed', 502, 'PURCHASE_FAILED', 0);
  for (const sku of ['reset', 'garbage', 'wrong-json'] as const)
    testFailure(supplied, sku, 502, 'PURCHASE_FAILED', 2);
  for (const sku of ['too-few', 'twice-the-same'] as const)
    testFailure(supplied, sku, 502, 'PURCHASE_FAILED', 1);
  testFailure(supplied, 'too-many', 502, 'PURCHASE_FAILED', 3);

  for (const [sku, end, balanceUsdt] of [
    ['later', 'completed', 93],
    ['later-failed', 'failed', 100],
  ] as const) {
    test(`§3 promised: pending_delivery and charged, then ${end}; an order from the bot, too`, async () => {
      const { supplier } = supplied;
      const staged = await stage(sku);
      const { buyer, productId, buy: purchase } = staged;
      const bought = await purchase();
      assertSuccess(bought, 201);
      const bot = await botOrder(await stage(sku));
      assert.equal((await ok(bot.pay())).status, 'pending_delivery');
      assert.deepEqual([bought.body.status, bought.body.delivery], ['pending_delivery', undefined]);
      assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [93, 0]);
      const { items } = supplier.finish(known((await openSupplierPurchase(productId))?.reference));
      supplier.finish(known((await openSupplierPurchase(bot.productId))?.reference));
      const order = async () => (await scene.buyers.order(buyer.apiKey, known(bought.body.orderId))).body;
      await eventually(end, async () => (await order()).status === end && (await bot.status()) === end);
      if (end === 'completed') assert.deepEqual((await order()).delivery, { items });
      assert.equal(await scene.balanceUsdt(buyer), balanceUsdt);
      assert.equal(await openSupplierPurchase(productId), undefined);
    });
  }

  test('§3 a promised purchase ends by a signed report, which may be repeated', async () => {
    const { supplier, supplierId } = supplied;
    const { buyer, productId, buy: purchase } = await stage('later');
    const { orderId } = (await purchase()).body;
    const ended = supplier.finish(known((await openSupplierPurchase(productId))?.reference));
    const { headers, body } = supplier.report(ended);
    for (let count = 0; count < 3; count += 1) {
      await eventually('a report that is taken', async () => {
        const { status } = await report(supplierId, headers, body);
        assert.ok(status === 200 || status === 503, String(status));
        return status === 200;
      });
    }
    const order = await scene.buyers.order(buyer.apiKey, known(orderId));
    assert.deepEqual([order.body.status, order.body.delivery?.items], ['completed', ended.items]);
    assert.equal(await scene.balanceUsdt(buyer), 93);
  });

  test('what the operator refunds may still be delivered, and then enters own stock', async () => {
    const { supplier } = supplied;
    const { buyer, productId, buy: purchase } = await stage('later');
    const { orderId } = (await purchase()).body;
    const reference = known((await openSupplierPurchase(productId))?.reference);
    await ok(scene.operator.moveOrder(known(orderId), 'refund'));
    assert.deepEqual(
      [await scene.balanceUsdt(buyer), (await openSupplierPurchase(productId))?.phase],
      [100, 'unresolved'],
    );
    supplier.finish(reference);
    await ok(scene.operator.reconcileSupplierPurchases());
    await eventually('the items', async () => (await openSupplierPurchase(productId)) === undefined);
    assert.equal(await ownStock(productId), 2);
  });

  test('§1 an order from the bot sells own stock first, and then asks the supplier', async () => {
    const staged = await stage('codes', 2);
    const own = await ok((await botOrder(staged)).pay());
    assert.match(known(own.delivery?.items?.[0]), /^own /);
    const { orderId, pay, status } = await botOrder(staged);
    const paid = await ok(pay());
    assert.deepEqual(
      [paid.status, paid.balanceAfterUsdt, paid.delivery?.items?.length],
      ['completed', 86, 2],
    );
    const { body } = await scene.buyers.order(staged.buyer.apiKey, orderId);
    assert.deepEqual([body.status, body.delivery], ['completed', paid.delivery]);
    assert.deepEqual([await scene.balanceUsdt(staged.buyer), await heldUsdt(staged.buyer)], [86, 0]);
    assert.equal((await pay()).status, 409);
    assert.equal(await status(), 'completed');
  });

  testUnpaid(supplied, 'out-of-stock', 409, 'OUT_OF_STOCK');

  testUnpaid(supplied, 'too-few', 502, 'PURCHASE_FAILED');

  test('§1 while an order from the bot is being paid it can neither be paid again nor failed', async () => {
    const { supplier } = supplied;
    const staged = await stage('late');
    const { orderId, pay, status } = await botOrder(staged);
    const before = supplier.purchases.size;
    const paying = pay();
    await eventually('a hold', async () => (await heldUsdt(staged.buyer)) === 7);
    assert.equal(await status(), 'processing');
    for (const step of ['pay', 'fail'] as const) {
      const { status: code, body } = await scene.operator.moveOrder(orderId, step);
      assert.deepEqual([code, body.error], [409, 'TRANSITION_NOT_ALLOWED'], step);
    }
    await eventually('the question', async () => supplier.purchases.size > before);
    supplier.answerLate();
    assert.equal((await ok(paying)).status, 'completed');
    assert.deepEqual([await scene.balanceUsdt(staged.buyer), await heldUsdt(staged.buyer)], [93, 0]);
  });

  test('§2 the catalog has own stock and about what the supplier has, whatever becomes of the supplier', async () => {
    const { supplier, supplierId } = supplied;
    const { buyer, productId } = await stage('codes', 3);
    const inCatalog = async () => {
      const { products } = (await scene.buyers.products(buyer.apiKey)).body;
      return products?.find(({ id }) => id === productId)?.availableStock;
    };
    // A number after another one would take a minute.
    for (const [available, expected] of [
      ['unlimited', 'unlimited'] as const,
      [5, 8] as const,
      ...[0, -1, 'many'].map((nothing) => [nothing, 3] as const),
    ]) {
      supplier.available = available;
      await eventually(`${available}`, async () => (await inCatalog()) === expected);
    }
    supplier.available = 12;
    await eventually('12 again', async () => (await inCatalog()) === 15);
    await scene.operator.json('PATCH', `/suppliers/${supplierId}`, { url: 'http://127.0.0.1:1' });
    await delay(600);
    assert.equal(await inCatalog(), 15);
    await ok(scene.operator.json('PATCH', `/suppliers/${supplierId}`, { url: supplier.url }));
  });
});
