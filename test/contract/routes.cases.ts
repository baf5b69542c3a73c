/** SPEC.md §1 and §4: what every answer has in common, the health call, and what isn't a route. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuyerClient, type BuyerReply } from '../support/buyer-client.ts';
import { assertEnvelope, assertRefusal, assertSuccess } from './reply-assertions.ts';
import { casesOf, freshIdempotencyKey, known } from './scene.ts';

const unknownRoutes: readonly (readonly [section: string, method: string, path: string])[] = [
  ['§4: there is no endpoint to list orders', 'GET', '/orders'],
  ['§4: wrong method on a known path', 'POST', '/health'],
  ['§4: wrong method on a known path', 'POST', '/products'],
  ['§4: wrong method on a known path', 'DELETE', '/balance'],
  ['§4: wrong method on a known path', 'PUT', '/orders'],
  ['§4: wrong method on a known path', 'DELETE', '/orders/1'],
  ['§4: wrong method on a known path', 'POST', '/orders/1'],
  ['§7: unknown route', 'GET', '/'],
  ['§7: unknown route', 'GET', '/product'],
  ['§7: unknown route', 'GET', '/products/1'],
  ['§7: unknown route', 'GET', '/orders/1/items'],
  ['§7: paths are case-sensitive', 'GET', '/Products'],
  ['§7: unknown route', 'GET', '/__proto__'],
  ['§7: unknown route', 'GET', '/%2e%2e/%2e%2e/etc/passwd'],
  ['§7: unknown route', 'GET', '/../../../products'],
  ['§7: unknown route', 'GET', '/orders/1/../1'],
];

export const routes = casesOf('routes', (scene) => {
  test('§4 GET /health answers without a key', async () => {
    const reply = await scene.buyers.raw('GET', '/health');
    assertSuccess(reply, 200);
    const body = reply.body as unknown as Record<string, unknown>;
    assert.equal(body.status, 'ok');
    assert.equal(typeof body.service, 'string');
  });

  test('§4 GET /health ignores a wrong key', async () => {
    assertSuccess(await scene.buyers.raw('GET', '/health', { 'x-api-key': 'wrong' }), 200);
  });

  test('§1 the query of a call that takes none is ignored', async () => {
    const { apiKey } = await scene.buyer();
    assertSuccess(await scene.buyers.raw('GET', '/balance?x=1&x-api-key=no', { 'x-api-key': apiKey }), 200);
    assertSuccess(await scene.buyers.raw('GET', '/health?'), 200);
  });

  for (const [why, method, path] of unknownRoutes) {
    test(`${why}: ${method} ${path} is 404 NOT_FOUND`, async () => {
      const { apiKey } = await scene.buyer({ balanceUsdt: 0 });
      assertRefusal(await scene.buyers.raw(method, path, { 'x-api-key': apiKey }), 404, 'NOT_FOUND');
    });
  }

  test('§7 a path outside the prefix is 404 in the same form', async () => {
    const { apiKey } = await scene.buyer({ balanceUsdt: 0 });
    const client = new BuyerClient(new URL(scene.server.buyerUrl).origin);
    for (const path of [
      '/',
      '/products',
      '/api/v1/products',
      '/api/v2/buyer/products',
      '/operator/v1/status',
    ]) {
      assertRefusal(await client.raw('GET', path, { 'x-api-key': apiKey }), 404, 'NOT_FOUND');
    }
    client.close();
  });

  test('§1 every answer has the envelope, the request id in body and header, and no-store', async () => {
    const { apiKey } = await scene.buyer();
    const productId = await scene.product({ stock: 1 });
    const order = await scene.buyers.purchase(apiKey, freshIdempotencyKey(), {
      productId,
      expectedPriceUsdt: 3.5,
    });
    const replies: BuyerReply[] = [
      order,
      await scene.buyers.raw('GET', '/health'),
      await scene.buyers.products(apiKey),
      await scene.buyers.balance(apiKey),
      await scene.buyers.order(apiKey, known(order.body.orderId)),
      await scene.buyers.order(apiKey, 999_999),
      await scene.buyers.raw('GET', '/nowhere', { 'x-api-key': apiKey }),
      await scene.buyers.raw('GET', '/balance'),
      await scene.buyers.raw('POST', '/orders', { 'x-api-key': apiKey }, '{}'),
    ];
    for (const reply of replies) assertEnvelope(reply);
    assert.deepEqual(
      replies.map((reply) => reply.status),
      [201, 200, 200, 200, 200, 404, 404, 401, 400],
    );
    assert.equal(new Set(replies.map((reply) => reply.body.requestId)).size, replies.length);
  });
});
