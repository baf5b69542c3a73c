/**
 * Whom the operators' listener answers, by which names and from which pages; and what it tells browsers with every answer,
 * whatever its status and type: to take it for nothing but what it says, and to run, load, frame and store nothing of it.
 */
import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { ANSWERS_TO_BROWSERS } from '../../../src/http/pages/page-files.ts';
import { openNodeTransport } from '../../../src/http/transport/node.ts';
import { listen } from '../../../src/node/listeners.ts';
import { httpRequest } from '../../support/http-request.ts';
import type { OperatorCases, OperatorScene } from './operator-scene.ts';

const OPERATOR = '/operator/v1';
/** `makers`: the policies by which a script may make markup of a text. */
const toldWith = (makers: string) => ({
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; " +
    `trusted-types ${makers}`,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
});
const TOLD = toldWith("'none'");

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const STRANGER = { headers: { authorization: '' } };
const ANSWERS: [call: string, status: number, type: string, sent?: Sent][] = [
  [`GET ${OPERATOR}/accounts`, 200, 'application/json'],
  [`GET ${OPERATOR}/live`, 200, 'application/json', STRANGER],
  [`GET ${OPERATOR}/feed?after=0`, 200, 'application/x-ndjson'],
  [`GET ${OPERATOR}/accounts/1/statement`, 200, 'text/csv', { headers: { accept: 'text/csv' } }],
  ['GET /console', 200, 'text/html'],
  ['GET /docs', 200, 'text/html'],
  ['GET /', 308, ''],
  [`POST ${OPERATOR}/accounts`, 400, 'application/json', { body: '{' }],
  [`GET ${OPERATOR}/accounts`, 401, 'application/json', STRANGER],
  [`GET ${OPERATOR}/accounts`, 403, 'application/json', { headers: { host: 'evil.example' } }],
  ['GET /docs', 403, 'application/json', { headers: { origin: 'http://evil.example' } }],
  ['DELETE /nonsense', 404, 'application/json'],
];

const HOSTS = {
  in: [
    ...['127.0.0.1', '127.0.0.1:8081', '10.1.2.3:1', '[::1]', '[FE80::1]:8081', '[::ffff:127.0.0.1]'],
    ...['localhost', 'LocalHost:9999', 'localhost.', 'PURSER.example.:443', 'shop.internal:8081'],
  ],
  out: [
    ...['evil.example', 'evil.example:8081', 'localhost.evil.example', 'evil.localhost', '', '.'],
    ...['purser.example.evil.example', 'sub.purser.example', 'purser.example..', '127.0.0.1.nip.io'],
    // Other ways to write 127.0.0.1: a browser writes none of them.
    ...['2130706433', '0x7f.1', '127.1', '::1', '[::1', '[::1%25lo]', '[evil.example]', 'localhost:'],
    ...['localhost:port', 'localhost:8081:8081', 'localhost@evil.example', 'evil.example@localhost'],
  ],
};
const PAGES: Record<'in' | 'out', [host: string, origin: string][]> = {
  in: [
    ['LOCALHOST:8081', 'http://localhost:8081'],
    ['[::1]:8081', 'http://[::1]:8081'],
    ['purser.example', 'https://purser.example'],
    ['purser.example:8443', 'https://purser.example:8443'],
  ],
  out: [
    ['localhost:8081', 'http://localhost:3000'],
    ['localhost:8081', 'http://127.0.0.1:8081'],
    ['localhost:8081', 'http://purser.example:8081'],
    ['purser.example', 'https://purser.example:8443'],
    ['localhost:8081', 'http://localhost:8081.evil.example'],
    ['localhost:8081', 'http://localhost:8081/'],
    ['localhost:8081', 'null'],
    ['evil.example', 'http://evil.example'],
  ],
};

