/** DESIGN.md §7: the catalog, as the operator keeps it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ok } from '../../support/operator-client.ts';
import { assertDone, assertRefused, listAll } from '../operator-reply.ts';
import { casesOf, known } from '../scene.ts';

const product = {
  name: 'Gift card',
  description: 'One code',
  instructions: 'Redeem it',
  type: 'standard',
  priceUsdt: 3.5,
};

const tier = (minQuantity: unknown, priceUsdt: unknown) => ({ minQuantity, priceUsdt });

/** Changes to `product` that make it one that is refused; undefined leaves the field out. */
const badChanges: readonly (readonly [why: string, changes: Readonly<Record<string, unknown>>])[] = [
  ['an empty name', { name: '' }],
  ['an unknown type', { type: 'subscription' }],
  ['a price as a string', { priceUsdt: '3.5' }],
  ['a negative price', { priceUsdt: -0.01 }],
  ['a price with three decimals', { priceUsdt: 3.505 }],
  ['a price too large to add up', { priceUsdt: 9_007_199_254_740_991 }],
  ['tiers that descend', { priceTiers: [tier(10, 2), tier(5, 3)] }],
  ['a tier from a fraction', { priceTiers: [tier(2.5, 3)] }],
  ['a tier finer than a millionth', { priceTiers: [tier(5, 2.9999999)] }],
  ['a tier whose total rounds to nothing', { priceUsdt: 0.01, priceTiers: [tier(2, 0.002)] }],
  ['a finer one', { priceUsdt: 0.01, priceTiers: [tier(2, 0.0025), tier(100, 0.000001)] }],
  ['a tier with a negative price', { priceTiers: [tier(5, -1)] }],
  ['a lowStock of 0', { lowStock: 0 }],
  ['a lowStock of what never runs out', { type: 'manual', lowStock: 5 }],
];

export const products = casesOf('operator API: products', (scene) => {
  async function created(): Promise<number> {
    return known((await scene.operator.createProduct(product)).body.productId);
  }

  async function shown(productId: number): Promise<Readonly<Record<string, unknown>>> {
    const reply = await scene.operator.getProduct(productId);
    assertDone(reply, 200);
    const { requestId: _, ...fields } = JSON.parse(reply.text) as Record<string, unknown>;
    return fields;
  }

  test('POST /products adds one that is active, has no stock and needs no recipient', async () => {
    const reply = await scene.operator.createProduct(product);
    assertDone(reply, 201);
    const productId = known(reply.body.productId);
    const fields = await shown(productId);
    const defaults = { productId, active: true, requiresRecipient: false, availableStock: 0 };
    assert.deepEqual({ ...fields, ...product, ...defaults }, fields);
    const listed = await listAll(scene.operator, 'products', 'productId');
    assert.equal(listed.filter((id) => id === productId).length, 1);
  });

  test('what can be no product is 400 in POST and PATCH, and changes nothing', async () => {
    const productId = await created();
    const before = await shown(productId);
    for (const [why, changes] of badChanges) {
      const posted = await scene.operator.json('POST', '/products', { ...product, ...changes });
      const patched = await scene.operator.json('PATCH', `/products/${productId}`, changes);
      assert.deepEqual([posted.status, patched.status], [400, 400], why);
    }
    assert.deepEqual(await shown(productId), before);
    for (const field of ['name', 'priceUsdt']) {
      const reply = await scene.operator.json('POST', '/products', { ...product, [field]: undefined });
      assertRefused(reply, 400, 'BAD_REQUEST');
    }
    assertRefused(await scene.operator.updateProduct(999_999_999, { name: 'x' }), 404, 'NOT_FOUND');
  });

  test('PATCH changes what it names and nothing else', async () => {
    const productId = await created();
    const before = await shown(productId);
    const changes = { priceUsdt: 4.25, priceTiers: [tier(5, 3.99), tier(50, 0)], active: false };
    assertDone(await scene.operator.json('PATCH', `/products/${productId}`, changes), 200);
    assert.deepEqual(await shown(productId), { ...before, ...changes });
    assertDone(await scene.operator.updateProduct(productId, { priceTiers: [], name: 'Other' }), 200);
    assert.deepEqual(await shown(productId), { ...before, ...changes, priceTiers: [], name: 'Other' });
  });

  test('soldLastDay is what was sold, at once, and not what was withdrawn', async () => {
    const { apiKey } = await scene.buyer();
    const productId = await scene.product({ stock: 9 });
    assert.equal((await shown(productId)).soldLastDay, 0);
    assert.equal((await scene.buy({ apiKey }, productId, 3)).status, 201);
    await ok(scene.operator.withdrawStock(productId, 2));
    assert.equal((await shown(productId)).soldLastDay, 3);
  });

  test('lowStock is shown when it is set, and null takes it away', async () => {
    const productId = await created();
    await ok(scene.operator.updateProduct(productId, { lowStock: 5, priceUsdt: 1234.56 }));
    const { lowStock, priceUsdt } = await shown(productId);
    assert.deepEqual([lowStock, priceUsdt], [5, 1234.56]);
    await ok(scene.operator.updateProduct(productId, { lowStock: null }));
    assert.ok(!('lowStock' in (await shown(productId))));
  });
});
