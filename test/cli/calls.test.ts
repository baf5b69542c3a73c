/** The commands that call the operator API: what each one sends, what it prints of the answer, and what it refuses to send. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { type CliSetting, operatorForTests, purser, TOKEN, temporaryFolder } from './fake-operator.ts';

/** A line each: the command, two spaces, and what it sends. */
const CALLS = `
status  GET /status
session end 5  DELETE /sessions/5
lot show 5  GET /lots/5
restore open --keys end --webhooks keep --all keep  POST /restore/open {"keys":"end","webhooks":"keep","all":"keep"}
lot recall 5 --yes --reason bad  POST /lots/5/recall {"reason":"bad"}
statement 7 --month 2026-12  GET /accounts/7/statement?from=1796083200000&to=1798761600000
statement 7 --month 2026-12 --time-zone Europe/Berlin  GET /accounts/7/statement?from=2026-12-01&to=2027-01-01&timeZone=Europe%2FBerlin
report --from 2026-12-01 --until 1798761600000 --time-zone Asia/Tokyo  GET /reports/money?from=2026-12-01&to=1798761600000&timeZone=Asia%2FTokyo&by=day
report --by account --from 2026-12-01  GET /reports/money?from=1796083200000&by=account
audit --who anna --account 7 --cursor 5-6  GET /audit?operator=anna&accountId=7&cursor=5-6
account list --cursor 1000&x  GET /accounts?cursor=1000%26x
product create --id 12 --name Codes --price 2  POST /products {"productId":12,"name":"Codes","priceUsdt":2,"description":"","instructions":"","type":"standard"}
account update 7 --rate-limit none  PATCH /accounts/7 {"rateLimitPerMinute":null}
account update 7 --external-id none  PATCH /accounts/7 {"externalId":null}
account create --name A --spend-limit 1:20.5 --spend-limit 24:100  POST /accounts {"name":"A","spendLimits":[{"windowHours":1,"amountUsdt":20.5},{"windowHours":24,"amountUsdt":100}]}
account update 7 --no-spend-limit  PATCH /accounts/7 {"spendLimits":[]}
account update 7 --allowed-networks 192.0.2.0/24,2001:db8::1  PATCH /accounts/7 {"allowedNetworks":["192.0.2.0/24","2001:db8::1"]}
account update 7 --allowed-networks none  PATCH /accounts/7 {"allowedNetworks":null}
account list --external-id telegram:1  GET /accounts?externalId=telegram%3A1
account list --price-list 3 --limit 5  GET /accounts?priceListId=3&limit=5
key issue 7 --scopes catalog:read,balance:read  POST /accounts/7/key {"scopes":["catalog:read","balance:read"]}
key revoke 7  DELETE /accounts/7/key
key activate 7  PATCH /accounts/7/key {"active":true}
wallet credit 7 25.5 --reference tx-1  POST /accounts/7/credits {"amountUsdt":25.5,"reference":"tx-1"}
wallet credit 7 -0.1 --reference tx-2  POST /accounts/7/credits {"amountUsdt":-0.1,"reference":"tx-2"}
product create --name Codes --price 2 --supplier 3 --supplier-sku card-10  POST /products {"name":"Codes","description":"","instructions":"","type":"standard","priceUsdt":2,"supplierId":3,"supplierSku":"card-10"}
product update 12 --source 3:card-10 --source 4:a:b  PATCH /products/12 {"sources":[{"supplierId":3,"sku":"card-10"},{"supplierId":4,"sku":"a:b"}]}
product update 12 --no-supplier  PATCH /products/12 {"supplierId":null,"supplierSku":null}
product update 12 --low-stock 20  PATCH /products/12 {"lowStock":20}
product create --name Codes --price 2 --sku c-1 --category Games --attribute region=EU --attribute a=b=c --image-url https://x.example/c.png --visibility listed --min-quantity 2 --max-quantity 9  POST /products {"name":"Codes","description":"","instructions":"","type":"standard","priceUsdt":2,"sku":"c-1","category":"Games","attributes":{"region":"EU","a":"b=c"},"imageUrl":"https://x.example/c.png","visibility":"listed","minQuantity":2,"maxQuantity":9}
product update 12 --no-sku --no-category --no-attribute --no-image-url --no-max-quantity  PATCH /products/12 {"sku":null,"category":null,"attributes":{},"imageUrl":null,"maxQuantity":null}
product update 12 --no-low-stock  PATCH /products/12 {"lowStock":null}
price-list create --name Gold --percent -12.5  POST /price-lists {"name":"Gold","percent":-12.5}
price-list update 4 --percent none  PATCH /price-lists/4 {"percent":null}
price-list show 4 --limit 10  GET /price-lists/4?limit=10
price-list delete 4  DELETE /price-lists/4
price-list set 4 12 --price 9.5 --tier 10:9 --tier 100:8.5  PUT /price-lists/4/prices/12 {"priceUsdt":9.5,"priceTiers":[{"minQuantity":10,"priceUsdt":9},{"minQuantity":100,"priceUsdt":8.5}]}
price-list unset 4 12  DELETE /price-lists/4/prices/12
price set 7 12 --price 9.5  PUT /accounts/7/prices/12 {"priceUsdt":9.5}
price unset 7 12  DELETE /accounts/7/prices/12
price list 7  GET /accounts/7/prices
price explain --account 7 --product 12 --quantity 50  GET /accounts/7/price?productId=12&quantity=50
account update 7 --price-list none  PATCH /accounts/7 {"priceListId":null}
supplier update 3 --url http://codes.example  PATCH /suppliers/3 {"url":"http://codes.example"}
supplier reconcile  POST /supplier-purchases/reconcile {}
supplier-purchase give-up a/b  POST /supplier-purchases/a%2Fb/give-up {}
product create --name Top-up --price 3.5 --description d --instructions i --type manual --tier 10:3.2 --tier 100:3 --requires-recipient --inactive  POST /products {"name":"Top-up","description":"d","instructions":"i","type":"manual","priceUsdt":3.5,"priceTiers":[{"minQuantity":10,"priceUsdt":3.2},{"minQuantity":100,"priceUsdt":3}],"requiresRecipient":true,"active":false}
product update 12 --inactive  PATCH /products/12 {"active":false}
product update 12 --no-tier --tier 5:2  PATCH /products/12 {"priceTiers":[{"minQuantity":5,"priceUsdt":2}]}
product update 12 --no-requires-recipient  PATCH /products/12 {"requiresRecipient":false}
order show 31 --no-items  GET /orders/31?items=false
order list --status pending_delivery --account-id 4 --product-id 5 --cursor 90  GET /orders?accountId=4&productId=5&status=pending_delivery&cursor=90
order list --from 2026-10-01 --until 2026-11-01 --recipient @anna --limit 5  GET /orders?from=1790812800000&to=1793491200000&recipient=%40anna&limit=5
order timeline 31  GET /orders/31/timeline
order open 4 5 --recipient @anna  POST /orders {"accountId":4,"productId":5,"recipient":{"username":"@anna"}}
order pay 31 --expected-price 3.5  POST /orders/31/pay {"expectedPriceUsdt":3.5}
order complete 31  POST /orders/31/complete {}
order refund 31  POST /orders/31/refund {}
order refund 31 --items 0,2 --yes  POST /orders/31/refund {"items":[0,2]}
webhook list --cursor 7  GET /webhooks?cursor=7
webhook replay 7 evt_0a1  POST /webhooks/7/deliveries/evt_0a1/replay
webhook replay 7 --since 2026-01-01T00:00:00Z  POST /webhooks/7/replay {"since":1767225600000}
webhook replay 7 --since 1767225600000 --status discarded  POST /webhooks/7/replay {"since":1767225600000,"status":"discarded"}
deposits open --account 7 --network trc20 --amount 50  POST /accounts/7/deposits {"network":"trc20","amountUsdt":50}
deposits list --state unclaimed --account 7  GET /deposits?state=unclaimed&accountId=7
deposits addresses  GET /deposits/addresses?watching=false
deposits observe --network trc20 --tx ab --log-index 1 --address T1 --amount 50.004217 --confirmations 20 --at 1767225600000  POST /deposits/observed {"network":"trc20","txId":"ab","logIndex":1,"address":"T1","amountUsdt":50.004217,"confirmations":20,"at":1767225600000}
deposits assign --reference trc20:ab:0 --account 7  POST /deposits/unclaimed/trc20%3Aab%3A0/assign {"accountId":7}
operator create --name b --role bot --external-id-prefix chat:  POST /operators {"name":"b","role":"bot","externalIdPrefix":"chat:"}
operator create --name ci --role stock --expires 2026-10-31  POST /operators {"name":"ci","role":"stock","expiresAt":1793404800000}
operator bots  GET /bots
operator rotate 3 --overlap 10m --expires 2026-10-31T12:00:00+02:00  POST /operators/3/token?overlap=10m {"expiresAt":1793440800000}
account list --from 2026-10-31 --until 1793440800000  GET /accounts?from=1793404800000&to=1793440800000
product list --from 2026-10-31 --until 1793440800000  GET /products?from=1793404800000&to=1793440800000
webhook deliveries 7 --until 2026-10-31T00:00:00.5Z --cursor 4  GET /webhooks/7/deliveries?to=1793404800500&cursor=4
`;
const REASON = 'ticket 17, ünï';
/** A person's answer at a terminal. */
const typed = (stdin: string): CliSetting => ({ stdin, isTerminal: true, isAnswered: true });

