/** Sources of a product in order (docs/suppliers.md): which are asked, by what the one before has said, over real HTTP. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Sku } from '../../../examples/supplier/reference-supplier.ts';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { assertRefusal, assertReplay, assertSuccess } from '../reply-assertions.ts';
import { casesOf, freshIdempotencyKey, known } from '../scene.ts';
import { supplierScene } from './supplier-scene.ts';

/** A source whose supplier nobody can connect to. */
const NOBODY = 'nobody';

export const sources = casesOf('products with several sources', (scene) => {
  const supplied = supplierScene(scene);
  const { heldUsdt, openSupplierPurchase, ownStock, report } = supplied;

  async function nobody(): Promise<number> {
    const profile = { name: 'Nobody', url: 'http://127.0.0.1:9', secret: 'a secret of nobody' };
    return known((await ok(scene.operator.createSupplier(profile))).supplierId);
  }

  async function sourcesOf(skus: readonly (Sku | typeof NOBODY)[]) {
    const { supplierId } = supplied;
    return await Promise.all(
      skus.map(async (sku) => (sku === NOBODY ? { supplierId: await nobody(), sku } : { supplierId, sku })),
    );
  }

  async function stage(skus: readonly (Sku | typeof NOBODY)[]) {
    const [buyer, productId, list] = await Promise.all([scene.buyer(), scene.product(), sourcesOf(skus)]);
    assertDone(await scene.operator.json('PATCH', `/products/${productId}`, { sources: list }), 200);
    const key = freshIdempotencyKey();
    const before = new Set(supplied.supplier.purchases.keys());
    /** The purchases that the supplier sold, by sku: it remembers no others. */
    const sold = () =>
      [...supplied.supplier.purchases.values()]
        .filter(({ reference }) => !before.has(reference))
        .map(({ sku }) => sku);
    return { buyer, productId, key, sold, buy: () => supplied.buy(buyer, productId, key) };
  }

  for (const skus of [
    ['out-of-stock', 'codes'],
    [NOBODY, 'codes'],
    [NOBODY, 'out-of-stock', 'codes', 'failed'],
  ] as const) {
    test(`§4 ${skus.join(', ')}: the next one delivers, charged once, and repeated as it was`, async () => {
      const { buyer, productId, sold, buy } = await stage(skus);
      const bought = await buy();
      assertSuccess(bought, 201);
      assert.deepEqual([bought.body.status, bought.body.balanceAfterUsdt], ['completed', 93]);
      assertReplay(await buy(), bought);
      assert.deepEqual(sold(), ['codes']);
      assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [93, 0]);
      assert.equal(await openSupplierPurchase(productId), undefined);
      const told = await scene.operator.json('GET', `/orders/${bought.body.orderId}/timeline`);
      const { events } = JSON.parse(told.text) as { readonly events: readonly { readonly type: string }[] };
      const passed = Array.from({ length: skus.indexOf('codes') }, () => 'HoldPassed');
      assert.deepEqual(
        events.map(({ type }) => type).filter((type) => /^(Hold|Order)/.test(type)),
        ['HoldPlaced', ...passed, 'HoldCaptured', 'OrderDelivered'],
      );
    });
  }

  for (const [skus, status, code] of [
    [['failed', 'codes'], 502, 'PURCHASE_FAILED'],
    [['out-of-stock', 'garbage', 'codes'], 502, 'PURCHASE_FAILED'],
    [[NOBODY, 'too-few', 'codes'], 502, 'PURCHASE_FAILED'],
  ] as const) {
    test(`§4 ${skus.join(', ')}: after doubt none is asked`, async () => {
      const { buyer, sold, buy } = await stage(skus);
      const refused = await buy();
      assertRefusal(refused, status, code);
      assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [100, 0]);
      assert.ok(!sold().includes('codes'));
      assertReplay(await buy(), refused);
    });
  }

  test('§3 a promise ends the order of sources: when it fails, so does the order', async () => {
    const { buyer, productId, sold, buy } = await stage(['out-of-stock', 'later-failed', 'codes']);
    const bought = await buy();
    assertSuccess(bought, 201);
    assert.equal(bought.body.status, 'pending_delivery');
    supplied.supplier.finish(known((await openSupplierPurchase(productId))?.reference));
    const order = async () => (await scene.buyers.order(buyer.apiKey, known(bought.body.orderId))).body;
    await eventually('the failure', async () => (await order()).status === 'failed');
    assert.deepEqual([await scene.balanceUsdt(buyer), sold()], [100, ['later-failed']]);
  });

  for (const [skus, status, code] of [
    [['out-of-stock', NOBODY], 502, 'PURCHASE_FAILED'],
    [[NOBODY, 'out-of-stock'], 409, 'OUT_OF_STOCK'],
  ] as const) {
    test(`§4 ${skus.join(', ')}: none has it, and the answer is that of the last`, async () => {
      const { buyer, productId, buy } = await stage(skus);
      assertRefusal(await buy(), status, code);
      assert.deepEqual([await scene.balanceUsdt(buyer), await heldUsdt(buyer)], [100, 0]);
      assert.equal(await openSupplierPurchase(productId), undefined);
    });
  }

  test('§3 an order from the bot is paid by the next source', async () => {
    const { buyer, productId } = await stage(['out-of-stock', 'codes']);
    const { pay, orderId } = await supplied.botOrder({ buyer, productId });
    assert.equal((await ok(pay())).status, 'completed');
    const { text } = await scene.operator.json('GET', `/orders/${orderId}/timeline`);
    assert.match(text, /"OrderOpened".*"HoldPlaced".*"HoldPassed".*"HoldCaptured".*"OrderDelivered"/);
  });

  test('what the first source delivers after all enters own stock, beside what the second has sold', async () => {
    const { productId, buy } = await stage(['out-of-stock', 'codes']);
    const bought = await buy();
    assertSuccess(bought, 201);
    const told = await scene.operator.json('GET', `/orders/${bought.body.orderId}/timeline`);
    const reference = /"HoldPlaced".*?"reference":"(?<first>[^"]+)"/.exec(told.text)?.groups?.first ?? '';
    const late = { reference, sku: '', quantity: 2, status: 'delivered' as const };
    const { headers, body } = supplied.supplier.report({
      ...late,
      items: [`${reference} 1`, `${reference} 2`],
    });
    for (let count = 0; count < 2; count += 1)
      assert.equal((await report(supplied.supplierId, headers, body)).status, 200);
    assert.equal(await ownStock(productId), 2);
  });

  describe('sources in the operator API', () => {
    const shown = async (productId: number) => {
      const { text } = await scene.operator.json('GET', `/products/${productId}`);
      const { sources: list, supplierId, supplierSku } = JSON.parse(text);
      return { list, supplierId, supplierSku };
    };

    test('are a list in order, or its only one by supplierId and supplierSku', async () => {
      const { productId } = await stage(['codes']);
      const path = `/products/${productId}`;
      const list = await sourcesOf([NOBODY, 'codes']);
      const [first, second] = list;
      assertDone(await scene.operator.json('PATCH', path, { sources: list }), 200);
      assert.deepEqual(await shown(productId), {
        list,
        supplierId: known(first).supplierId,
        supplierSku: NOBODY,
      });
      assertDone(await scene.operator.json('PATCH', path, { name: 'Other' }), 200);
      assert.deepEqual((await shown(productId)).list, list);
      const one = { supplierId: known(second).supplierId, supplierSku: 'codes' };
      assertDone(await scene.operator.json('PATCH', path, one), 200);
      assert.deepEqual(await shown(productId), { list: [second], ...one });
      for (const none of [{ sources: [] }, { supplierId: null, supplierSku: null }]) {
        assertDone(await scene.operator.json('PATCH', path, { sources: list }), 200);
        assertDone(await scene.operator.json('PATCH', path, none), 200);
        assert.deepEqual((await shown(productId)).list, undefined);
      }
    });

    test('are refused when they are not those of a product', async () => {
      const { productId } = await stage(['codes']);
      const { supplierId } = supplied;
      const source = (sku: unknown, of: unknown = supplierId) => ({ supplierId: of, sku });
      const bodies: readonly (readonly [body: object, message: RegExp])[] = [
        [{ sources: [source('a'), source('a')] }, /twice/],
        [{ sources: [source('a', 999_999)] }, /no supplier 999999/],
        [{ sources: [source('a\nb')] }, /sources\.sku/],
        [{ sources: [source('')] }, /sku/],
        [{ sources: [{ supplierId }] }, /sku/],
        [{ sources: [{ ...source('a'), cost: 1 }] }, /cost/],
        [{ sources: Array.from({ length: 9 }, (_, at) => source(`a${at}`)) }, /8/],
        [{ sources: [source('a')], supplierId, supplierSku: 'b' }, /either sources/],
        [{ sources: null }, /sources/],
        [{ supplierId }, /belong together/],
      ];
      for (const [body, message] of bodies) {
        const reply = await scene.operator.json('PATCH', `/products/${productId}`, body);
        assertRefused(reply, 400, 'BAD_REQUEST');
        assert.match(String(reply.body.message), message, JSON.stringify(body));
      }
      const manual = { name: 'By hand', description: '', instructions: '', type: 'manual', priceUsdt: 1 };
      assertRefused(
        await scene.operator.json('POST', '/products', { ...manual, sources: [source('a')] }),
        400,
        'BAD_REQUEST',
      );
    });
  });
});
