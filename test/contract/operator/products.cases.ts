/** DESIGN.md §7: the catalog, as the operator keeps it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ok } from '../../support/operator-client.ts';
import { assertDone, assertRefused, listAll } from '../operator-reply.ts';
import { casesOf, freshIdempotencyKey, known } from '../scene.ts';

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
  ['a name that isn’t a string', { name: 7 }],
  ['a description that isn’t a string', { description: [] }],
  ['an unknown type', { type: 'subscription' }],
  ['a price as a string', { priceUsdt: '3.5' }],
  ['a negative price', { priceUsdt: -0.01 }],
  ['a price with three decimals', { priceUsdt: 3.505 }],
  ['a price with many decimals', { priceUsdt: 0.30000000000000004 + 0.001 }],
  ['an absurd price', { priceUsdt: 1e308 }],
  ['a price too large to add up', { priceUsdt: 9_007_199_254_740_991 }],
  ['tiers that aren’t a list', { priceTiers: { minQuantity: 5, priceUsdt: 3 } }],
  ['tiers that descend', { priceTiers: [tier(10, 2), tier(5, 3)] }],
  ['two tiers from the same quantity', { priceTiers: [tier(5, 3), tier(5, 2)] }],
  ['a tier without a price', { priceTiers: [{ minQuantity: 5 }] }],
  ['a tier without a quantity', { priceTiers: [{ priceUsdt: 3 }] }],
  ['a tier from quantity 0', { priceTiers: [tier(0, 3)] }],
  ['a tier from a fraction', { priceTiers: [tier(2.5, 3)] }],
  ['a tier from a negative quantity', { priceTiers: [tier(-5, 3)] }],
  ['a tier finer than a millionth', { priceTiers: [tier(5, 2.9999999)] }],
  ['a tier with a negative price', { priceTiers: [tier(5, -1)] }],
  ['a tier with a price as a string', { priceTiers: [tier(5, '3')] }],
  ['requiresRecipient as a string', { requiresRecipient: 'no' }],
  ['active as a number', { active: 1 }],
  ['a lowStock of 0', { lowStock: 0 }],
  ['a lowStock as a string', { lowStock: '5' }],
  ['a lowStock with a fraction', { lowStock: 1.5 }],
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
    assert.ok(Number.isSafeInteger(productId) && productId > 0);
    const fields = await shown(productId);
    for (const [name, value] of Object.entries({
      ...product,
      productId,
      active: true,
      requiresRecipient: false,
      availableStock: 0,
    })) {
      assert.deepEqual(fields[name], value, name);
    }
  });

  for (const field of ['name', 'priceUsdt']) {
    test(`POST /products without ${field} is 400`, async () => {
      const reply = await scene.operator.json('POST', '/products', { ...product, [field]: undefined });
      assertRefused(reply, 400, 'BAD_REQUEST');
    });
  }

  for (const [why, changes] of badChanges) {
    test(`${why} is 400 in POST and PATCH, and changes nothing`, async () => {
      const posted = await scene.operator.json('POST', '/products', { ...product, ...changes });
      assertRefused(posted, 400, 'BAD_REQUEST');
      const productId = await created();
      const before = await shown(productId);
      const patched = await scene.operator.json('PATCH', `/products/${productId}`, changes);
      assertRefused(patched, 400, 'BAD_REQUEST');
      assert.deepEqual(await shown(productId), before);
    });
  }

  test('PATCH changes what it names and nothing else', async () => {
    const productId = await created();
    const before = await shown(productId);
    const changes = { priceUsdt: 4.25, priceTiers: [tier(5, 3.99), tier(50, 0.01)], active: false };
    assertDone(await scene.operator.json('PATCH', `/products/${productId}`, changes), 200);
    assert.deepEqual(await shown(productId), { ...before, ...changes });
    assertDone(await scene.operator.updateProduct(productId, { priceTiers: [], name: 'Other' }), 200);
    assert.deepEqual(await shown(productId), { ...before, ...changes, priceTiers: [], name: 'Other' });
  });

  test('soldLastDay is what was sold, at once, and not what was withdrawn', async () => {
    const { apiKey } = await scene.buyer();
    const productId = await scene.product({ stock: 9 });
    assert.equal((await shown(productId)).soldLastDay, 0);
    const purchase = { productId, quantity: 3, expectedPriceUsdt: 10.5 };
    assert.equal((await scene.buyers.purchase(apiKey, freshIdempotencyKey(), purchase)).status, 201);
    await ok(scene.operator.withdrawStock(productId, 2));
    assert.equal((await shown(productId)).soldLastDay, 3);
  });

  test('lowStock is shown when it is set, and null takes it away', async () => {
    const made = await scene.operator.createProduct({ ...product, lowStock: 20 });
    const productId = known(made.body.productId);
    assert.equal((await shown(productId)).lowStock, 20);
    assertDone(await scene.operator.updateProduct(productId, { lowStock: 5, priceUsdt: 2 }), 200);
    assert.equal((await shown(productId)).lowStock, 5);
    assertDone(await scene.operator.updateProduct(productId, { lowStock: null }), 200);
    assert.ok(!('lowStock' in (await shown(productId))));
  });

  test('prices of whole cents are kept to the cent', async () => {
    for (const priceUsdt of [0.01, 0.07, 0.29, 1.15, 4.35, 8.41, 19.99, 1234.56, 999_999.99]) {
      const reply = await scene.operator.createProduct({ ...product, priceUsdt });
      assertDone(reply, 201);
      assert.equal((await shown(known(reply.body.productId))).priceUsdt, priceUsdt);
    }
  });

  test('PATCH of a product that doesn’t exist is 404', async () => {
    assertRefused(await scene.operator.updateProduct(999_999_999, { name: 'x' }), 404, 'NOT_FOUND');
  });

  test('GET /products lists active and inactive ones', async () => {
    const [active, inactive] = [await created(), await created()];
    await scene.operator.updateProduct(inactive, { active: false });
    const listed = await listAll(scene.operator, 'products', 'productId');
    for (const id of [active, inactive]) assert.equal(listed.filter((other) => other === id).length, 1);
  });
});
