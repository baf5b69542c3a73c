/** Every other call: what it sends, and what it makes of the answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOf, type UnderTest, withClient } from './client-under-test.ts';
import { breakOff, json, refusal, type Step } from './scripted-server.ts';

const answer = { success: true, requestId: 'req_1', fieldOfALaterVersion: { is: 'kept' } };

const WEBHOOK = { url: 'https://me.example/', events: ['order.completed'] } as const;
const calls: [line: string, call: (under: UnderTest) => Promise<unknown>, body?: object][] = [
  ['GET /products', ({ client }) => client.products()],
  ['GET /balance', ({ client }) => client.balance()],
  ['GET /orders/41', ({ client }) => client.order(41)],
  ['GET /webhook', ({ client }) => client.webhook.get()],
  ['POST /webhook', ({ client }) => client.webhook.set(WEBHOOK), WEBHOOK],
];

test('calls resolve with the body of the answer, unknown fields included', async () => {
  for (const [line, call, body] of calls) {
    await withClient([json(200, answer)], async (under) => {
      assert.deepEqual(await call(under), answer);
      const [request] = under.requests;
      assert.equal(`${request?.method} ${request?.path}`, line.replace(' ', ' /api/v1/buyer'));
      assert.equal(request?.body.toString(), body === undefined ? '' : JSON.stringify(body));
      assert.ok(request?.headers['x-api-key']);
      assert.equal(request?.headers['idempotency-key'], undefined);
    });
  }
});

test('GET /health is asked without the API key, of a base address that may end with a slash', () =>
  withClient([json(200, answer)], async ({ baseUrl, requests }) => {
    const base = { baseUrl: `${baseUrl}/` };
    await withClient([], async ({ client }) => assert.deepEqual(await client.health(), answer), base);
    assert.deepEqual(
      [requests[0]?.path, requests[0]?.headers['x-api-key']],
      ['/api/v1/buyer/health', undefined],
    );
  }));

test('what can’t be an order id is sent nowhere', () =>
  withClient([], async ({ client, requests }) => {
    for (const id of [0, -1, 1.5, Number.NaN, 2 ** 53, '1/../../balance' as unknown as number]) {
      await assert.rejects(client.order(id), TypeError);
      await assert.rejects(client.download(id), TypeError);
    }
    assert.equal(requests.length, 0);
  }));

test('deleting the webhook confirms it; a repeat that finds it gone has succeeded', async () => {
  const gone = refusal(404, 'NOT_FOUND');
  await withClient([json(200, answer), breakOff, gone, gone], async ({ client, requests }) => {
    await client.webhook.delete();
    assert.equal(requests[0]?.body.toString(), '{"confirm":true}');
    await client.webhook.delete();
    assert.equal(requests.length, 3);
    assert.equal((await errorOf(client.webhook.delete())).code, 'NOT_FOUND');
  });
});

const orderIs = (status: string): Step => json(200, { ...answer, orderId: 41, status });

for (const end of ['completed', 'failed', 'refunded']) {
  test(`waiting for an order asks every 5 s until it is ${end}`, () =>
    withClient(
      [orderIs('processing'), orderIs('pending_delivery'), orderIs('state_of_a_later_version'), orderIs(end)],
      async ({ client, delaysMs }) => {
        assert.equal((await client.waitForOrder(41)).status, end);
        assert.deepEqual(delaysMs, [5_000, 5_000, 5_000]);
      },
    ));
}

test('waiting outlives a server that is away, and gives way to one that is busy', () =>
  withClient(
    [
      orderIs('pending_delivery'),
      ...[1, 2, 3, 4].map(() => breakOff),
      refusal(429, 'RATE_LIMITED', { 'retry-after': '90' }),
      orderIs('completed'),
    ],
    async ({ client, delaysMs }) => {
      assert.equal((await client.waitForOrder(41)).status, 'completed');
      assert.deepEqual(delaysMs, [5_000, 1_000, 2_000, 4_000, 5_000, 90_000]);
    },
  ));

test('waiting ends with the time it was given, and at once when it is pointless', async () => {
  await withClient(
    [1, 2, 3, 4].map(() => orderIs('pending_delivery')),
    async ({ client, requests }) => {
      const error = await errorOf(client.waitForOrder(41, { maxWaitMs: 14_000, pollMs: 7_000 }));
      assert.equal(error.code, 'STILL_PENDING');
      assert.equal(requests.length, 3);
    },
  );
  await withClient([refusal(404, 'NOT_FOUND')], async ({ client }) => {
    assert.equal((await errorOf(client.waitForOrder(41))).code, 'NOT_FOUND');
  });
});
