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
import type { BuyerReply, RequestHeaders } from '../support/buyer-client.ts';
import { assertRefusal, assertSuccess } from './reply-assertions.ts';
import { casesOf, freshIdempotencyKey, known, type Scene } from './scene.ts';

const allScopes = [
  'catalog:read',
  'balance:read',
  'orders:write',
  'orders:read',
  'webhooks:read',
  'webhooks:write',
] as const;

interface Call {
  readonly name: string;
  readonly scope: (typeof allScopes)[number];
  readonly successStatus: number;
  readonly make: (scene: Scene, credentials: RequestHeaders, ids: Ids) => Promise<BuyerReply>;
}

interface Ids {
  readonly productId: number;
  readonly orderId: number;
}

const WEBHOOK = { url: 'https://127.0.0.1:8443/', events: ['order.failed'] };

/** DELETE /webhook, which works once, is in webhook.test.ts. */
const calls: readonly Call[] = [
  {
    name: 'GET /products',
    scope: 'catalog:read',
    successStatus: 200,
    make: (scene, credentials) => scene.buyers.raw('GET', '/products', credentials),
  },
  {
    name: 'GET /balance',
    scope: 'balance:read',
    successStatus: 200,
    make: (scene, credentials) => scene.buyers.raw('GET', '/balance', credentials),
  },
  {
    name: 'POST /orders',
    scope: 'orders:write',
    successStatus: 201,
    make: (scene, credentials, { productId }) =>
      scene.buyers.raw(
        'POST',
        '/orders',
        { ...credentials, 'idempotency-key': freshIdempotencyKey(), 'content-type': 'application/json' },
        JSON.stringify({ productId, expectedPriceUsdt: 3.5 }),
      ),
  },
  {
    name: 'GET /orders/{id}',
    scope: 'orders:read',
    successStatus: 200,
    make: (scene, credentials, { orderId }) => scene.buyers.raw('GET', `/orders/${orderId}`, credentials),
  },
  {
    name: 'POST /webhook',
    scope: 'webhooks:write',
    successStatus: 200,
    make: (scene, credentials) => {
      const headers = { ...credentials, 'content-type': 'application/json' };
      return scene.buyers.raw('POST', '/webhook', headers, JSON.stringify(WEBHOOK));
    },
  },
  {
    name: 'GET /webhook',
    scope: 'webhooks:read',
    successStatus: 200,
    make: (scene, credentials) => scene.buyers.raw('GET', '/webhook', credentials),
  },
];

export const authentication = casesOf('authentication', cases);

function cases(scene: Scene): void {
  async function buyerWithOrder() {
    const buyer = await scene.buyer();
    assertSuccess(await scene.buyers.setWebhook(buyer.apiKey, WEBHOOK), 200);
    const productId = await scene.product({ stock: 10 });
    const bought = await scene.buyers.purchase(buyer.apiKey, freshIdempotencyKey(), {
      productId,
      expectedPriceUsdt: 3.5,
    });
    return { ...buyer, productId, orderId: known(bought.body.orderId) };
  }

  for (const { name, scope, successStatus, make } of calls) {
    test(`§5 ${name} needs a key`, async () => {
      assertRefusal(await make(scene, {}, { productId: 1, orderId: 1 }), 401, 'UNAUTHORIZED');
    });

    test(`§5 ${name} takes the key in X-API-Key or as Authorization: Bearer`, async () => {
      const { apiKey, ...ids } = await buyerWithOrder();
      for (const credentials of [{ 'x-api-key': apiKey }, { authorization: `Bearer ${apiKey}` }]) {
        assertSuccess(await make(scene, credentials, ids), successStatus);
      }
    });

    test(`§5 ${name} needs only ${scope}, and without it is 403 with a message that names it`, async () => {
      const { accountId, ...ids } = await buyerWithOrder();
      const onlyThat = await scene.freshKey(accountId, [scope]);
      assertSuccess(await make(scene, { 'x-api-key': onlyThat }, ids), successStatus);

      const others = allScopes.filter((other) => other !== scope);
      const allButThat = await scene.freshKey(accountId, others);
      const refused = await make(scene, { 'x-api-key': allButThat }, ids);
      assertRefusal(refused, 403, 'FORBIDDEN');
      assert.ok(known(refused.body.message).includes(scope), refused.text);
      for (const other of others) assert.equal(known(refused.body.message).includes(other), false);
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

  test('§5 the key is not taken from the query', async () => {
    const { apiKey } = await scene.buyer({ balanceUsdt: 0 });
    assertRefusal(await scene.buyers.raw('GET', `/balance?api_key=${apiKey}`), 401, 'UNAUTHORIZED');
  });

  test('§5 regenerating a key ends the one before at once', async () => {
    const buyer = await scene.buyer();
    const second = await scene.freshKey(buyer.accountId);
    assert.notEqual(second, buyer.apiKey);
    assertRefusal(await scene.buyers.balance(buyer.apiKey), 401, 'UNAUTHORIZED');
    assertSuccess(await scene.buyers.balance(second), 200);
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

  test('§5 a revoked key is 401, and a new one works', async () => {
    const buyer = await scene.buyer();
    assert.equal((await scene.operator.revokeKey(buyer.accountId)).status, 200);
    assertRefusal(await scene.buyers.balance(buyer.apiKey), 401, 'UNAUTHORIZED');
    const next = await scene.freshKey(buyer.accountId);
    assertSuccess(await scene.buyers.balance(next), 200);
  });

  test('§5 a key can be generated before any balance is loaded', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 0 });
    assert.equal(await scene.balanceUsdt(buyer), 0);
  });

  test('§5 keys start with one fixed prefix and are long enough not to be guessed', async () => {
    const keys = [];
    for (let i = 0; i < 4; i += 1) keys.push((await scene.buyer({ balanceUsdt: 0 })).apiKey);
    const prefix = /^[a-z_]*live_/.exec(known(keys[0]))?.[0];
    assert.ok(prefix, keys[0]);
    for (const key of keys) {
      assert.ok(key.startsWith(prefix));
      assert.ok(key.length - prefix.length >= 32, key);
    }
    assert.equal(new Set(keys).size, keys.length);
  });

  test('§5 the scope is checked before the body', async () => {
    const { apiKey } = await scene.buyer({ scopes: ['catalog:read'] });
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    assertRefusal(await scene.buyers.raw('POST', '/orders', headers, 'not JSON'), 403, 'FORBIDDEN');
  });

  // Last, for it uses up what failed authentications this address has.
  test('§5 purchases in flight while the key is replaced are bought or refused, and none later', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 1_000 });
    const productId = await scene.product({ stock: 200 });
    const flight = Array.from({ length: 100 }, () =>
      scene.buyers.purchase(buyer.apiKey, freshIdempotencyKey(), { productId, expectedPriceUsdt: 3.5 }),
    );
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
