/** SPEC.md §2 and §4: GET /products and GET /balance. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CatalogProduct } from '../support/buyer-client.ts';
import { assertSuccess } from './reply-assertions.ts';
import { casesOf, freshIdempotencyKey } from './scene.ts';

export const catalog = casesOf('catalog and balance', (scene) => {
  async function catalog(apiKey: string): Promise<readonly CatalogProduct[]> {
    const reply = await scene.buyers.products(apiKey);
    assertSuccess(reply, 200);
    assert.ok(Array.isArray(reply.body.products), reply.text);
    return reply.body.products;
  }

  async function listed(apiKey: string, productId: number): Promise<CatalogProduct | undefined> {
    const found = (await catalog(apiKey)).filter((product) => product.id === productId);
    assert.ok(found.length <= 1, 'a product is listed once');
    return found[0];
  }

  test('§2 a product has its fields while it is active; a purchase at one of its volume prices succeeds', async () => {
    const { apiKey } = await scene.buyer();
    const priceTiers = [
      { minQuantity: 3, priceUsdt: 3 },
      { minQuantity: 10, priceUsdt: 2.345678 },
    ];
    const words = { name: 'Prepaid “Ünïcode” 🎁', description: 'Line one\nline two', instructions: '' };
    const productId = await scene.product({ ...words, priceTiers, stock: 10 });
    const numbers = { id: productId, priceUsdt: 3.5, availableStock: 10 };
    const product = await listed(apiKey, productId);
    assert.deepEqual({ ...product, ...words, ...numbers, priceTiers, requiresRecipient: false }, product);
    assertSuccess(await scene.buy({ apiKey }, productId, 10, 23.46), 201);
    await scene.operator.updateProduct(productId, { priceTiers: [], active: false });
    assert.equal(await listed(apiKey, productId), undefined);
    await scene.operator.updateProduct(productId, { active: true });
    assert.deepEqual((await listed(apiKey, productId))?.priceTiers, []);
  });

  test('§2 the catalog follows restocks, withdrawals, sales and changes of name and price', async () => {
    const { apiKey } = await scene.buyer();
    const productId = await scene.product({ stock: ['a', 'b'] });
    await scene.operator.addStock(productId, ['c', 'd', 'e']);
    assert.equal((await listed(apiKey, productId))?.availableStock, 5);
    await scene.operator.withdrawStock(productId, 4);
    const update = { name: 'Renamed', priceUsdt: 4, requiresRecipient: true };
    await scene.operator.updateProduct(productId, update);
    const { name, priceUsdt, requiresRecipient, availableStock } = (await listed(apiKey, productId)) ?? {};
    assert.deepEqual(
      { name, priceUsdt, requiresRecipient, availableStock },
      { ...update, availableStock: 1 },
    );
    const body = { productId, expectedPriceUsdt: 4, recipient: { username: '@some_one' } };
    assertSuccess(await scene.buyers.purchase(apiKey, freshIdempotencyKey(), body), 201);
    assert.equal((await listed(apiKey, productId))?.availableStock, 0, 'sold out, it stays listed');
  });

  test('§2 the balance is what was credited less what was bought', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 0 });
    const reply = await scene.buyers.balance(buyer.apiKey);
    assertSuccess(reply, 200);
    assert.deepEqual(reply.body, { success: true, balanceUsdt: 0, requestId: reply.body.requestId });

    await scene.operator.credit(buyer.accountId, 20.05, 'deposit');
    const productId = await scene.product({ stock: 3, priceUsdt: 6.68 });
    assertSuccess(await scene.buy(buyer, productId, 3, 20.04), 201);
    assert.equal(await scene.balanceUsdt(buyer), 0.01);
  });
});
