/** `purser restore status` for people: moments as dates, and what nobody knows as that. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { FakeOperator, purser, TOKEN } from './fake-operator.ts';

const operator = new FakeOperator();
before(() => operator.start());
after(() => operator.stop());

const AT = Date.UTC(2026, 10, 23, 12);
const BODY = {
  success: true,
  requestId: 'req_1',
  sales: 'closed',
  epoch: 2,
  gap: { from: AT, to: AT + 60_000, orders: null },
  quarantined: 0,
  waitingDebitCount: 1,
  waitingDebits: [{ orderId: 7, accountId: 1, amountUsdt: 2.5, since: AT }],
};

function status(...flags: string[]) {
  const env = { PURSER_OPERATOR_URL: operator.url, PURSER_OPERATOR_TOKEN: TOKEN };
  return purser(['restore', 'status', ...flags], { env });
}

it('says dates and what is unknown', async () => {
  operator.answer = { status: 200, body: BODY };
  const { stdout } = await status();
  assert.match(stdout, /^gap\.from: +2026-11-23T12:00:00\.000Z$/m);
  assert.match(stdout, /^gap\.to: +2026-11-23T12:01:00\.000Z$/m);
  assert.match(stdout, /^gap\.orders: +unknown$/m);
  assert.match(stdout, /^7 +1 +2\.5 +2026-11-23T12:00:00\.000Z$/m);
});

it('says that there is no gap', async () => {
  operator.answer = { status: 200, body: { ...BODY, sales: 'open', gap: null, waitingDebits: [] } };
  assert.match((await status()).stdout, /^gap: +none$/m);
});

it('leaves the answer as it is with --json', async () => {
  operator.answer = { status: 200, body: BODY };
  assert.deepEqual(JSON.parse((await status('--json')).stdout), BODY);
});

for (const at of ['yesterday', '2026-13-01', '0', '-5', '']) {
  it(`--at ${JSON.stringify(at)} is a wrong command line`, async () => {
    const { exitCode, stdout, stderr } = await purser(['restore', '/nowhere', '--at', at]);
    assert.deepEqual([exitCode, stdout], [2, '']);
    assert.match(stderr, /^error: option '--at <TIME\|SEQ>' argument '.*' is invalid\. expected a/i);
  });
}
