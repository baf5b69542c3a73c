/** The commands that call the operator API: what each one sends, and what it prints of the answer. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { FakeOperator, purser, TOKEN } from './fake-operator.ts';

const operator = new FakeOperator();
before(() => operator.start());
after(() => operator.stop());
beforeEach(() => {
  operator.seen.length = 0;
  operator.answer = { status: 200, body: { success: true, requestId: 'req_1' } };
});

function call(line: string, ...more: string[]) {
  return purser([...line.split(' '), ...more], {
    env: { PURSER_OPERATOR_URL: operator.url, PURSER_OPERATOR_TOKEN: TOKEN },
  });
}

describe('what a command sends', () => {
  const calls: [line: string, method: string, path: string, body?: unknown][] = [
    ['status', 'GET', '/status'],
    ['session list', 'GET', '/sessions'],
    ['session end 5', 'DELETE', '/sessions/5'],
    ['lot list 12', 'GET', '/products/12/lots'],
    ['lot list 12 --from 2026-10-01 --cursor 5', 'GET', '/products/12/lots?from=1790812800000&cursor=5'],
    ['lot show 5', 'GET', '/lots/5'],
    ['lot sold 5 --cursor 9', 'GET', '/lots/5/sold?cursor=9'],
    ['lot sold 5 --from 2026-10-01', 'GET', '/lots/5/sold?from=1790812800000'],
    ['audit --limit 20', 'GET', '/audit?limit=20'],
    ['lot recall 5', 'POST', '/lots/5/recall', {}],
    ['lot recall 5 --yes --reason bad', 'POST', '/lots/5/recall', { reason: 'bad' }],
    ['statement 7', 'GET', '/accounts/7/statement'],
    ['statement 7 --month 2026-12', 'GET', '/accounts/7/statement?from=1796083200000&to=1798761600000'],
    ['report --by account --from 2026-12-01', 'GET', '/reports/money?from=1796083200000&by=account'],
    ['report', 'GET', '/reports/money?by=day'],
    ['audit --who anna --account 7 --cursor 5-6', 'GET', '/audit?operator=anna&accountId=7&cursor=5-6'],
    ['account list', 'GET', '/accounts'],
    ['account list --cursor 1000&x', 'GET', '/accounts?cursor=1000%26x'],
    ['account show 7', 'GET', '/accounts/7'],
    ['account create --name acme', 'POST', '/accounts', { name: 'acme' }],
    ['account create --id 7 --name acme', 'POST', '/accounts', { accountId: 7, name: 'acme' }],
    [
      'product create --id 12 --name Codes --price 2',
      'POST',
      '/products',
      { productId: 12, name: 'Codes', priceUsdt: 2, description: '', instructions: '', type: 'standard' },
    ],
    [
      'account create --name acme --rate-limit 600 --webhook-concurrency 4',
      'POST',
      '/accounts',
      { name: 'acme', rateLimitPerMinute: 600, webhookConcurrency: 4 },
    ],
    ['account update 7 --rate-limit none', 'PATCH', '/accounts/7', { rateLimitPerMinute: null }],
    ['account update 7 --name new', 'PATCH', '/accounts/7', { name: 'new' }],
    ['key issue 7', 'POST', '/accounts/7/key', {}],
    [
      'key issue 7 --scopes catalog:read,balance:read',
      'POST',
      '/accounts/7/key',
      { scopes: ['catalog:read', 'balance:read'] },
    ],
    ['key revoke 7', 'DELETE', '/accounts/7/key'],
    ['key deactivate 7', 'PATCH', '/accounts/7/key', { active: false }],
    ['key activate 7', 'PATCH', '/accounts/7/key', { active: true }],
    [
      'wallet credit 7 25.5 --reference tx-1',
      'POST',
      '/accounts/7/credits',
      { amountUsdt: 25.5, reference: 'tx-1' },
    ],
    [
      'wallet credit 7 -0.1 --reference tx-2',
      'POST',
      '/accounts/7/credits',
      { amountUsdt: -0.1, reference: 'tx-2' },
    ],
    [
      'product create --name Codes --price 2 --supplier 3 --sku card-10',
      'POST',
      '/products',
      {
        name: 'Codes',
        description: '',
        instructions: '',
        type: 'standard',
        priceUsdt: 2,
        supplierId: 3,
        supplierSku: 'card-10',
      },
    ],
    ['product update 12 --low-stock 20', 'PATCH', '/products/12', { lowStock: 20 }],
    ['product update 12 --no-low-stock', 'PATCH', '/products/12', { lowStock: null }],
    ['product update 12 --no-supplier', 'PATCH', '/products/12', { supplierId: null, supplierSku: null }],
    ['supplier list', 'GET', '/suppliers'],
    [
      'supplier update 3 --url http://codes.example',
      'PATCH',
      '/suppliers/3',
      { url: 'http://codes.example' },
    ],
    ['supplier reconcile', 'POST', '/supplier-purchases/reconcile', {}],
    ['supplier-purchase list', 'GET', '/supplier-purchases'],
    ['supplier-purchase give-up pur_17_176', 'POST', '/supplier-purchases/pur_17_176/give-up', {}],
    ['supplier-purchase give-up a/b', 'POST', '/supplier-purchases/a%2Fb/give-up', {}],
    ['product list', 'GET', '/products'],
    ['product show 12', 'GET', '/products/12'],
    [
      'product create --name Codes --price 3.5',
      'POST',
      '/products',
      { name: 'Codes', description: '', instructions: '', type: 'standard', priceUsdt: 3.5 },
    ],
    [
      'product create --name Top-up --price 3.5 --description d --instructions i --type manual --tier 10:3.2 --tier 100:3 --requires-recipient --inactive',
      'POST',
      '/products',
      {
        name: 'Top-up',
        description: 'd',
        instructions: 'i',
        type: 'manual',
        priceUsdt: 3.5,
        priceTiers: [
          { minQuantity: 10, priceUsdt: 3.2 },
          { minQuantity: 100, priceUsdt: 3 },
        ],
        requiresRecipient: true,
        active: false,
      },
    ],
    ['product update 12 --active', 'PATCH', '/products/12', { active: true }],
    ['product update 12 --inactive', 'PATCH', '/products/12', { active: false }],
    ['product update 12 --price 4', 'PATCH', '/products/12', { priceUsdt: 4 }],
    ['product update 12 --no-tier', 'PATCH', '/products/12', { priceTiers: [] }],
    [
      'product update 12 --no-tier --tier 5:2',
      'PATCH',
      '/products/12',
      { priceTiers: [{ minQuantity: 5, priceUsdt: 2 }] },
    ],
    ['product update 12 --no-requires-recipient', 'PATCH', '/products/12', { requiresRecipient: false }],
    ['product update 12 --allow-duplicates', 'PATCH', '/products/12', { allowDuplicates: true }],
    ['product update 12 --no-allow-duplicates', 'PATCH', '/products/12', { allowDuplicates: false }],
    ['order show 31', 'GET', '/orders/31'],
    ['order show 31 --no-items', 'GET', '/orders/31?items=false'],
    ['order list', 'GET', '/orders'],
    [
      'order list --status pending_delivery --account-id 4 --product-id 5 --cursor 90',
      'GET',
      '/orders?accountId=4&productId=5&status=pending_delivery&cursor=90',
    ],
    [
      'order list --from 2026-10-01 --until 2026-11-01 --recipient @anna --limit 5',
      'GET',
      '/orders?from=1790812800000&to=1793491200000&recipient=%40anna&limit=5',
    ],
    [
      'order list --account-id 4 --idempotency-key k --request-id req_1790000000000_0',
      'GET',
      '/orders?accountId=4&idempotencyKey=k&requestId=req_1790000000000_0',
    ],
    ['order timeline 31', 'GET', '/orders/31/timeline'],
    ['order open 4 5', 'POST', '/orders', { accountId: 4, productId: 5 }],
    ['order open 4 5 --quantity 3', 'POST', '/orders', { accountId: 4, productId: 5, quantity: 3 }],
    [
      'order open 4 5 --recipient @anna',
      'POST',
      '/orders',
      { accountId: 4, productId: 5, recipient: { username: '@anna' } },
    ],
    ['order pay 31', 'POST', '/orders/31/pay', {}],
    ['order pay 31 --expected-price 3.5', 'POST', '/orders/31/pay', { expectedPriceUsdt: 3.5 }],
    ['order complete 31', 'POST', '/orders/31/complete', {}],
    ['order fail 31', 'POST', '/orders/31/fail', {}],
    ['order refund 31', 'POST', '/orders/31/refund', {}],
    ['order refund 31 --amount 2.5', 'POST', '/orders/31/refund', { amountUsdt: 2.5 }],
    ['order refund 31 --items 0,2 --yes', 'POST', '/orders/31/refund', { items: [0, 2] }],
    ['order replace 31 --items 1', 'POST', '/orders/31/replace', { items: [1] }],
    ['webhook deliveries 7', 'GET', '/webhooks/7/deliveries'],
    ['webhook deliveries 7 --cursor 48', 'GET', '/webhooks/7/deliveries?cursor=48'],
    ['webhook replay 7 evt_0a1', 'POST', '/webhooks/7/deliveries/evt_0a1/replay'],
    [
      'webhook replay 7 --since 2026-01-01T00:00:00Z',
      'POST',
      '/webhooks/7/replay',
      { since: 1_767_225_600_000 },
    ],
    [
      'webhook replay 7 --since 1767225600000 --status discarded',
      'POST',
      '/webhooks/7/replay',
      { since: 1_767_225_600_000, status: 'discarded' },
    ],
    ['webhook replay 7 --since 2026-01-01', 'POST', '/webhooks/7/replay', { since: 1_767_225_600_000 }],
    ['webhook test 7', 'POST', '/webhooks/7/test'],
    ['operator create --name anna --role support', 'POST', '/operators', { name: 'anna', role: 'support' }],
    [
      'operator create --name ci --role stock --expires 2026-10-31',
      'POST',
      '/operators',
      { name: 'ci', role: 'stock', expiresAt: 1_793_404_800_000 },
    ],
    ['operator list', 'GET', '/operators'],
    ['rekey', 'POST', '/rekey', {}],
    ['rekey --data-keys', 'POST', '/rekey/data-keys', {}],
    ['operator revoke 3', 'DELETE', '/operators/3'],
    ['operator rotate 3', 'POST', '/operators/3/token', {}],
    [
      'operator rotate 3 --overlap 10m --expires 2026-10-31T12:00:00+02:00',
      'POST',
      '/operators/3/token?overlap=10m',
      { expiresAt: 1_793_440_800_000 },
    ],
    ...['account list', 'product list', 'supplier list', 'supplier-purchase list', 'operator list'].map(
      (line): [string, string, string] => [
        `${line} --from 2026-10-31 --until 1793440800000`,
        'GET',
        `/${line === 'supplier-purchase list' ? 'supplier-purchases' : `${line.split(' ')[0]}s`}?from=1793404800000&to=1793440800000`,
      ],
    ),
    [
      'webhook deliveries 7 --until 2026-10-31T00:00:00.5Z --cursor 4',
      'GET',
      '/webhooks/7/deliveries?to=1793404800500&cursor=4',
    ],
  ];
  it('webhook test exits with 1 when the receiver refused it', async () => {
    const attempt = { status: 500, durationMs: 5 };
    operator.answer = { status: 202, body: { success: true, attempt, requestId: 'req_1' } };
    assert.equal((await call('webhook test 7')).exitCode, 1);
  });
  for (const [line, method, path, body] of calls) {
    it(`${line}`, async () => {
      const outcome = await call(line);
      assert.equal(outcome.exitCode, 0, outcome.stderr);
      assert.equal(operator.seen.length, 1);
      const { last } = operator;
      assert.equal(`${last.method} ${last.path}`, `${method} /operator/v1${path}`);
      assert.equal(last.headers.authorization, `Bearer ${TOKEN}`);
      assert.equal(last.headers['content-type'], body === undefined ? undefined : 'application/json');
      assert.deepEqual(last.body === '' ? undefined : JSON.parse(last.body), body);
    });
  }
  for (const [line, method, path, body] of calls) {
    it(`${line}, ${method === 'GET' ? 'which takes no --reason' : 'with a --reason'}`, async () => {
      const outcome = await call(line, '--reason', 'ticket 17, ünï');
      if (method === 'GET') {
        assert.match(outcome.stderr, /unknown option '--reason'/);
        assert.equal(operator.seen.length, 0);
        return;
      }
      assert.equal(outcome.exitCode, 0, outcome.stderr);
      const { last } = operator;
      if (method === 'DELETE') {
        const query = new URLSearchParams({ reason: 'ticket 17, ünï' });
        assert.equal(last.path, `/operator/v1${path}?${query}`);
      } else assert.deepEqual(JSON.parse(last.body), { ...(body ?? {}), reason: 'ticket 17, ünï' });
    });
  }
  for (const [line] of calls) {
    it(`${line}, with --json`, async () => {
      const outcome = await call(line, '--json');
      assert.equal(outcome.exitCode, 0, outcome.stderr);
      const { replayed } = JSON.parse(outcome.stdout);
      if (replayed === undefined) assert.equal(outcome.stdout, '{"success":true,"requestId":"req_1"}\n');
    });
  }
});

describe('supplier create', () => {
  const create = (file: string, stdin?: string) =>
    purser(
      ['supplier', 'create', '--name', 'Codes', '--url', 'http://codes.example', '--secret-file', file],
      {
        env: { PURSER_OPERATOR_URL: operator.url, PURSER_OPERATOR_TOKEN: TOKEN },
        ...(stdin === undefined ? {} : { stdin }),
      },
    );

  it('sends the secret that stands in a file, without the end of its line', async () => {
    const outcome = await create('-', 'a secret of ours\n');
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    assert.deepEqual(JSON.parse(operator.last.body), {
      name: 'Codes',
      url: 'http://codes.example',
      secret: 'a secret of ours',
    });
  });

  it('says why it cannot read it, and sends nothing', async () => {
    const outcome = await create('/nowhere/secret');
    assert.equal(outcome.exitCode, 1);
    assert.match(outcome.stderr, /cannot read \/nowhere\/secret: /);
    assert.equal(operator.seen.length, 0);
  });
});

describe('rekey', () => {
  const rekey = (stdin: string, ...flags: string[]) =>
    purser(['rekey', ...flags], {
      env: { PURSER_OPERATOR_URL: operator.url, PURSER_OPERATOR_TOKEN: TOKEN },
      stdin,
    });

  it('sends the new key that stands in a file, and no key without one', async () => {
    const outcome = await rekey('c29tZSBrZXk=\n', '--new-key-file', '-', '--reason', 'yearly');
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    assert.deepEqual(JSON.parse(operator.last.body), { newKey: 'c29tZSBrZXk=', reason: 'yearly' });
    assert.equal((await rekey('', '--data-keys', '--new-key-file', '-')).exitCode, 2);
    assert.match(
      (await rekey('', '--new-key-file', '/nowhere')).stderr,
      /cannot read \/nowhere: no such file/,
    );
    assert.equal(operator.seen.length, 1);
  });

  it('follows the sealing anew to its end, and exits with 1 when that fails', async () => {
    const body = (state: string) => ({
      success: true,
      requestId: 'req_1',
      dataKeyIds: ['0123abcd'],
      sealingAnew: { state, looked: 1, total: 2, trouble: 'a broken row' },
    });
    operator.answers = ['running', 'running', 'done'].map((state) => ({ status: 200, body: body(state) }));
    const done = await rekey('', '--data-keys');
    assert.deepEqual([done.exitCode, done.stderr], [0, '']);
    assert.match(done.stdout, /^dataKeyIds: .*0123abcd/m);
    assert.deepEqual(
      operator.seen.map(({ method, path }) => `${method} ${path}`),
      ['POST', 'GET', 'GET'].map((method) =>
        method === 'GET' ? 'GET /operator/v1/rekey' : 'POST /operator/v1/rekey/data-keys',
      ),
    );
    operator.answer = { status: 202, body: body('failed') };
    const failed = await rekey('', '--data-keys');
    assert.deepEqual([failed.exitCode, failed.stderr], [1, 'error: sealing anew has failed: a broken row\n']);
  });
});

describe('order refund and replace', () => {
  const keys = [
    ['order refund 31 --amount 1', true],
    ['order refund 31 --items 0', true],
    ['order replace 31 --items 0', true],
    ['order refund 31', false],
  ] as const;
  for (const [line, hasKey] of keys) {
    it(`${line}: ${hasKey ? 'a new key, which is told' : 'no key'}; or the one that is given`, async () => {
      const { stderr } = await call(line);
      const key = operator.last.headers['idempotency-key'];
      assert.equal(typeof key, hasKey ? 'string' : 'undefined');
      assert.equal(stderr, hasKey ? `To repeat this safely, add --idempotency-key ${key}\n` : '');
      const again = await call(`${line} --idempotency-key once`);
      assert.deepEqual([operator.last.headers['idempotency-key'], again.stderr], ['once', '']);
    });
  }

  const atTerminal = (answer: string, ...more: string[]) =>
    purser(['order', 'refund', '31', '--reason', 'bad', ...more], {
      env: { PURSER_OPERATOR_URL: operator.url, PURSER_OPERATOR_TOKEN: TOKEN },
      stdin: answer,
      isTerminal: true,
      isAnswered: true,
    });
  const answers = [
    ['y\n', [], true],
    ['Yes\n', ['--amount', '2.5'], true],
    ['', ['--yes'], true],
    ['n\n', [], false],
    ['\n', ['--items', '0'], false],
    ['', [], false],
  ] as const;
  for (const [answer, more, isSent] of answers) {
    it(`at a terminal, ${JSON.stringify(answer)} with ${more.join(' ') || 'no flag'}`, async () => {
      const { exitCode, stderr } = await atTerminal(answer, ...more);
      assert.deepEqual([exitCode, operator.seen.length], isSent ? [0, 1] : [1, 0], stderr);
      if (!isSent) assert.match(stderr, /Refund .* of order 31\? \[y\/N\] error: nothing was changed/);
    });
  }

  for (const wrong of ['--amount 0', '--amount -1', '--amount 1 --items 0', '--items x', '--items 0,,1']) {
    it(`refuses ${wrong}, and sends nothing`, async () => {
      assert.deepEqual([(await call(`order refund 31 ${wrong}`)).exitCode, operator.seen.length], [2, 0]);
    });
  }
});

describe('item find', () => {
  const find = (stdin: string, isAnswered = false, ...more: string[]) =>
    purser(['item', 'find', ...more], {
      env: { PURSER_OPERATOR_URL: operator.url, PURSER_OPERATOR_TOKEN: TOKEN },
      stdin,
      isAnswered,
      isTerminal: isAnswered,
    });

  it('sends what standard input holds, without its last line end', async () => {
    const outcome = await find(' a code\r\n', false, '--product', '12');
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    assert.equal(operator.last.path, '/operator/v1/items/search');
    assert.deepEqual(JSON.parse(operator.last.body), { text: ' a code', productId: 12 });
  });

  it('asks a person for the text', async () => {
    const outcome = await find('a code\n', true, '--reason', 'a buyer asked');
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    assert.deepEqual(JSON.parse(operator.last.body), { text: 'a code', reason: 'a buyer asked' });
    assert.match(outcome.stderr, /^Text of the item: /);
  });

  it('takes no text as an argument, and sends nothing without one', async () => {
    for (const outcome of [await call('item find a-code'), await find('\n')]) {
      assert.equal(outcome.exitCode, 2);
      assert.equal(operator.seen.length, 0);
    }
  });

  it('shows where it is, a row an item', async () => {
    const items = [
      { productId: 12, lotId: 5, state: 'sold', orderId: 31, accountId: 7, at: 1_793_404_800_000 },
      { productId: 13, state: 'available' },
    ];
    operator.answer = { status: 200, body: { success: true, items, requestId: 'req_1' } };
    const [, sold = '', available = ''] = (await find('a code\n')).stdout.split('\n');
    assert.match(sold, /^12 +5 +sold +31 +7 +2026-10-31T00:00:00\.000Z$/);
    assert.match(available, /^13 +- +available +- +- +-$/);
  });
});

describe('lot recall', () => {
  it('prints what became of the lot, and who has it', async () => {
    const sold = [{ orderId: 31, accountId: 7, at: 1_793_404_800_000 }];
    const body = { success: true, lotId: 5, withdrawn: 2, sold, nextCursor: '9', requestId: 'req_1' };
    operator.answer = { status: 200, body };
    const outcome = await call('lot recall 5');
    assert.match(outcome.stdout, /^lotId: +5\nwithdrawn: 2\n\nsold:\norderId .*\n31 +7 +2026-10-31T/);
    assert.match(outcome.stderr, /purser lot sold 5 --cursor 9/);
  });

  it('asks a person before it acts', async () => {
    for (const [answer, isDone] of [
      ['y\n', true],
      ['n\n', false],
      ['', false],
    ] as const) {
      operator.seen.length = 0;
      const outcome = await purser(['lot', 'recall', '5', '--reason', 'bad'], {
        env: { PURSER_OPERATOR_URL: operator.url, PURSER_OPERATOR_TOKEN: TOKEN },
        stdin: answer,
        isAnswered: true,
        isTerminal: true,
      });
      assert.deepEqual(
        [outcome.exitCode === 0, operator.seen.length === 1],
        [isDone, isDone],
        outcome.stderr,
      );
    }
  });
});

describe('order complete', () => {
  const complete = (file: string, stdin?: string) =>
    purser(['order', 'complete', '31', file], {
      env: { PURSER_OPERATOR_URL: operator.url, PURSER_OPERATOR_TOKEN: TOKEN },
      ...(stdin === undefined ? {} : { stdin }),
    });

  it('sends the lines of standard input, but empty ones', async () => {
    const outcome = await complete('-', 'user x\r\n\npassword y');
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    assert.deepEqual(JSON.parse(operator.last.body), { items: ['user x', 'password y'] });
  });

  it('says why it cannot read a file, and sends nothing', async () => {
    const outcome = await complete('/nowhere/items.txt');
    assert.equal(outcome.exitCode, 1);
    assert.match(outcome.stderr, /cannot read \/nowhere\/items\.txt: /);
    assert.equal(operator.seen.length, 0);
  });
});

describe('what a command prints', () => {
  it('is aligned lines for one thing, without the envelope', async () => {
    operator.answer = {
      status: 200,
      body: {
        success: true,
        accountId: 7,
        name: 'acme',
        rateLimitPerMinute: null,
        scopes: ['orders:read', 'orders:write'],
        createdAt: 1_700_000_000_000,
        webhook: { url: 'https://a.example', events: [] },
        requestId: 'req_1',
      },
    };
    const { stdout } = await call('account show 7');
    assert.equal(
      stdout,
      [
        'accountId:          7',
        'name:               acme',
        'rateLimitPerMinute: none',
        'scopes:             orders:read, orders:write',
        'createdAt:          2023-11-14T22:13:20.000Z',
        'webhook.url:        https://a.example',
        'webhook.events:',
        '',
      ].join('\n'),
    );
  });

  it('says of an entry of the audit what it was about', async () => {
    const entry = { seq: 1, at: 0, operator: 'anna', requestId: 'req_1' };
    operator.answer = {
      status: 200,
      body: {
        success: true,
        entries: [
          { ...entry, action: 'OperatorRevoked', targetOperator: 'otto' },
          { ...entry, action: 'LotRecalled', productId: 2, lotId: 3 },
          { ...entry, action: 'ItemsSearched', orderIds: [9, 8, 7, 6, 5, 4, 3] },
          { ...entry, action: 'KeyRevoked', accountId: 7 },
        ],
      },
    };
    const [, ...lines] = (await call('audit')).stdout.trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => line.split(/ {2,}/).slice(3)),
      [
        ['OperatorRevoked', '-', '-', '-', 'targetOperator otto', '-', 'req_1'],
        ['LotRecalled', '-', '2', '-', 'lotId 3', '-', 'req_1'],
        ['ItemsSearched', '-', '-', '-', 'orderIds 9 8 7 6 5 and 2 more', '-', 'req_1'],
        ['KeyRevoked', '7', '-', '-', '-', '-', 'req_1'],
      ],
    );
  });

  it('is cut in a table where people write at length, but in nothing else', async () => {
    const long = '🙂'.repeat(61);
    const entries = [{ seq: 1, reason: long, requestId: 'r'.repeat(80) }];
    operator.answer = { status: 200, body: { success: true, entries, requestId: 'req_1' } };
    const { stdout } = await call('audit');
    assert.ok(stdout.includes(`  ${'🙂'.repeat(59)}…  ${'r'.repeat(80)}\n`), stdout);
    assert.ok((await call('audit --json')).stdout.includes(long));
  });

  it('says which keys are deactivated', async () => {
    const accounts = [{ accountId: 7, name: 'acme', keyPrefix: 'pk_1', keyActive: false }];
    operator.answer = { status: 200, body: { success: true, accounts, requestId: 'req_1' } };
    const { stdout } = await call('account list');
    assert.match(stdout, /keyPrefix +keyActive +createdAt\n.* pk_1 +false +-\n/);
  });

  it('is a table for many', async () => {
    const products = [
      {
        productId: 1,
        name: 'Short',
        type: 'standard',
        priceUsdt: 3.5,
        availableStock: 10,
        active: true,
        createdAt: 1_700_000_000_000,
      },
      { productId: 12, name: 'A longer name', type: 'manual', priceUsdt: 10, availableStock: 'unlimited' },
    ];
    operator.answer = { status: 200, body: { success: true, products, requestId: 'req_1' } };
    const { stdout } = await call('product list');
    assert.equal(
      stdout,
      [
        'productId  name           type      priceUsdt  availableStock  active  createdAt',
        '1          Short          standard  3.5        10              true    2023-11-14T22:13:20.000Z',
        '12         A longer name  manual    10         unlimited       -       -',
        '',
      ].join('\n'),
    );
  });

  it('is a row for each event of an order, with who and why', async () => {
    const events = [
      { at: 1_700_000_000_000, type: 'Requested', requestId: 'req_1700000000000_0' },
      {
        at: 1_700_000_000_500,
        type: 'OrderRefunded',
        seq: 9,
        status: 'refunded',
        operator: 'anna',
        reason: 'used',
      },
    ];
    operator.answer = { status: 200, body: { success: true, orderId: 31, events, requestId: 'req_1' } };
    assert.equal(
      (await call('order timeline 31')).stdout,
      [
        'at                        type           operator  reason  details',
        '2023-11-14T22:13:20.000Z  Requested      -         -       requestId=req_1700000000000_0',
        '2023-11-14T22:13:20.500Z  OrderRefunded  anna      used    status=refunded',
        '',
      ].join('\n'),
    );
  });

  it('says so when a list is empty', async () => {
    operator.answer = { status: 200, body: { success: true, accounts: [], requestId: 'req_1' } };
    assert.equal((await call('account list')).stdout, 'none\n');
  });

  it('says how to get the next page of a list', async () => {
    const answer = { success: true, accounts: [{ accountId: 1 }], nextCursor: '1', requestId: 'req_1' };
    operator.answer = { status: 200, body: answer };
    for (const line of ['account list', 'account list --json']) {
      assert.equal((await call(line)).stderr, 'There are more: repeat with --cursor 1\n');
    }
  });

  it('is the answer to the letter with --json', async () => {
    const body = '{"success":true,  "accounts":[{"accountId":1}],"requestId":"req_1"}';
    operator.answer = { status: 200, body };
    assert.equal((await call('account list --json')).stdout, `${body}\n`);
  });

  it('shows control characters instead of sending them to the terminal', async () => {
    operator.answer = {
      status: 200,
      body: { success: true, name: 'red\u001b[31m\nnext', requestId: 'req_1' },
    };
    assert.equal((await call('account show 1')).stdout, 'name: red\\u001b[31m\\nnext\n');
  });

  it('is the key alone on standard output, and the warning beside it', async () => {
    operator.answer = { status: 201, body: { success: true, apiKey: 'pk_live_x', requestId: 'req_1' } };
    const outcome = await call('key issue 7');
    assert.equal(outcome.stdout, 'apiKey: pk_live_x\n');
    assert.match(outcome.stderr, /shown only once/);
    operator.answer = { status: 201, body: { success: true, token: 'pot_x', requestId: 'req_1' } };
    for (const line of ['operator create --name a --role viewer', 'operator rotate 3']) {
      const { stdout, stderr } = await call(line);
      assert.deepEqual([stdout, stderr], ['token: pot_x\n', 'This token is shown only once.\n']);
    }
  });

  it('says that a credit had happened before', async () => {
    const body = { success: true, balanceUsdt: 5, repeated: true, requestId: 'req_1' };
    operator.answer = { status: 200, body };
    const { stdout, stderr } = await call('wallet credit 7 5 --reference tx-1');
    assert.equal(stdout, 'balanceUsdt: 5\nrepeated:    true\n');
    assert.equal(stderr, 'This reference was credited before: nothing was added now.\n');
  });
});

describe('console', () => {
  const code = 'poc_x';
  beforeEach(() => {
    operator.answer = { status: 201, body: { success: true, code, requestId: 'req_1' } };
  });

  it('prints the address alone, with the code where no server gets it', async () => {
    const { stdout, stderr } = await call('console');
    assert.equal(stdout, `${new URL(operator.url).origin}/console#code=${code}\n`);
    assert.match(stderr, /within a minute: it works once/);
    const [seen] = operator.seen;
    assert.deepEqual([seen?.method, seen?.path, seen?.body], ['POST', '/operator/v1/console-codes', '{}']);
  });

  it('gives programs the answer as it is', async () => {
    const { stdout } = await call('console --json');
    assert.deepEqual(JSON.parse(stdout), { success: true, code, requestId: 'req_1' });
  });

  it('names the page where a browser finds it, behind a prefix and of a node that listens everywhere', async () => {
    const { host, port } = new URL(operator.url);
    const places: [operator: string, page: string][] = [
      [`http://${host}`, `http://${host}/console`],
      [`http://${host}/shop/operator/v1/`, `http://${host}/shop/console`],
      [`http://0.0.0.0:${port}`, `http://127.0.0.1:${port}/console`],
    ];
    for (const [url, page] of places) {
      const { stdout } = await purser(['console', '--operator', url, '--token', TOKEN]);
      assert.equal(stdout, `${page}#code=${code}\n`, url);
    }
  });
});

describe('webhook', () => {
  it('deliveries shows how many attempts there were, and what became of the last', async () => {
    const common = { type: 'order.completed', createdAt: 1_700_000_000_000 };
    const timeout = { startedAt: 1_700_000_000_001, durationMs: 9, error: { code: 'timeout', message: '' } };
    const deliveries = [
      { ...common, eventId: 'evt_3', status: 'pending', nextAttemptAt: 1_700_000_060_000, attempts: [] },
      { ...common, eventId: 'evt_2', status: 'discarded', attempts: [{ status: 500 }, timeout] },
      { ...common, eventId: 'evt_1', status: 'delivered', attempts: [timeout, { status: 204 }] },
    ];
    operator.answer = { status: 200, body: { success: true, deliveries, nextCursor: '8', requestId: 'r' } };
    const { stdout, stderr } = await call('webhook deliveries 7');
    assert.equal(
      stdout,
      [
        'eventId  type             status     createdAt                 attempts  last     nextAttemptAt',
        'evt_3    order.completed  pending    2023-11-14T22:13:20.000Z  0         -        2023-11-14T22:14:20.000Z',
        'evt_2    order.completed  discarded  2023-11-14T22:13:20.000Z  2         timeout  -',
        'evt_1    order.completed  delivered  2023-11-14T22:13:20.000Z  2         204      -',
        '',
      ].join('\n'),
    );
    assert.equal(stderr, 'There are more: repeat with --cursor 8\n');
  });

  it('replay --since goes on while there is more, and says how many in all', async () => {
    const steps = [
      { replayed: 500, nextCursor: '4001' },
      { replayed: 0, nextCursor: '8001' },
      { replayed: 7 },
    ];
    operator.answers = steps.map((step) => ({ status: 202, body: { success: true, ...step } }));
    const { stdout } = await call('webhook replay 7 --since 0');
    assert.equal(stdout, 'replayed: 507\n');
    assert.deepEqual(
      operator.seen.map(({ path }) => path.slice('/operator/v1'.length)),
      ['/webhooks/7/replay', '/webhooks/7/replay?cursor=4001', '/webhooks/7/replay?cursor=8001'],
    );
  });

  it('replay --since --dry-run says how many it would send', async () => {
    operator.answers = [{ status: 200, body: { success: true, wouldReplay: 5_000, nextCursor: '4001' } }];
    operator.answer = { status: 200, body: { success: true, wouldReplay: 3 } };
    const { stdout } = await call('webhook replay 7 --since 0 --dry-run');
    assert.equal(stdout, 'wouldReplay: 5003\n');
    assert.deepEqual(JSON.parse(operator.last.body), { since: 0, dryRun: true });
  });

  it('replay --since does not go round in circles', async () => {
    const body = { success: true, replayed: 1, nextCursor: '8' };
    operator.answer = { status: 202, body };
    const { exitCode, stderr } = await call('webhook replay 7 --since 0');
    assert.equal(exitCode, 1);
    assert.match(stderr, /same cursor twice/);
    assert.equal(operator.seen.length, 2);
  });
});

describe('a command line that makes no sense', () => {
  const lines: [line: string, says: RegExp][] = [
    ['webhook replay 7', /name one event, or give --since/],
    ['webhook replay 7 evt_1 --since 0', /name one event, or give --since/],
    ['webhook replay 7 evt_1 --status discarded', /--status needs --since/],
    ['webhook replay 7 evt_1 --dry-run', /--dry-run needs --since/],
    ['webhook replay 7 ../../accounts', /expected the id of an event/],
    ['webhook replay 7 --since yesterday', /expected a date such as/],
    ['account list --from 2026-02-30', /--from.*expected a date such as 2026-10-31/],
    ['account list --until 2026-10-31T12:00', /--until.*expected a date such as 2026-10-31/],
    ['account list --from 2026', /--from.*at least 11 digits/],
    ['account list --from 2026-02-02 --until 2026-02-01', /--from must not be later than --until/],
    ['operator create --name a', /required option '--role <ROLE>'/],
    ['operator create --role viewer', /required option '--name <NAME>'/],
    ['operator create --name a --role boss', /metrics, viewer, support, stock, finance, owner/],
    ['operator create --name a --role viewer --expires soon', /expected a date such as/],
    ['operator rotate 3 --overlap 10', /expected a duration/],
    [`account update 7 --name a --reason ${'x'.repeat(501)}`, /expected at most 500 characters/],
    ['feed --until later', /expected a date such as/],
    ['nonsense', /unknown command 'nonsense'/],
    ['account', /Usage: purser account/],
    ['account nonsense', /unknown command 'nonsense'/],
    ['account create', /required option '--name <NAME>'/],
    ['account create --name a --rate-limit 0', /--rate-limit.*whole number from 1/],
    ['account create --name a --rate-limit many', /--rate-limit.*'many'/],
    ['account create --name a --colour red', /unknown option '--colour'/],
    ['account show', /missing required argument 'account'/],
    ['account show ../products', /whole number from 1/],
    ['account show 1 2', /too many arguments/],
    ['account update 7', /nothing to change/],
    ['key issue 7 --scopes a,,b', /words separated by commas/],
    ['wallet credit 7 25', /required option '--reference <REF>'/],
    ['wallet credit 7 1e3 --reference r', /an amount of USDT/],
    ['wallet credit 7 0.1234567 --reference r', /an amount of USDT/],
    ['product create --name a --price -1', /a price in USDT/],
    ['product create --name a --price 1 --tier 10', /QUANTITY:PRICE/],
    ['product create --name a --price 1 --tier 10:1:2', /QUANTITY:PRICE/],
    ['product create --name a --price 1 --type magic', /standard, file, manual/],
    ['product update 1 --active --inactive', /cannot be used with option '--inactive'/],
    ['product update 1', /nothing to change/],
    ['stock withdraw 1', /required option '--count <N>'/],
    ['stock withdraw 1 --count 10001', /from 1 to 10000/],
    ['lot list 1 --limit 251', /from 1 to 250/],
    ['statement 1 --csv --json', /'--csv' cannot be used with option '--json'/],
    ['statement 1 --csv --cursor 1-1', /'--csv' cannot be used with option '--cursor <CURSOR>'/],
    ['feed --after 1 --from 2026-10-31', /'--from <TIME>' cannot be used with option '--after <SEQ>'/],
    ['status --operator ftp://x', /is not the address of an operator API/],
    ['serve --port abc', /option port \(flag --port\): "abc"/],
    ['serve --nonsense', /unknown option '--nonsense'/],
    ['verify --data', /argument missing/],
  ];
  for (const [line, says] of lines) {
    it(`ends with 2: ${line}`, async () => {
      const outcome = await call(line);
      assert.match(outcome.stderr, says);
      assert.equal(outcome.exitCode, 2);
      assert.equal(outcome.stdout, '');
      assert.equal(operator.seen.length, 0);
    });
  }
});

describe('help', () => {
  it('lists every command and ends with 0', async () => {
    const outcome = await call('--help');
    assert.equal(outcome.exitCode, 0);
    for (const noun of [
      'serve',
      'verify',
      'status',
      'account',
      'key',
      'wallet',
      'product',
      'stock',
      'lot',
      'item',
      'order',
      'operator',
    ]) {
      assert.match(outcome.stdout, new RegExp(`^ {2}${noun} `, 'm'));
    }
  });

  it('of serve names every option with its variable and default', async () => {
    const { stdout } = await call('serve --help');
    assert.match(stdout, /--webhook-retries <DURATION,…>/);
    assert.match(stdout.replace(/\s+/g, ' '), /\(env: PURSER_WEBHOOK_RETRIES, default: 1m,5m,30m,6h\)/);
  });

  it('--version prints a version', async () => {
    assert.match((await call('--version')).stdout, /^\d+\.\d+\.\d+\n$/);
  });
});
