/**
 * SPEC.md §4 and §7 from the buyer's side: what goes wrong, and what the client makes of it. In every case the
 * requests of one purchase carry one key and the same bytes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IsCharged } from 'purser/client';
import { API_KEY, errorOf, withClient } from './client-under-test.ts';
import {
  breakOff,
  garbage,
  halfAnd,
  json,
  neverAnswer,
  proxyPage,
  refusal,
  type SeenRequest,
  type Step,
} from './scripted-server.ts';

const PURCHASE = { productId: 7, quantity: 2, expectedPriceUsdt: 7 };
const ORDER = {
  success: true,
  orderId: 41,
  status: 'completed',
  delivery: { items: ['a'] },
  requestId: 'req_2',
};
const placed = json(201, ORDER);
const wait = (seconds: number) => ({ 'retry-after': String(seconds) });

/** Faults after which the client tries again, up to the order that follows. */
const healed: { fault: string; steps: readonly Step[]; delaysMs: readonly number[] }[] = [
  { fault: 'no answer in time', steps: [neverAnswer], delaysMs: [1_000] },
  { fault: 'a connection that ends without an answer', steps: [breakOff], delaysMs: [1_000] },
  { fault: 'an answer that breaks off', steps: [halfAnd('break off', 201, ORDER)], delaysMs: [1_000] },
  { fault: 'an answer that stops coming', steps: [halfAnd('hang', 201, ORDER)], delaysMs: [1_000] },
  { fault: 'an answer cut short unseen', steps: [halfAnd('look complete', 201, ORDER)], delaysMs: [1_000] },
  { fault: 'an answer that is no HTTP', steps: [garbage], delaysMs: [1_000] },
  { fault: 'a page instead of an order', steps: [proxyPage(200)], delaysMs: [1_000] },
  { fault: '500 INTERNAL_ERROR', steps: [refusal(500, 'INTERNAL_ERROR')], delaysMs: [1_000] },
  { fault: '502 PURCHASE_FAILED', steps: [refusal(502, 'PURCHASE_FAILED')], delaysMs: [1_000] },
  { fault: 'a 5xx code of a later version', steps: [refusal(507, 'NEW_CODE')], delaysMs: [1_000] },
  { fault: 'a proxy’s 504, which is no supplier’s', steps: [proxyPage(504)], delaysMs: [1_000] },
  { fault: 'a proxy’s 503 that says when', steps: [proxyPage(503, wait(9))], delaysMs: [9_000] },
  { fault: '429 RATE_LIMITED', steps: [refusal(429, 'RATE_LIMITED', wait(7))], delaysMs: [7_000] },
  { fault: 'a proxy’s 429', steps: [proxyPage(429, wait(3))], delaysMs: [3_000] },
  {
    fault: 'Retry-After as a date',
    steps: [refusal(429, 'RATE_LIMITED', { 'retry-after': new Date(1_700_000_012_000).toUTCString() })],
    delaysMs: [12_000],
  },
  {
    fault: 'three different faults in a row',
    steps: [breakOff, refusal(500, 'INTERNAL_ERROR'), proxyPage(502)],
    delaysMs: [1_000, 2_000, 4_000],
  },
  {
    fault: 'a short Retry-After, again and again: the backoff still grows',
    steps: [1, 1, 1].map((seconds) => refusal(429, 'RATE_LIMITED', wait(seconds))),
    delaysMs: [1_000, 2_000, 4_000],
  },
];

/** Answers that end the call at once, each with its error. */
const refused: readonly [status: number, code: string, isCharged: IsCharged][] = [
  [400, 'BAD_REQUEST', false],
  [401, 'UNAUTHORIZED', false],
  [402, 'INSUFFICIENT_BALANCE', false],
  [403, 'FORBIDDEN', false],
  [404, 'NOT_FOUND', false],
  [409, 'PRICE_CHANGED', false],
  [409, 'OUT_OF_STOCK', false],
  [409, 'IDEMPOTENCY_CONFLICT', 'unknown'],
  [409, 'IDEMPOTENCY_UNRESOLVED', false],
  [504, 'PROVIDER_TIMEOUT', false],
  [418, 'CODE_OF_A_LATER_VERSION', 'unknown'],
];

type Failing = [fault: string, steps: readonly Step[], code: string, isCharged: IsCharged];

