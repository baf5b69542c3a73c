/** Every other call, as far as the table of cases doesn't say it (`table/`). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOf, type UnderTest, withClient } from './client-under-test.ts';
import { json, type Step } from './scripted-server.ts';

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

test('what can’t be an order id is sent nowhere', () =>
  withClient([], async ({ client, requests }) => {
    for (const id of [0, -1, 1.5, Number.NaN, 2 ** 53, '1/../../balance' as unknown as number]) {
      await assert.rejects(client.order(id), TypeError);
      await assert.rejects(client.download(id), TypeError);
    }
    assert.equal(requests.length, 0);
  }));

const orderIs = (status: string): Step => json(200, { ...answer, orderId: 41, status });

test('waiting ends with the time it was given, and asks as often as it is told', () =>
  withClient(
    [1, 2, 3, 4].map(() => orderIs('pending_delivery')),
    async ({ client, requests }) => {
      const error = await errorOf(client.waitForOrder(41, { maxWaitMs: 14_000, pollMs: 7_000 }));
      assert.equal(error.code, 'STILL_PENDING');
      assert.equal(requests.length, 3);
    },
  ));
