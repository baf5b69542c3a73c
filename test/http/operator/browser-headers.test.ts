/**
 * What browsers are told with every answer of the operators' listener, whatever its status and its type: to take it for
 * nothing but what it says, and to run, load, frame and store nothing of it.
 */
import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { ANSWERS_TO_BROWSERS } from '../../../src/http/page-files.ts';
import { openNodeTransport } from '../../../src/http/transport/node.ts';
import { listen } from '../../../src/listeners.ts';
import { ok } from '../../support/operator-client.ts';
import { QuietNode } from '../../support/quiet-node.ts';

const OPERATOR = '/operator/v1';
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
];
/** `makers`: the policies by which a script may make markup of a text. */
const toldWith = (makers: string) => ({
  'cache-control': 'no-store',
  'content-security-policy': [...POLICY, `trusted-types ${makers}`].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
});
const TOLD = toldWith("'none'");
const TOLD_BY_DOCS = toldWith('dompurify default');

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const FOREIGN_NAME = { headers: { host: 'evil.example' } };
const FOREIGN_PAGE = { headers: { origin: 'http://evil.example' } };
const STRANGER = { headers: { authorization: '' } };
const CSV = { headers: { accept: 'text/csv' } };
const CREDIT = (amountUsdt: number) => ({ body: JSON.stringify({ amountUsdt, reference: 'once' }) });

const ANSWERS: [call: string, status: number, type: string, sent?: Sent][] = [
  [`POST ${OPERATOR}/accounts`, 201, 'application/json', { body: '{"name":"Reseller"}' }],
  [`POST ${OPERATOR}/accounts/1/credits`, 201, 'application/json', CREDIT(1)],
  [`POST ${OPERATOR}/accounts/1/credits`, 409, 'application/json', CREDIT(2)],
  [`GET ${OPERATOR}/accounts`, 200, 'application/json'],
  [`HEAD ${OPERATOR}/accounts`, 200, 'application/json'],
  [`GET ${OPERATOR}/live`, 200, 'application/json', STRANGER],
  [`GET ${OPERATOR}/ready`, 200, 'application/json', STRANGER],
  [`GET ${OPERATOR}/openapi.json`, 200, 'application/json', STRANGER],
  ['GET /metrics', 200, 'text/plain'],
  [`GET ${OPERATOR}/feed?after=0`, 200, 'application/x-ndjson'],
  [`GET ${OPERATOR}/accounts/1/statement`, 200, 'text/csv', CSV],
  ['GET /console', 200, 'text/html'],
  ['GET /docs', 200, 'text/html'],
  ['GET /docs/start.js', 200, 'text/javascript'],
  ['GET /', 308, ''],
  [`GET ${OPERATOR}/accounts?nonsense=1`, 400, 'application/json'],
  [`POST ${OPERATOR}/accounts`, 400, 'application/json', { body: '{' }],
  [`POST ${OPERATOR}/accounts`, 400, 'application/json', { body: 'x'.repeat(1_000_000) }],
  [`GET ${OPERATOR}/accounts`, 401, 'application/json', STRANGER],
  [`GET ${OPERATOR}/accounts`, 403, 'application/json', FOREIGN_NAME],
  ['GET /docs', 403, 'application/json', FOREIGN_PAGE],
  [`GET ${OPERATOR}/accounts/99`, 404, 'application/json'],
  ['DELETE /nonsense', 404, 'application/json'],
];

describe('browsers are told the same', () => {
  let node: QuietNode;
  let token = '';
  before(async () => {
    node = await QuietNode.start('browser-headers');
    ({ token = '' } = await ok(node.operator.json('POST', '/operators', { name: 'anna', role: 'owner' })));
  });
  after(() => node.close());

  /** The head of the answer; of the feed, which has no end, there is no more. */
  function asked(url: string, method: string, { headers = {}, body }: Sent = {}): Promise<IncomingMessage> {
    const authorization = `Bearer ${token}`;
    const sent = { authorization, 'content-type': 'application/json', ...headers };
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { method, headers: sent, agent: false }, (response) => {
        response.destroy();
        resolve(response);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  for (const [call, status, type, sent] of ANSWERS) {
    test(`with ${status} ${type} of ${call} ${JSON.stringify(sent ?? {}).slice(0, 60)}`, async () => {
      const [method = '', path = ''] = call.split(' ');
      const answer = await asked(new URL(path, node.operatorUrl).href, method, sent);
      assert.equal(answer.statusCode, status);
      const [bare = ''] = (answer.headers['content-type'] ?? '').split(';');
      assert.equal(bare, type);
      const isOfDocs = path.startsWith('/docs') && status === 200;
      assertTold(answer.headersDistinct, isOfDocs ? TOLD_BY_DOCS : TOLD);
    });
  }

  for (const [what, bytes] of [
    ['no HTTP', 'nonsense\r\n\r\n'],
    ['no Host', `GET ${OPERATOR}/live HTTP/1.1\r\n\r\n`],
    ['CONNECT', 'CONNECT elsewhere:443 HTTP/1.1\r\nhost: localhost\r\n\r\n'],
  ] as const) {
    test(`with what answers ${what}`, async () => {
      const { port } = new URL(node.operatorUrl);
      const socket = connect({ host: '127.0.0.1', port: Number(port) });
      socket.end(bytes);
      const [head = ''] = (await text(socket)).split('\r\n\r\n');
      const [, ...lines] = head.split('\r\n');
      const headers: Record<string, string[]> = {};
      for (const line of lines) {
        const [name = '', value = ''] = line.split(': ');
        headers[name] = [...(headers[name] ?? []), value];
      }
      assert.match(head, /^HTTP\/1\.1 400 /);
      assertTold(headers, TOLD);
    });
  }

  test('with 500', async () => {
    const listener = await listen({
      host: '127.0.0.1',
      port: 0,
      transport: openNodeTransport(ANSWERS_TO_BROWSERS),
      requestIds: { next: () => 'req_1' },
      onFault: () => undefined,
      onExchange: () => assert.fail('a fault of ours'),
    });
    const answer = await asked(`http://127.0.0.1:${listener.port}/`, 'GET');
    assert.equal(answer.statusCode, 500);
    assertTold(answer.headersDistinct, TOLD);
    await listener.stop(0);
  });

  test('but buyers’ programs nothing that they don’t need', async () => {
    const { headers } = await node.buyers.raw('GET', '/health');
    const names = Object.keys(TOLD).filter((name) => headers[name] !== undefined);
    assert.deepEqual(names, ['cache-control']);
  });
});

/** Each once: of two policies a browser would keep both. */
function assertTold(
  headers: Readonly<Record<string, readonly string[] | undefined>>,
  expected: Readonly<Record<string, string>>,
): void {
  const told = Object.keys(expected).map((name) => [name, headers[name]]);
  assert.deepEqual(Object.fromEntries(told), mapped(expected));
}

function mapped(expected: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, [value]]));
}
