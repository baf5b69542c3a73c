/** SPEC.md §2 and §4: GET /products and GET /balance. */
import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
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

  test('§4 a catalog that has not changed is 304 by its tag, which is that of what this buyer sees', async () => {
    const { apiKey } = await scene.buyer();
    const other = await scene.buyer();
    const productId = await scene.product({ stock: ['t1', 't2'] });
    const asked = (tag: string | undefined, query = '') =>
      scene.buyers.raw('GET', `/products${query}`, { 'x-api-key': apiKey, 'if-none-match': tag });
    const { etag } = (await asked(undefined)).headers;
    assert.match(etag ?? '', /^"[0-9a-f]{64}"$/);
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const reply = await asked(tag);
      assert.deepEqual([reply.status, reply.text, reply.headers.etag], [304, '', etag]);
      assert.equal(reply.headers['cache-control'], 'no-store');
      assert.match(String(reply.headers['x-request-id']), /^req_/);
      assert.equal(reply.headers['content-type'], undefined);
    }
    // What others alone see changes nothing here.
    const path = `/accounts/${other.accountId}/prices/${productId}`;
    assert.equal((await scene.operator.json('PUT', path, { priceUsdt: 1 })).status, 200);
    assert.equal((await asked(etag)).status, 304);
    const part = (await asked(undefined, `?ids=${productId}`)).headers.etag;
    assert.notEqual(part, etag);
    assert.equal((await asked(part, `?ids=${productId}`)).status, 304);
    assert.equal((await asked(etag, `?ids=${productId}`)).status, 200);
    assertSuccess(await scene.buy(other, productId, 1, 1), 201);
    for (const reply of [await asked(etag), await asked(part, `?ids=${productId}`)]) {
      assertSuccess(reply, 200);
      assert.notEqual(reply.headers.etag, etag);
    }
  });

  test('§4 a 304 counts as a request', async () => {
    const { apiKey } = await scene.buyer();
    const left = (reply: { headers: Record<string, unknown> }) =>
      Number(/r=(\d+)/.exec(String(reply.headers.ratelimit))?.[1]);
    const first = await scene.buyers.products(apiKey);
    const headers = { 'x-api-key': apiKey, 'if-none-match': first.headers.etag };
    const second = await scene.buyers.raw('GET', '/products', headers);
    assert.deepEqual([second.status, left(second)], [304, left(first) - 1]);
  });

  test('§4 ids give these alone; those that nobody can see are left out, and other texts are 400', async () => {
    const { apiKey } = await scene.buyer();
    const shown = await scene.product({ stock: 1 });
    const also = await scene.product({ stock: 1 });
    const hidden = await scene.product({ stock: 1 });
    await scene.operator.updateProduct(hidden, { active: false });
    const asked = (ids: string) => scene.buyers.raw('GET', `/products?ids=${ids}`, { 'x-api-key': apiKey });
    const found = await asked(`${also},${hidden},${shown},999999999,${shown}`);
    assertSuccess(found, 200);
    assert.deepEqual(
      found.body.products?.map(({ id }) => id),
      [shown, also],
    );
    assert.deepEqual(found.body.products?.[0], await listed(apiKey, shown));
    assert.deepEqual((await asked(`${hidden}`)).body.products, []);
    for (const ids of [
      '',
      'x',
      '1,,2',
      '1;2',
      '-1',
      Array.from({ length: 101 }, (_, at) => at + 1).join(','),
    ])
      assert.deepEqual([(await asked(ids)).status, ids], [400, ids]);
    assertSuccess(await asked(Array.from({ length: 100 }, (_, at) => at + 1).join(',')), 200);
  });

  test('§4 a compressed catalog is the same, again and again, with the id of each request', async () => {
    const { apiKey } = await scene.buyer();
    await scene.product({ description: 'ü'.repeat(9_000), stock: 1 });
    const { requestId: _, ...plain } = (await scene.buyers.products(apiKey)).body;
    const asked = async (acceptEncoding: string) => {
      const headers = { 'x-api-key': apiKey, 'accept-encoding': acceptEncoding };
      const { bytes, headers: got } = await bytesOf(`${scene.server.buyerUrl}/products`, headers);
      const isPacked = got['content-encoding'] === 'gzip';
      const body = JSON.parse((isPacked ? gunzipSync(bytes) : bytes).toString());
      assert.equal(body.requestId, got['x-request-id']);
      assert.deepEqual({ ...body, requestId: undefined }, { ...plain, requestId: undefined });
      return isPacked;
    };
    for (const accepted of ['gzip', 'gzip', 'br, GZIP;q=0.5', 'deflate, x-gzip'])
      assert.ok(await asked(accepted));
    for (const refused of ['identity', 'br', 'gzip;q=0', 'gzip; q=0.0']) assert.ok(!(await asked(refused)));
  });
});

/** Clients that decode forgive what is cut off or follows. */
async function bytesOf(url: string, headers: Readonly<Record<string, string>>) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent: false }, resolve).on('error', reject);
  });
  return { bytes: await buffer(response), headers: response.headers };
}
