/**
 * Calls that may be repeated (docs/settings.md): each that makes or takes something, sent twice at once, again after the
 * node was started anew, and by commands behind a proxy that loses answers.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { urlToHttpOptions } from 'node:url';
import { purser } from '../../cli/fake-operator.ts';
import { assertRefused } from '../../contract/operator-reply.ts';
import { httpRequest } from '../../support/http-request.ts';
import type { OperatorClient } from '../../support/operator-client.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import type { Json, OperatorCases, OperatorScene } from './operator-scene.ts';

interface Call {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** A call that the key is not for. */
  readonly other: { readonly path?: string; readonly body?: unknown };
  /** Shown by the first answer alone. */
  readonly shownOnce?: string;
  /** How many there are of what the call makes, or how many are left of what it takes. */
  readonly count: () => Promise<number>;
  /** By how much once changes that. */
  readonly by: number;
}

export const repeatedCalls: OperatorCases = {
  title: 'calls that are sent twice',
  define(scene: OperatorScene) {
    let productId = 0;
    let accountId = 0;
    const total = (path: string, name: string) => async () => (await scene.rows(path, name)).length;
    const onSale = async () => Number((await scene.json('GET', `/products/${productId}`)).availableStock);
    const issued = async () => {
      const entries = await scene.rows(`/audit?accountId=${accountId}`, 'entries');
      return entries.filter(({ action }) => action === 'KeyIssued').length;
    };

    const calls = (): Record<string, Call> => ({
      'POST /accounts': {
        method: 'POST',
        path: '/accounts',
        body: { name: 'Twice', rateLimitPerMinute: 60 },
        other: { body: { name: 'Twice', rateLimitPerMinute: 61 } },
        count: total('/accounts?limit=1000', 'accounts'),
        by: 1,
      },
      'POST /accounts/{id}/key': {
        method: 'POST',
        path: `/accounts/${accountId}/key`,
        body: { scopes: ['catalog:read'] },
        other: { body: {} },
        shownOnce: 'apiKey',
        count: issued,
        by: 1,
      },
      'POST /products': {
        method: 'POST',
        path: '/products',
        body: { name: 'Twice', priceUsdt: 2.5 },
        other: { body: { name: 'Twice', priceUsdt: 2.51 } },
        count: total('/products?limit=1000', 'products'),
        by: 1,
      },
      'POST /products/{id}/stock': {
        method: 'POST',
        path: `/products/${productId}/stock?allowDuplicates=true&source=here`,
        body: { items: ['a', 'a', 'b'] },
        other: { path: `/products/${productId}/stock?source=here` },
        count: onSale,
        by: 3,
      },
      'POST /products/{id}/stock of nothing new': {
        method: 'POST',
        path: `/products/${productId}/stock?allowDuplicates=false`,
        body: { items: ['a', 'b'] },
        other: { body: { items: ['a'] } },
        count: onSale,
        by: 0,
      },
      'DELETE /products/{id}/stock': {
        method: 'DELETE',
        path: `/products/${productId}/stock?count=2`,
        other: { path: `/products/${productId}/stock?count=1` },
        count: onSale,
        by: -2,
      },
      'POST /orders': {
        method: 'POST',
        path: '/orders',
        body: { accountId: accountId, productId },
        other: { body: { accountId: accountId, productId, quantity: 2 } },
        count: total(`/orders?productId=${productId}`, 'orders'),
        by: 1,
      },
      'POST /suppliers': {
        method: 'POST',
        path: '/suppliers',
        body: { name: 'Twice', url: 'http://127.0.0.1:9', secret: 'shared with the supplier' },
        other: { body: { name: 'Twice', url: 'http://127.0.0.1:9', secret: 'shared with the other one' } },
        count: total('/suppliers', 'suppliers'),
        by: 1,
      },
      'POST /operators': {
        method: 'POST',
        path: '/operators',
        body: { name: 'twice', role: 'viewer' },
        other: { body: { name: 'twice', role: 'stock' } },
        shownOnce: 'token',
        count: total('/operators?limit=1000', 'operators'),
        by: 1,
      },
    });

    const send = (
      { method, path, body }: Pick<Call, 'method' | 'path' | 'body'>,
      key: string,
      by: OperatorClient = scene.node.operator,
    ) => by.json(method, path, body, { 'idempotency-key': key });
    const withReason = (call: Call): Call =>
      call.body === undefined
        ? { ...call, path: `${call.path}&reason=again` }
        : { ...call, body: { ...(call.body as object), reason: 'again' } };
    const fieldsOf = (text: string, ...without: string[]) =>
      Object.fromEntries(
        Object.entries(JSON.parse(text) as Json).filter(
          ([name]) => !['requestId', ...without].includes(name),
        ),
      );

    test('happen once, and the second answer says what the first one did', async () => {
      productId = await scene.product({ name: 'Sold twice' });
      accountId = Number((await scene.json('POST', '/accounts', { name: 'Asked twice' })).accountId);
      for (const [name, call] of Object.entries(calls())) {
        const before = await call.count();
        const both = await Promise.all([send(call, name), send(withReason(call), name)]);
        assert.equal((await call.count()) - before, call.by, name);
        const [first, second] = 'repeated' in JSON.parse(both[0].text) ? both.toReversed() : both;
        assert.deepEqual([first?.status, second?.status], [call.method === 'POST' ? 201 : 200, 200], name);
        const repeated = fieldsOf(second?.text ?? '');
        assert.deepEqual(
          { ...fieldsOf(first?.text ?? '', call.shownOnce ?? ''), repeated: true },
          repeated,
          name,
        );
        for (const field of ['apiKey', 'token']) scene.secrets.push(...shown(first?.text, field));
        assertRefused(await send({ ...call, ...call.other }, name), 409, 'IDEMPOTENCY_CONFLICT');
        for (const malformed of ['k'.repeat(129), ''])
          assertRefused(await send(call, malformed), 400, 'BAD_REQUEST');
        assert.equal((await call.count()) - before, call.by, name);
      }
      const body = { name: 'Twice', priceUsdt: 1 };
      const across = await send({ method: 'POST', path: '/products', body }, 'POST /accounts');
      assertRefused(across, 409, 'IDEMPOTENCY_CONFLICT');
    });

    test('are known after a start, and an operator has keys of his own', async () => {
      const answers = new Map<string, string>();
      for (const [name, call] of Object.entries(calls())) answers.set(name, (await send(call, name)).text);
      await scene.node.restart();
      for (const [name, call] of Object.entries(calls())) {
        assert.deepEqual(fieldsOf((await send(call, name)).text), fieldsOf(answers.get(name) ?? ''), name);
      }
      const { client } = await scene.operator('keyholder', 'stock');
      const { 'POST /products': product } = calls();
      if (product === undefined) assert.fail();
      assert.equal((await send(product, 'POST /products', client)).status, 201);
      assert.equal((await send(product, 'POST /products', client)).status, 200);
    });

    test('by commands happen once behind a proxy that hangs up on each first answer, and what was lost is said', async () => {
      const proxy = await listenAsForgetfulProxy(scene.node.operatorUrl);
      const { operator } = scene.node;
      const shelf = await scene.product({ allowDuplicates: true });
      const filled = await scene.product();
      await scene.upload(filled, ['ra', 'rb', 'rc', 'rd']);
      const token = readFileSync(join(scene.node.folder.path, 'operator-token'), 'utf8').trim();
      const env = { PURSER_OPERATOR_URL: proxy.url, PURSER_OPERATOR_TOKEN: token };
      const secret = 'shared with a supplier';
      const commands: [line: string, says: RegExp, stdin?: string][] = [
        ['account create --name Forgotten', /name: +Forgotten/],
        [`key issue ${accountId}`, /nobody has it. Issue another: purser key issue/],
        ['product create --name Forgotten --price 1', /name: +Forgotten/],
        [`stock withdraw ${filled} --count 2`, /^ra\nrb$/m],
        [`order open ${accountId} ${filled}`, /orderId: /],
        [
          'supplier create --name Forgotten --url http://127.0.0.1:9 --secret-file -',
          /name: +Forgotten/,
          secret,
        ],
        [
          'operator create --name forgotten --role viewer',
          /nobody has it. Make another: purser operator rotate/,
        ],
      ];
      await Promise.all(
        commands.map(async ([line, says, stdin = '']) => {
          const { exitCode, stdout, stderr } = await purser(line.split(' '), { env, stdin });
          assert.equal(exitCode, 0, stderr);
          assert.match(stdout + stderr, says);
        }),
      );
      const folder = await createTemporaryFolder('items');
      const file = join(folder.path, 'items.txt');
      writeFileSync(file, 'rx\nrx\nry\n');
      const upload = ['stock', 'add', String(shelf), file];
      const { stdout } = await purser(upload, { env });
      assert.match(stdout, /added: +3\n/);
      await folder.remove();
      proxy.close();
      assert.equal(proxy.keys.size, commands.length + 1);
      for (const [path, name] of [
        ['/accounts?search=Forgotten', 'accounts'],
        ['/products?search=Forgotten', 'products'],
        [`/orders?productId=${filled}`, 'orders'],
      ] as const) {
        assert.equal((await scene.rows(path, name)).length, 1, path);
      }
      assert.equal((await operator.getProduct(shelf)).body.availableStock, 3);
      assert.equal((await operator.getProduct(filled)).body.availableStock, 2);
    });

    test('use up no key when they are refused', async () => {
      const body = { accountId: accountId, productId: 999_999 };
      const call = { method: 'POST', path: '/orders', body } as const;
      assertRefused(await send(call, 'refused'), 404, 'NOT_FOUND');
      assert.equal((await send({ ...call, body: { ...body, productId } }, 'refused')).status, 201);
    });
  },
};

function shown(text = '{}', field: string): string[] {
  const value = (JSON.parse(text) as Json)[field];
  return typeof value === 'string' ? [value] : [];
}

/** A proxy before a node that passes each call on, and hangs up in place of the first answer to each key. */
async function listenAsForgetfulProxy(operatorUrl: string) {
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const { host: _, connection: __, ...others } = headers;
    const target = new URL(url, operatorUrl);
    const passed = await httpRequest(
      { ...urlToHttpOptions(target), method, headers: others },
      await buffer(request),
    );
    const key = String(headers['idempotency-key']);
    if (headers['idempotency-key'] !== undefined && !seen.has(key)) {
      seen.add(key);
      request.socket.destroy();
    } else response.writeHead(passed.status, { 'content-type': 'application/json' }).end(passed.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/operator/v1`, keys: seen, close: () => server.close() };
}
