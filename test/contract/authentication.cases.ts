/**
 * SPEC.md §5: API keys and scopes, on servers that allow webhooks to 127.0.0.0/8.
 *
 * At most 20 invalid keys in 5 minutes from one address are answered with 401 (§8); these cases stay below that, which
 * is why the malformed credentials aren't a longer list. The last one uses up the rest. The limit itself has its tests
 * in `test/http/buyer/limits.test.ts`, where the clock can be turned.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { head, RawClient } from '../http/transport/raw-client.ts';
import type { RequestHeaders } from '../support/buyer-client.ts';
import { assertRefusal, assertSuccess } from './reply-assertions.ts';
import { casesOf, freshIdempotencyKey, known, type Scene } from './scene.ts';

const WEBHOOK = { url: 'https://127.0.0.1:8443/', events: ['order.failed'] };

interface Ids {
  readonly productId: number;
  readonly orderId: number;
}
type Body = (ids: Ids) => object;
type Call = readonly [method: string, path: string, scope: string, status: number, body?: Body];

/** DELETE /webhook, which works once, is in webhook.cases.ts. */
const calls: readonly Call[] = [
  ['GET', '/products', 'catalog:read', 200],
  ['GET', '/balance', 'balance:read', 200],
  ['POST', '/orders', 'orders:write', 201, ({ productId }) => ({ productId, expectedPriceUsdt: 3.5 })],
  ['GET', '/orders/ID', 'orders:read', 200],
  ['POST', '/webhook', 'webhooks:write', 200, () => WEBHOOK],
  ['GET', '/webhook', 'webhooks:read', 200],
];
const allScopes = calls.map(([, , scope]) => scope);

export const authentication = casesOf('authentication', cases);

