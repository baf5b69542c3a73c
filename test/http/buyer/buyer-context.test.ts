/** Every way in which a buyer's request can be refused raises the alert of its status (SPEC.md §5), once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefusedRequest } from '../../../src/alerts/alert.ts';
import type { Account } from '../../../src/engine/accounts.ts';
import { Rejection } from '../../../src/engine/rejection.ts';
import { BuyerContext } from '../../../src/http/buyer/buyer-context.ts';
import type { BuyerServices } from '../../../src/http/buyer/buyer-route.ts';
import { apiError, badRequest, rateLimited } from '../../../src/http/errors.ts';
import { jsonBody } from '../../../src/http/json-body.ts';
import type { Exchange } from '../../../src/http/transport/transport.ts';
import { RefusalCounter } from '../../../src/metrics/refusal-counter.ts';

const KEY = {
  prefix: 'pk_live_00000001abcd',
  sha256: 'a'.repeat(64),
  scopes: [],
  issuedAtMs: 0,
  isActive: true,
};
const FULL = new Rejection('RATE_LIMITED', 'The mailbox is full.');

/** What was answered, and for what alerts were raised, when a route does `answer` with its context. */
function answered(answer: (context: BuyerContext, account: Account) => void, finished = false) {
  const statuses: number[] = [];
  const alerts: RefusedRequest[] = [];
  const exchange = {
    method: 'POST',
    path: '/orders',
    finished,
    header: () => undefined,
    readBody: (_: number, done: (bytes: Uint8Array) => void) => done(Buffer.from('{}')),
    reply: (status: number) => statuses.push(status),
  };
  const services = {
    engine: {
      submit: (_: unknown, then: (result: Rejection) => void) => then(FULL),
      whenDurable: (then: (durable: boolean) => void) => then(true),
    },
    refusals: new RefusalCounter(),
    onRefused: (alert: RefusedRequest) => alerts.push(alert),
    onFault: () => {},
  };
  const account = { accountId: 1, key: KEY, webhook: null } as unknown as Account;
  const parts = [exchange as unknown as Exchange, services as unknown as BuyerServices] as const;
  answer(new BuyerContext(parts[0], 'req_1', 0, account, undefined, parts[1]), account);
  return { statuses, alerts };
}

const REFUSALS: readonly (readonly [string, number, (context: BuyerContext, account: Account) => void])[] = [
  ['at once', 400, (context) => context.fail(badRequest('It is wrong.'))],
  ['once what it tells is durable', 401, (context) => context.failWhenDurable(apiError('UNAUTHORIZED'))],
  ['with a time to wait', 429, (context) => context.fail(rateLimited('Wait.', 5))],
  ['by the engine', 429, (context) => context.submit({ kind: 'RevokeKey', accountId: 1 }, () => {})],
  ['for its body', 400, (context) => context.readJson(jsonBody({ type: 'object' }), () => {})],
  [
    'because its key died while the body came',
    401,
    (context, account) => {
      account.key = null;
      context.readJson(jsonBody({ type: 'object' }), () => {});
    },
  ],
];

for (const [how, status, answer] of REFUSALS) {
  test(`a request that is refused ${how} raises one alert`, () => {
    const { statuses, alerts } = answered(answer);
    assert.deepEqual(statuses, [status]);
    assert.deepEqual(
      alerts.map((alert) => [alert.status, alert.requestId, alert.accountId, alert.path]),
      [[status, 'req_1', 1, '/orders']],
    );
  });
}

test('other errors raise none, nor does an answer that nobody gets', () => {
  assert.deepEqual(answered((context) => context.fail(apiError('NOT_FOUND'))).alerts, []);
  assert.deepEqual(answered((context) => context.fail(badRequest('It is wrong.')), true).alerts, []);
});

test('a route can answer with an error by `fail` alone', () => {
  answered((context) => {
    // @ts-expect-error: it would leave without its alert.
    context.send(400, '{}');
    // @ts-expect-error: it would leave without its alert.
    context.reply(429, [], '');
  });
});