describe('the commands that call the operator API', () => {
  const { operator, call } = operatorForTests();
  const answers = (body: object, status = 200) => {
    operator.answer = { status, body: { success: true, requestId: 'req_1', ...body } };
  };
  const sent = () => JSON.parse(operator.last.body);

  for (const row of CALLS.trim().split('\n')) {
    const [, line = '', method = '', path = '', body] =
      /^(.*?) {2}(\w+) (\S+)(?: (\{.*\}))?$/.exec(row) ?? assert.fail(row);
    it(`${line}: as it is, ${method === 'GET' ? 'without' : 'with'} a --reason, and with --json`, async () => {
      const plain = await call(line);
      assert.equal(plain.exitCode, 0, plain.stderr);
      const { last } = operator;
      assert.equal(`${last.method} ${last.path}`, `${method} /operator/v1${path}`);
      assert.equal(last.headers.authorization, `Bearer ${TOKEN}`);
      assert.equal(last.headers['content-type'], body === undefined ? undefined : 'application/json');
      assert.deepEqual(last.body === '' ? undefined : sent(), body && JSON.parse(body));
      const reasoned = await call([...line.split(' '), '--reason', REASON, '--json']);
      if (method === 'GET') assert.match(reasoned.stderr, /unknown option '--reason'/);
      else if (method === 'DELETE') {
        const query = new URLSearchParams({ reason: REASON });
        assert.equal(operator.last.path, `/operator/v1${path}?${query}`);
      } else if (!line.includes(' --reason'))
        assert.deepEqual(sent(), { ...JSON.parse(body ?? '{}'), reason: REASON });
      const json = method === 'GET' ? await call(`${line} --json`) : reasoned;
      assert.equal(json.exitCode, 0, json.stderr);
      if (!('replayed' in JSON.parse(json.stdout)))
        assert.equal(json.stdout, '{"success":true,"requestId":"req_1"}\n');
      assert.equal(operator.seen.length, 2);
    });
  }

  it('rekey save: writes the key into a new file that only its owner may read, and prints nothing of it', async (context) => {
    const file = join(temporaryFolder(context), 'key.txt');
    answers({ error: 'TRANSITION_NOT_ALLOWED', message: 'saved before', success: false }, 409);
    assert.equal((await call(`rekey save ${file}`)).exitCode, 1);
    assert.equal(existsSync(file), false);
    answers({ masterKeyId: '4f0c2b9d', masterKey: 'c29tZSBrZXk=' });
    const { exitCode, stdout, stderr } = await call(`rekey save ${file} --reason safe`);
    assert.deepEqual([exitCode, stderr], [0, `written to ${file}\n`]);
    assert.equal(stdout, 'masterKeyId: 4f0c2b9d\n');
    assert.deepEqual([operator.last.method, operator.last.path], ['POST', '/operator/v1/rekey/save']);
    assert.deepEqual(sent(), { reason: 'safe' });
    assert.deepEqual([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], ['c29tZSBrZXk=\n', 0o600]);
    const again = await call(`rekey save ${file}`);
    assert.deepEqual(
      [again.exitCode, operator.seen.length],
      [1, 2],
      'nothing is asked for that has no place',
    );
  });

  const files: readonly [line: string, stdin: string, body: object][] = [
    [
      'supplier create --name Codes --url http://codes.example --secret-file',
      'a secret of ours\n',
      { name: 'Codes', url: 'http://codes.example', secret: 'a secret of ours' },
    ],
    ['rekey --new-key-file', 'c29tZSBrZXk=\n', { newKey: 'c29tZSBrZXk=' }],
    ['order complete 31', '\ufeffuser x\r\n\npassword y', { items: ['user x', 'password y'] }],
  ];
  for (const [line, stdin, body] of files)
    it(`${line}: sends what a file has, or says why it cannot read it and sends nothing`, async () => {
      const { exitCode, stderr } = await call(`${line} -`, { stdin });
      assert.equal(exitCode, 0, stderr);
      assert.deepEqual(sent(), body);
      const wrong = await call(`${line} /nowhere/file`);
      assert.match(wrong.stderr, /cannot read \/nowhere\/file: no such file/);
      assert.deepEqual([wrong.exitCode, operator.seen.length], [1, 1]);
    });

  for (const line of [
    'order refund 31 --amount 1',
    'order refund 31',
    'order replace 31 --items 0',
    'order open 1 2',
    'account create --name A',
    'key issue 1',
    'product create --name P --price 1',
    'operator create --name o --role viewer',
    'stock withdraw 1 --count 2',
    'stock add 1 -',
  ])
    it(`${line}: with a new key, or the one that is given`, async () => {
      await call(line, { stdin: 'AAA-1\n' });
      const { 'idempotency-key': key = '' } = operator.last.headers;
      assert.match(String(key), /^[0-9a-f-]{36}$/);
      await call(`${line} --idempotency-key once`, { stdin: 'AAA-1\n' });
      assert.equal(operator.last.headers['idempotency-key'], 'once');
    });

  for (const [line, lines, decisions] of [
    ['', ['end', 'keep', 'y', 'why'], { keys: 'end', operators: 'keep', webhooks: 'keep', products: 'keep' }],
    [
      '--products end',
      ['end', 'y', 'why'],
      { keys: 'end', operators: 'keep', webhooks: 'keep', products: 'end' },
    ],
    ['--all end', ['y', 'why'], { all: 'end' }],
    ['--all end', ['n'], undefined],
    ['', ['end', 'perhaps'], undefined],
  ] as const)
    it(`restore open ${line}: asks at a terminal for what is not said: ${lines.join(', ')}`, async () => {
      const undecided = { keys: 3, operators: 0, webhooks: 0, products: 2 };
      const keys = { count: 1, rows: [{ accountId: 7, name: 'Bot', change: 'replaced', at: 0 }] };
      answers({ sales: 'closed', undecided, takenAway: { to: 0, complete: true, keys } });
      const stdin = Readable.from(lines.map((each) => `${each}\n`));
      const { exitCode, stderr } = await call(`restore open ${line}`.trim(), { ...typed(''), stdin });
      assert.equal(exitCode, decisions === undefined ? 1 : 0, stderr);
      if (lines.length > 2)
        assert.match(
          stderr,
          /replaced keys and tokens.*\n.*\n\nAPI keys \(1\):\n.*\n7 +Bot +replaced +1970\S+\n3 API keys are as they were restored/,
        );
      const posted = operator.seen
        .filter(({ method }) => method === 'POST')
        .map(({ body }) => JSON.parse(body));
      assert.deepEqual(posted, decisions === undefined ? [] : [{ ...decisions, reason: 'why' }]);
    });

  it('a call whose answer was lost is repeated with its key, and what was lost is said', async () => {
    const lost = { status: 502, body: '<html>Bad Gateway</html>' };
    const body = {
      success: true,
      accountId: 7,
      keyPrefix: 'pk_live_00000007',
      repeated: true,
      requestId: 'r',
    };
    operator.answers = [lost, { status: 200, body }];
    const { exitCode, stderr } = await call('key issue 7');
    assert.equal(exitCode, 0, stderr);
    assert.match(
      stderr,
      /the answer that showed it was lost: nobody has it. Issue another: purser key issue 7/,
    );
    const [first, second] = operator.seen;
    assert.ok(first?.headers['idempotency-key']);
    assert.equal(first?.headers['idempotency-key'], second?.headers['idempotency-key']);
    assert.equal(first?.body, second?.body);
  });

  for (const [line, answer, isSent] of [
    ['order refund 31', 'y\n', true],
    ['order refund 31 --yes', '', true],
    ['order refund 31 --items 0', '\n', false],
    ['lot recall 5', 'n\n', false],
  ] as const)
    it(`${line} asks a person before it acts, who says ${JSON.stringify(answer)}`, async () => {
      const { exitCode, stderr } = await call(`${line} --reason bad`, typed(answer));
      assert.deepEqual([exitCode, operator.seen.length], isSent ? [0, 1] : [1, 0], stderr);
      if (!isSent) assert.match(stderr, /\? .*\[y\/N\] error: nothing was changed/);
    });

  it('item find sends the text of standard input or of a person, never of an argument', async () => {
    await call('item find --product 12', { stdin: ' a code\r\n' });
    assert.equal(operator.last.path, '/operator/v1/items/search');
    assert.deepEqual(sent(), { text: ' a code', productId: 12 });
    const { stderr } = await call('item find --reason asked', typed('a code\n'));
    assert.deepEqual(sent(), { text: 'a code', reason: 'asked' });
    assert.match(stderr, /^Text of the item: /);
    for (const outcome of [await call('item find a-code'), await call('item find', { stdin: '\n' })])
      assert.equal(outcome.exitCode, 2);
    assert.equal(operator.seen.length, 2);
  });

  it('webhook test exits with 1 when the receiver refused it', async () => {
    answers({ attempt: { status: 500, durationMs: 5 } }, 202);
    assert.equal((await call('webhook test 7')).exitCode, 1);
  });

  it('webhook replay --since goes on while there is more, and says how many in all', async () => {
    const steps = [
      { replayed: 500, nextCursor: '4001' },
      { replayed: 0, nextCursor: '8001' },
      { replayed: 7 },
    ];
    operator.answers = steps.map((step) => ({ status: 202, body: { success: true, ...step } }));
    assert.equal((await call('webhook replay 7 --since 0')).stdout, 'replayed: 507\n');
    assert.deepEqual(
      operator.seen.map(({ path }) => path.slice('/operator/v1/webhooks/7/'.length)),
      ['replay', 'replay?cursor=4001', 'replay?cursor=8001'],
    );
    answers({ wouldReplay: 3 });
    assert.equal((await call('webhook replay 7 --since 0 --dry-run')).stdout, 'wouldReplay: 3\n');
    assert.deepEqual(sent(), { since: 0, dryRun: true });
    answers({ replayed: 1, nextCursor: '8' }, 202);
    const circle = await call('webhook replay 7 --since 0');
    assert.equal(circle.exitCode, 1);
    assert.match(circle.stderr, /same cursor twice/);
  });

  it('console prints the address alone, with the code where no server gets it', async () => {
    const code = 'poc_x';
    answers({ code }, 201);
    const { host, port } = new URL(operator.url);
    for (const [url, page] of [
      [`http://${host}`, `http://${host}/console`],
      [`http://${host}/shop/operator/v1/`, `http://${host}/shop/console`],
      [`http://0.0.0.0:${port}`, `http://127.0.0.1:${port}/console`],
    ] as const) {
      const { stdout, stderr } = await purser(['console', '--operator', url, '--token', TOKEN]);
      assert.equal(stdout, `${page}#code=${code}\n`);
      assert.match(stderr, /within a minute: it works once/);
    }
    assert.equal(`${operator.last.method} ${operator.last.path}`, 'POST /operator/v1/console-codes');
  });
});