function cases(scene: Scene): void {
  async function buyerWithOrder() {
    const buyer = await scene.buyer();
    assertSuccess(await scene.buyers.setWebhook(buyer.apiKey, WEBHOOK), 200);
    const productId = await scene.product({ stock: 10 });
    const bought = await scene.buy(buyer, productId);
    return { ...buyer, productId, orderId: known(bought.body.orderId) };
  }

  for (const [method, path, scope, status, body] of calls) {
    const make = (credentials: RequestHeaders, ids: Ids = { productId: 1, orderId: 1 }) => {
      const at = path.replace('ID', String(ids.orderId));
      if (body === undefined) return scene.buyers.raw(method, at, credentials);
      const json = { 'idempotency-key': freshIdempotencyKey(), 'content-type': 'application/json' };
      return scene.buyers.raw(method, at, { ...credentials, ...json }, JSON.stringify(body(ids)));
    };

    test(`§5 ${method} ${path} takes a key in either header, with ${scope} alone`, async () => {
      assertRefusal(await make({}), 401, 'UNAUTHORIZED');
      const { apiKey, accountId, ...ids } = await buyerWithOrder();
      for (const credentials of [{ 'x-api-key': apiKey }, { authorization: `Bearer ${apiKey}` }]) {
        assertSuccess(await make(credentials, ids), status);
      }
      const onlyThat = await scene.freshKey(accountId, [scope]);
      assertSuccess(await make({ 'x-api-key': onlyThat }, ids), status);
      const others = allScopes.filter((other) => other !== scope);
      const refused = await make({ 'x-api-key': await scene.freshKey(accountId, others) }, ids);
      assertRefusal(refused, 403, 'FORBIDDEN');
      assert.deepEqual(refused.text.match(/\w+:(read|write)/g), [scope], 'the message names it');
    });
  }

  test('§5 a key that is nobody’s is 401', async () => {
    const { apiKey } = await scene.buyer({ balanceUsdt: 0 });
    const lastReplaced = `${apiKey.slice(0, -1)}${apiKey.endsWith('x') ? 'y' : 'x'}`;
    const wrong: readonly RequestHeaders[] = [
      { 'x-api-key': '' },
      { 'x-api-key': 'wrong' },
      { 'x-api-key': lastReplaced },
      { 'x-api-key': apiKey.slice(0, -1) },
      { 'x-api-key': `${apiKey}x` },
      { authorization: apiKey },
      { authorization: `Basic ${apiKey}` },
    ];
    assertRefusal(await scene.buyers.raw('GET', `/balance?api_key=${apiKey}`), 401, 'UNAUTHORIZED');
    for (const credentials of wrong) {
      assertRefusal(await scene.buyers.raw('GET', '/balance', credentials), 401, 'UNAUTHORIZED');
    }
  });

  test('§5 with both headers X-API-Key counts, and Authorization is not looked at', async () => {
    const first = await scene.buyer({ balanceUsdt: 1 });
    const second = await scene.buyer({ balanceUsdt: 2 });
    const ask = (key: string, authorization: string) =>
      scene.buyers.raw('GET', '/balance', { 'x-api-key': key, authorization });
    for (const authorization of [second.apiKey, first.apiKey, 'a-gateway-needs-this']) {
      const reply = await ask(first.apiKey, `Bearer ${authorization}`);
      assertSuccess(reply, 200);
      assert.equal(reply.body.balanceUsdt, 1);
    }
    assertRefusal(await ask('wrong', `Bearer ${second.apiKey}`), 401, 'UNAUTHORIZED');
    assertSuccess(await ask('', `bearer ${second.apiKey}`), 200);
  });

  test('§5 a key ends at once when it is regenerated or revoked, and the next one works', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 0 });
    const second = await scene.freshKey(buyer.accountId);
    assertRefusal(await scene.buyers.balance(buyer.apiKey), 401, 'UNAUTHORIZED');
    assertSuccess(await scene.buyers.balance(second), 200);
    assert.equal((await scene.operator.revokeKey(buyer.accountId)).status, 200);
    assertRefusal(await scene.buyers.balance(second), 401, 'UNAUTHORIZED');
    assertSuccess(await scene.buyers.balance(await scene.freshKey(buyer.accountId)), 200);
  });

  test('§5 a request whose body comes after its key was replaced is refused, and nothing is bought', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 1 });
    const idempotencyKey = freshIdempotencyKey();
    const body = JSON.stringify({ productId, expectedPriceUsdt: 3.5 });
    const client = await RawClient.connect(Number(new URL(scene.server.buyerUrl).port));
    client.send(
      head('POST', '/api/v1/buyer/orders', [
        `x-api-key: ${buyer.apiKey}`,
        `idempotency-key: ${idempotencyKey}`,
        'content-type: application/json',
        `content-length: ${body.length}`,
      ]),
      body.slice(0, 5),
    );
    await setTimeout(50);
    const apiKey = await scene.freshKey(buyer.accountId);
    client.send(body.slice(5));
    const reply = await client.reply();
    client.close();
    assert.equal(reply.status, 401, reply.body);
    assertSuccess(
      await scene.buyers.purchase(apiKey, idempotencyKey, { productId, expectedPriceUsdt: 3.5 }),
      201,
    );
  });

  test('§5 keys start with one fixed prefix, are long enough not to be guessed, and need no balance', async () => {
    const made = await Promise.all([1, 2, 3, 4].map(() => scene.buyer({ balanceUsdt: 0 })));
    const keys = made.map(({ apiKey }) => apiKey);
    const prefixes = new Set(keys.map((key) => /^[a-z_]*live_/.exec(key)?.[0]));
    assert.deepEqual([prefixes.size, new Set(keys).size, prefixes.has(undefined)], [1, 4, false]);
    for (const key of keys) assert.ok(key.replace(/^[a-z_]*live_/, '').length >= 32, key);
  });

  // Last, for it uses up what failed authentications this address has.
  test('§5 purchases in flight while the key is replaced are bought or refused, and none later', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 1_000 });
    const productId = await scene.product({ stock: 200 });
    const flight = Array.from({ length: 60 }, () => scene.buy(buyer, productId));
    await flight[0];
    await scene.freshKey(buyer.accountId);
    const boughtByNow = 200 - (await scene.available(productId));
    const statuses = (await Promise.all(flight)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, boughtByNow);
    assert.ok(
      statuses.every((status) => status === 201 || status === 401 || status === 429),
      `${statuses}`,
    );
  });
}
