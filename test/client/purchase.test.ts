/** A purchase and its key, before and after it is sent; and what else a call lets its caller decide. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { PurserClient } from 'purser/client';
import { API_KEY, errorOf, withClient } from './client-under-test.ts';
import { breakOff, json, refusal } from './scripted-server.ts';

const REQUEST = { productId: 7, expectedPriceUsdt: 3.5, recipient: { username: '@somebody' } };
const placed = json(201, { success: true, orderId: 41, status: 'pending_delivery', requestId: 'req_1' });

test('a purchase has its key before anything is sent, and keeps what it was made of', () =>
  withClient([placed], async ({ client, requests }) => {
    const request = { productId: 7, expectedPriceUsdt: 3.5 };
    const purchase = client.purchase(request);
    assert.match(purchase.idempotencyKey, /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    assert.notEqual(client.purchase(REQUEST).idempotencyKey, purchase.idempotencyKey);
    assert.equal(requests.length, 0);
    request.productId = 8;
    assert.equal((await purchase.send()).orderId, 41);
    assert.equal(requests[0]?.body.toString(), '{"productId":7,"expectedPriceUsdt":3.5}');
  }));

test('what was stored before a crash makes the same request after it', () =>
  withClient(
    [breakOff, placed],
    async ({ client, requests }) => {
      const purchase = client.purchase(REQUEST);
      const stored = JSON.stringify(purchase);
      await errorOf(purchase.send());

      const { request, idempotencyKey } = JSON.parse(stored);
      assert.equal((await client.purchase(request, { idempotencyKey }).send()).orderId, 41);
      const [first, second] = requests;
      assert.equal(second?.headers['idempotency-key'], first?.headers['idempotency-key']);
      assert.deepEqual(second?.body, first?.body);
    },
    { maxAttempts: 1 },
  ));

test('a stored key may have been charged, until an answer says otherwise', () =>
  withClient(
    [refusal(401, 'UNAUTHORIZED'), refusal(409, 'OUT_OF_STOCK'), refusal(401, 'UNAUTHORIZED')],
    async ({ client }) => {
      const purchase = client.purchase(REQUEST, { idempotencyKey: 'stored-1' });
      assert.equal((await errorOf(purchase.send())).isCharged, 'unknown');
      assert.equal((await errorOf(purchase.send())).isCharged, false);
      assert.equal((await errorOf(purchase.send())).isCharged, false);
    },
  ));

test('what can be no idempotency key is refused', () =>
  withClient([placed], async ({ client }) => {
    for (const idempotencyKey of ['', ' a', 'a ', 'a\nb', 'é', 'k'.repeat(129)]) {
      assert.throws(() => client.purchase(REQUEST, { idempotencyKey }), TypeError);
    }
    await client.purchase(REQUEST, { idempotencyKey: `an order ${'k'.repeat(119)}` }).send();
  }));

test('the caller’s signal ends an attempt, a wait, and a call that hasn’t begun', {
  timeout: 60_000,
}, async () => {
  await withClient([() => {}], async ({ client, requests }) => {
    const controller = new AbortController();
    const sent = errorOf(client.purchase(REQUEST).send({ signal: controller.signal }));
    while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    const error = await sent;
    assert.deepEqual([error.code, error.isCharged, error.attempts], ['ABORTED', 'unknown', 1]);
  });
  const inTheWait = new AbortController();
  await withClient(
    [refusal(429, 'RATE_LIMITED', { 'retry-after': '50' })],
    async ({ client }) => {
      const error = await errorOf(client.purchase(REQUEST).send({ signal: inTheWait.signal }));
      assert.deepEqual([error.code, error.isCharged, error.attempts], ['ABORTED', false, 1]);
    },
    { timing: {}, onRetry: () => void setTimeout(() => inTheWait.abort(), 10) },
  );
  await withClient([], async ({ client, requests }) => {
    const error = await errorOf(client.purchase(REQUEST).send({ signal: AbortSignal.abort() }));
    assert.deepEqual([error.code, error.isCharged, error.attempts], ['ABORTED', false, 0]);
    assert.equal(requests.length, 0);
  });
});

test('retries are jittered, and never come early', async () => {
  const delaysMs: number[] = [];
  const sleep = async (delayMs: number) => void delaysMs.push(delayMs);
  const limited = refusal(429, 'RATE_LIMITED', { 'retry-after': '7' });
  await withClient(
    [breakOff, breakOff, breakOff, limited, placed],
    async ({ client, notices }) => {
      await client.purchase(REQUEST).send();
      assert.deepEqual(
        notices.map(({ delayMs, path }) => [delayMs, path]),
        delaysMs.map((delayMs) => [delayMs, '/orders']),
      );
    },
    { timing: { random: () => 0.999, sleep }, maxAttempts: 5 },
  );
  assert.deepEqual(delaysMs, [1_250, 2_500, 4_999, 9_998]);
});

test('a client that can’t work says so when it is made, without showing the key', () => {
  const baseUrl = 'http://127.0.0.1:1/api/v1/buyer';
  const wrong = [
    { baseUrl: 'shop.example/api/v1/buyer', apiKey: API_KEY },
    { baseUrl: 'ftp://shop.example/', apiKey: API_KEY },
    { baseUrl: 'https://me@shop.example/api/v1/buyer', apiKey: API_KEY },
    { baseUrl: `${baseUrl}?key=1`, apiKey: API_KEY },
    { baseUrl: [], apiKey: API_KEY },
    { baseUrl: [baseUrl, 'shop.example'], apiKey: API_KEY },
    { baseUrl, apiKey: '' },
    { baseUrl, apiKey: undefined as unknown as string },
    { baseUrl, apiKey: `${API_KEY}\n` },
    { baseUrl, apiKey: API_KEY, maxAttempts: 0 },
    { baseUrl, apiKey: API_KEY, timeoutMs: Number.NaN },
  ];
  for (const options of wrong) {
    assert.throws(
      () => new PurserClient(options),
      (error: Error) => error instanceof TypeError && !error.message.includes(API_KEY),
    );
  }
});

test('neither a client nor its errors show the API key', () =>
  withClient([refusal(401, 'UNAUTHORIZED'), breakOff], async ({ client }) => {
    const refused = await errorOf(client.purchase(REQUEST).send());
    const broken = await errorOf(client.balance());
    assert.doesNotMatch(inspect([client, refused, broken], { depth: 9, showHidden: true }), /pk_live/);
    assert.equal(refused.message, 'UNAUTHORIZED: it is UNAUTHORIZED (requestId req_1)');
  }));
