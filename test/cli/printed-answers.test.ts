/** Answers of the operator API as commands print them, and what ends with 2 before anything is sent. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operatorForTests } from './fake-operator.ts';

describe('the commands that call the operator API', () => {
  const { operator, call } = operatorForTests();
  const answers = (body: object, status = 200) => {
    operator.answer = { status, body: { success: true, requestId: 'req_1', ...body } };
  };

  const AT = 1_700_000_000_000;
  const DATE = '2023-11-14T22:13:20.000Z';
  const printed: readonly [
    what: string,
    line: string,
    body: object,
    stdout: string | RegExp,
    stderr?: RegExp,
  ][] = [
    [
      'one thing as aligned lines, without the envelope',
      'account show 7',
      {
        accountId: 7,
        rateLimitPerMinute: null,
        scopes: ['orders:read', 'orders:write'],
        createdAt: AT,
        webhook: { url: 'https://a.example', events: [] },
      },
      [
        'accountId:          7',
        'rateLimitPerMinute: none',
        'scopes:             orders:read, orders:write',
        `createdAt:          ${DATE}`,
        'webhook.url:        https://a.example',
        'webhook.events:\n',
      ].join('\n'),
    ],
    [
      'many as a table, and how to get the next page',
      'account list',
      {
        accounts: [{ accountId: 1, name: 'A longer name', heldUsdt: 2.5 }, { accountId: 12 }],
        nextCursor: '12',
      },
      /^accountId +name .*\n1 +A longer name .*\n12 +- .*\n$/,
      /^There are more: repeat with --cursor 12\n$/,
    ],
    ['an empty list', 'account list', { accounts: [] }, 'none\n'],
    [
      'what became of a recalled lot, and who has it',
      'lot recall 5',
      { lotId: 5, withdrawn: 2, sold: [{ orderId: 31, accountId: 7, at: AT }], nextCursor: '9' },
      /^lotId: +5\nwithdrawn: 2\n\nsold:\norderId .*\n31 +7 +2023-11-14T/,
      /purser lot sold 5 --cursor 9/,
    ],
    [
      'moments of a restore as dates, and what nobody knows as that',
      'restore status',
      {
        sales: 'closed',
        gap: { from: AT, to: AT, orders: null },
        waitingDebits: [{ orderId: 7, accountId: 1, amountUsdt: 2.5, since: AT }],
      },
      /^gap\.from: +2023-11-14T22:13:20\.000Z$(?:.|\n)*^gap\.orders: +unknown$(?:.|\n)*^7 +1 +2\.5 +2023-11-14T22:13:20\.000Z$/m,
    ],
    [
      'control characters as text',
      'account show 1',
      { name: 'red\u001b[31m\nnext' },
      'name: red\\u001b[31m\\nnext\n',
    ],
    ['a key alone, with a warning', 'key issue 7', { apiKey: 'pk_x' }, 'apiKey: pk_x\n', /shown only once/],
    [
      'that a credit had happened before',
      'wallet credit 7 5 --reference tx-1',
      { balanceUsdt: 5, repeated: true },
      'balanceUsdt: 5\nrepeated:    true\n',
      /^This reference was credited before: nothing was added now\.\n$/,
    ],
  ];
  for (const [what, line, body, out, err = /^$/] of printed)
    it(`prints ${what}: ${line}`, async () => {
      answers(body);
      const { stdout, stderr } = await call(line, { stdin: 'a code\n' });
      if (typeof out === 'string') assert.equal(stdout, out);
      else assert.match(stdout, out);
      assert.match(stderr, err);
    });

  it('prints the answer to the letter with --json', async () => {
    const body = '{"success":true,  "accounts":[{"accountId":1}],"requestId":"req_1"}';
    operator.answer = { status: 200, body };
    assert.equal((await call('account list --json')).stdout, `${body}\n`);
  });

  const senseless: readonly [line: string, says: RegExp][] = [
    ['webhook replay 7', /name one event, or give --since/],
    ['webhook replay 7 ../../accounts', /expected the id of an event/],
    ['account list --from 2026-02-30', /--from.*expected a date such as 2026-10-31/],
    ['account list --from 2026-02-02 --until 2026-02-01', /--from must not be later than --until/],
    ['operator create --name a --role boss', /metrics, bot, viewer, support, stock, finance, owner/],
    [`account update 7 --name a --reason ${'x'.repeat(501)}`, /expected at most 500 characters/],
    ['nonsense', /unknown command 'nonsense'/],
    ['account show ../products', /whole number from 1/],
    ['account update 7', /nothing to change/],
    ['wallet credit 7 25', /required option '--reference <REF>'/],
    ['wallet credit 7 1e3 --reference r', /an amount of USDT/],
    ['product create --name a --price 1 --tier 10', /QUANTITY:PRICE/],
    ['status --operator ftp://x', /is not the address of an operator API/],
    ['serve --port abc', /option port \(flag --port\): "abc"/],
    ['order refund 31 --amount -1', /--(amount|items)/],
    ['order refund 31 --amount 1 --items 0', /--(amount|items)/],
    ['restore /nowhere --at 2026-13-01', /argument '.*' is invalid\. expected a/i],
  ];
  for (const [line, says] of senseless)
    it(`ends with 2 and sends nothing: ${line.slice(0, 80)}`, async () => {
      const { exitCode, stdout, stderr } = await call(line);
      assert.match(stderr, says);
      assert.deepEqual([exitCode, stdout, operator.seen.length], [2, '', 0]);
    });
});
