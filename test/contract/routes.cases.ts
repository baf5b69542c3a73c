/** SPEC.md §1 and §4: what every answer has in common, the health call, and what isn't a route. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuyerClient } from '../support/buyer-client.ts';
import { assertRefusal, assertSuccess } from './reply-assertions.ts';
import { casesOf } from './scene.ts';

const unknownRoutes = [
  // §4: there is no endpoint to list orders, and methods are those that the document has.
  ...['GET /orders', 'POST /health', 'POST /products', 'DELETE /balance', 'PUT /orders', 'DELETE /orders/1'],
  ...['POST /orders/1', 'GET /', 'GET /product', 'GET /products/1', 'GET /orders/1/items', 'GET /Products'],
  ...['GET /__proto__', 'GET /%2e%2e/%2e%2e/etc/passwd', 'GET /../../../products', 'GET /orders/1/../1'],
];

export const routes = casesOf('routes', (scene) => {
  test('§4 GET /health answers without a key, or with a wrong one; §1 a query that nobody takes is ignored', async () => {
    for (const path of ['/health', '/health?', '/health?x=1&x-api-key=no']) {
      const reply = await scene.buyers.raw('GET', path, path === '/health' ? {} : { 'x-api-key': 'wrong' });
      assertSuccess(reply, 200);
      const { status, service } = reply.body as unknown as Record<string, unknown>;
      assert.deepEqual([status, typeof service], ['ok', 'string']);
    }
  });

  test('§7 what isn’t a route is 404 NOT_FOUND', async () => {
    const { apiKey } = await scene.buyer({ balanceUsdt: 0 });
    for (const route of unknownRoutes) {
      const [method = '', path = ''] = route.split(' ');
      assertRefusal(await scene.buyers.raw(method, path, { 'x-api-key': apiKey }), 404, 'NOT_FOUND');
    }
  });

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
});
