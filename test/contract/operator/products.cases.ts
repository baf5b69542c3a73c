/** DESIGN.md §7: the catalog, as the operator keeps it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
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
  ['an empty sku', { sku: '' }],
  ['a sku of 65 characters', { sku: 'x'.repeat(65) }],
  ['a sku of two lines', { sku: 'a\nb' }],
  ['a category of 101 characters', { category: 'x'.repeat(101) }],
  ['an attribute that is no text', { attributes: { region: 1 } }],
  ['an attribute without a name', { attributes: { '': 'EU' } }],
  ['33 attributes', { attributes: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`a${i}`, 'x'])) }],
  ['a picture without encryption', { imageUrl: 'http://pictures.example/a.png' }],
  ['a picture that is no address', { imageUrl: 'https://' }],
  ['an unknown visibility', { visibility: 'none' }],
  ['a minQuantity of 0', { minQuantity: 0 }],
  ['no minQuantity', { minQuantity: null }],
  ['bounds that nobody can keep', { minQuantity: 5, maxQuantity: 4 }],
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

  test('§4 the catalog fields have their defaults, are changed and taken away, and buyers see them', async () => {
    const none = {
      sku: null,
      category: null,
      attributes: {},
      imageUrl: null,
      minQuantity: 1,
      maxQuantity: null,
    };
    const productId = await created();
    const before = await shown(productId);
    assert.deepEqual({ ...before, ...none, visibility: 'all' }, before);
    const sku = `sku ${productId} ü`;
    const some = {
      sku,
      category: 'Games',
      attributes: { region: 'EU', ['__proto__']: 'text', platform: 'PC' },
      imageUrl: 'https://pictures.example/a.png?x=1',
      minQuantity: 2,
      maxQuantity: 5,
    };
    assertDone(await scene.operator.json('PATCH', `/products/${productId}`, some), 200);
    assert.deepEqual({ ...(await shown(productId)), ...some }, await shown(productId));
    const { apiKey } = await scene.buyer();
    const listed = async () =>
      known((await scene.buyers.products(apiKey)).body.products).find(({ id }) => id === productId);
    assert.deepEqual({ ...(await listed()), ...some }, await listed());
    assert.ok(!('visibility' in known(await listed())));
    assertDone(await scene.operator.json('PATCH', `/products/${productId}`, none), 200);
    assert.deepEqual(await shown(productId), before);
    assert.deepEqual({ ...(await listed()), ...none }, await listed());
  });

  test('§4 a sku that another product has is 409, and free as soon as it has not', async () => {
    const sku = `taken ${randomUUID()}`;
    const first = await created();
    const second = await created();
    assertDone(await scene.operator.json('PATCH', `/products/${first}`, { sku }), 200);
    assertDone(await scene.operator.json('PATCH', `/products/${first}`, { sku, name: 'Other' }), 200);
    const posted = await scene.operator.json('POST', '/products', { ...product, sku });
    assertRefused(posted, 409, 'ALREADY_TAKEN');
    const patched = await scene.operator.json('PATCH', `/products/${second}`, { sku, name: 'Lost' });
    assertRefused(patched, 409, 'ALREADY_TAKEN');
    assert.equal((await shown(second)).name, product.name);
    assertDone(await scene.operator.json('PATCH', `/products/${first}`, { sku: null }), 200);
    assertDone(await scene.operator.json('PATCH', `/products/${second}`, { sku }), 200);
  });

  test('§3 a quantity outside the bounds is 400 with the bound, charges nothing and leaves the key free', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 9 });
    const bound = (bounds: object) => ok(scene.operator.updateProduct(productId, bounds));
    await bound({ minQuantity: 2, maxQuantity: 3 });
    const balance = await scene.balanceUsdt(buyer);
    for (const [quantity, said] of [
      [1, /\b2\b/],
      [4, /\b3\b/],
    ] as const) {
      const key = randomUUID();
      const reply = await scene.buy(buyer, productId, quantity, 3.5 * quantity, key);
      assert.deepEqual([reply.status, reply.body.error], [400, 'BAD_REQUEST']);
      assert.match(known(reply.body.message), said);
      assert.equal(await scene.balanceUsdt(buyer), balance);
      await bound({ minQuantity: 1, maxQuantity: null });
      assert.equal((await scene.buy(buyer, productId, quantity, 3.5 * quantity, key)).status, 201);
      await bound({ minQuantity: 2, maxQuantity: 3 });
      await scene.operator.credit(buyer.accountId, 3.5 * quantity, randomUUID());
    }
    const order = { accountId: buyer.accountId, productId, quantity: 4 };
    assertRefused(await scene.operator.json('POST', '/orders', order), 400, 'BAD_REQUEST');
    const opened = await scene.operator.json('POST', '/orders', { ...order, quantity: 3 });
    assertDone(opened, 201);
    await bound({ maxQuantity: 2 });
    const { orderId } = JSON.parse(opened.text) as { orderId: number };
    const unpaid = await scene.operator.json('POST', `/orders/${orderId}/pay`, {});
    assertRefused(unpaid, 400, 'BAD_REQUEST');
    assert.match(unpaid.text, /at most 2/);
    assert.equal((await ok(scene.operator.getOrder(orderId))).status, 'processing');
    assert.equal(await scene.balanceUsdt(buyer), balance);
    await bound({ maxQuantity: 3 });
    assertDone(await scene.operator.json('POST', `/orders/${orderId}/pay`, {}), 200);
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