export const browsers: OperatorCases = {
  title: 'browsers',
  define(scene: OperatorScene) {
    const urlOf = (path: string) => new URL(path, scene.node.operatorUrl);

    /** The head of the answer; of the feed, which has no end, there is no more. */
    async function asked(url: string | URL, method: string, { headers = {}, body }: Sent = {}, token = '') {
      const sent = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
      return new Promise<IncomingMessage>((resolve, reject) => {
        const outgoing = request(url, { method, headers: sent, agent: false }, (response) => {
          response.destroy();
          resolve(response);
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      });
    }

    /** Bytes that no client of HTTP sends, and the answer to them. */
    async function answered(bytes: string): Promise<string> {
      const { hostname, port } = urlOf('/');
      const socket = connect({ host: hostname, port: Number(port) });
      socket.end(bytes);
      return await text(socket);
    }

    test('each answer tells them the same', async () => {
      const { token } = await scene.operator('browser', 'owner');
      for (const [call, status, type, sent] of ANSWERS) {
        const [method = '', path = ''] = call.split(' ');
        const answer = await asked(urlOf(path), method, sent, token);
        const [bare = ''] = (answer.headers['content-type'] ?? '').split(';');
        assert.deepEqual([answer.statusCode, bare], [status, type], call);
        const isOfDocs = path.startsWith('/docs') && status === 200;
        assertTold(answer.headersDistinct, isOfDocs ? toldWith('dompurify default') : TOLD);
      }
    });

    for (const [what, bytes] of [
      ['no HTTP', 'nonsense\r\n\r\n'],
      ['no Host', `GET ${OPERATOR}/live HTTP/1.1\r\n\r\n`],
      ['CONNECT', 'CONNECT elsewhere:443 HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ] as const) {
      test(`so does what answers ${what}`, async () => {
        const [head = ''] = (await answered(bytes)).split('\r\n\r\n');
        assert.match(head, /^HTTP\/1\.1 400 /);
        const headers: Record<string, string[]> = {};
        for (const line of head.split('\r\n').slice(1)) {
          const [name = '', value = ''] = line.split(': ');
          headers[name] = [...(headers[name] ?? []), value];
        }
        assertTold(headers, TOLD);
      });
    }

    test('so does 500', async () => {
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

    async function live(
      headers: Record<string, string | string[]>,
      path = `${OPERATOR}/live`,
      method = 'GET',
    ) {
      const { hostname: host, port } = urlOf('/');
      const reply = await httpRequest({ host, port, path, method, headers, setHost: false });
      const { error = '', message = '' } = JSON.parse(reply.text || '{}') as Record<string, string>;
      return { seen: [reply.status, error], message };
    }
    const IN = [200, ''];
    const OUT = [403, 'FORBIDDEN'];

    test('it answers by its own names and by addresses, and by no other', async () => {
      for (const host of HOSTS.in) assert.deepEqual((await live({ host })).seen, IN, host);
      for (const host of HOSTS.out) assert.deepEqual((await live({ host })).seen, OUT, host);
      const { message } = await live({ host: 'Console.example:8081' });
      assert.match(message, /start the node with --operator-name console\.example\.$/);
      assert.match(await answered(`GET ${OPERATOR}/live HTTP/1.0\r\n\r\n`), /^HTTP\/1\.1 403 .*"FORBIDDEN"/s);
    });

    test('it answers its own pages, and no others', async () => {
      for (const [host, origin] of PAGES.in)
        assert.deepEqual((await live({ host, origin })).seen, IN, origin);
      for (const [host, origin] of PAGES.out)
        assert.deepEqual((await live({ host, origin })).seen, OUT, origin);
      const several = ['http://localhost:8081', 'http://evil.example'];
      assert.deepEqual((await live({ host: 'localhost:8081', origin: several })).seen, OUT);
    });

    test('whatever is asked, with whatever method, and before a token is looked at', async () => {
      const foreign = [{ host: 'evil.example' }, { host: 'localhost', origin: 'http://evil.example' }];
      for (const path of [
        '/docs',
        '/console',
        `${OPERATOR}/live`,
        '/metrics',
        `${OPERATOR}/accounts`,
        '/x',
      ]) {
        for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD']) {
          for (const headers of foreign)
            assert.equal((await live(headers, path, method)).seen[0], 403, `${method} ${path}`);
        }
      }
    });
  },
};

/** Each once: of two policies a browser would keep both. */
function assertTold(
  headers: Readonly<Record<string, readonly string[] | undefined>>,
  expected: Readonly<Record<string, string>>,
): void {
  const told = Object.keys(expected).map((name) => [name, headers[name]]);
  assert.deepEqual(
    told,
    Object.entries(expected).map(([name, value]) => [name, [value]]),
  );
}