/** Errors of calls that gave up, or whose last answer doesn't tell what became of the earlier ones. */
const failing: readonly Failing[] = [
  ['a proxy’s 403', [proxyPage(403)], 'BAD_RESPONSE', 'unknown'],
  ['a redirect', [proxyPage(307)], 'REDIRECTED', 'unknown'],
  ['a longer wait than is allowed', [refusal(429, 'RATE_LIMITED', wait(61))], 'RATE_LIMITED', false],
  ['four broken connections', four(breakOff), 'NETWORK_ERROR', 'unknown'],
  ['four time-outs', four(neverAnswer), 'TIMEOUT', 'unknown'],
  ['four times 500', four(refusal(500, 'INTERNAL_ERROR')), 'INTERNAL_ERROR', 'unknown'],
  ['four times 502', four(refusal(502, 'PURCHASE_FAILED')), 'PURCHASE_FAILED', false],
  ['four times 429', four(refusal(429, 'RATE_LIMITED', wait(1))), 'RATE_LIMITED', false],
  [
    'a lost answer, then 401, which knows nothing',
    [breakOff, refusal(401, 'UNAUTHORIZED')],
    'UNAUTHORIZED',
    'unknown',
  ],
  [
    'a lost answer, then one that knows the key',
    [breakOff, refusal(409, 'OUT_OF_STOCK')],
    'OUT_OF_STOCK',
    false,
  ],
];

function four(step: Step): Step[] {
  return [step, step, step, step];
}

for (const { fault, steps, delaysMs } of healed) {
  test(`a purchase is sent again, and succeeds, after ${fault}`, () =>
    withClient([...steps, placed], async ({ client, requests, delaysMs: waitedMs, notices }) => {
      const purchase = client.purchase(PURCHASE);
      assert.deepEqual(await purchase.send(), ORDER);
      assert.equal(requests.length, steps.length + 1);
      const noticed = notices.map((notice) => notice.delayMs);
      assert.deepEqual([waitedMs, noticed], [delaysMs, delaysMs]);
      assertOneAndTheSame(requests, purchase.idempotencyKey);
    }));
}

test('a purchase ends at once with a refusal, and says what became of the money', async () => {
  for (const [status, code, isCharged] of refused) {
    const steps = [refusal(status, code, {}, { currentPriceUsdt: 8 }), placed];
    await withClient(steps, async ({ client, requests, delaysMs }) => {
      const purchase = client.purchase(PURCHASE);
      const error = await errorOf(purchase.send());
      const shown = [error.code, error.status, error.isCharged, error.attempts];
      assert.deepEqual(shown, [code, status, isCharged, 1]);
      const { requestId, currentPriceUsdt, idempotencyKey } = error;
      assert.deepEqual([requestId, currentPriceUsdt, idempotencyKey], ['req_1', 8, purchase.idempotencyKey]);
      assert.deepEqual([requests.length, delaysMs], [1, []]);
    });
  }
});

for (const [fault, steps, code, isCharged] of failing) {
  test(`a purchase fails after ${fault}, and can be sent once more`, () =>
    withClient([...steps, placed], async ({ client, requests }) => {
      const purchase = client.purchase(PURCHASE);
      const error = await errorOf(purchase.send());
      const shown = [error.code, error.isCharged, error.attempts];
      assert.deepEqual(shown, [code, isCharged, steps.length]);
      assert.equal(requests.length, steps.length);
      assert.deepEqual(await purchase.send(), ORDER);
      assertOneAndTheSame(requests, purchase.idempotencyKey);
    }));
}

test('a redirect is not followed, so the key goes to no other server', () =>
  withClient([], async ({ baseUrl, requests: elsewhere }) => {
    for (const status of [301, 302, 303, 307, 308]) {
      await withClient([proxyPage(status, { location: `${baseUrl}/orders` })], async ({ client }) => {
        const error = await errorOf(client.purchase(PURCHASE).send());
        assert.deepEqual([error.code, error.status], ['REDIRECTED', status]);
      });
    }
    assert.equal(elsewhere.length, 0);
  }));

test('the other calls are sent again by the same rules', async () => {
  const steps = [breakOff, refusal(500, 'INTERNAL_ERROR'), refusal(429, 'RATE_LIMITED', wait(5))];
  const answer = { success: true, balanceUsdt: 93, requestId: 'req_9', fieldOfALaterVersion: [1] };
  await withClient([...steps, json(200, answer)], async ({ client, requests, delaysMs }) => {
    assert.deepEqual(await client.balance(), answer);
    assert.equal(requests.length, 4);
    assert.deepEqual(delaysMs, [1_000, 2_000, 5_000]);
  });
  await withClient(four(breakOff), async ({ client }) => {
    const error = await errorOf(client.products());
    assert.deepEqual(
      [error.code, error.isCharged, error.idempotencyKey],
      ['NETWORK_ERROR', false, undefined],
    );
  });
});

/** Every one with the key, the API key, and the bytes of the purchase. */
function assertOneAndTheSame(requests: readonly SeenRequest[], idempotencyKey: string): void {
  for (const { method, path, headers, body } of requests) {
    assert.equal(`${method} ${path}`, 'POST /api/v1/buyer/orders');
    assert.equal(headers['idempotency-key'], idempotencyKey);
    assert.equal(headers['x-api-key'], API_KEY);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(body.toString(), JSON.stringify(PURCHASE));
  }
}
