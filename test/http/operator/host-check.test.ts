/**
 * Whom the operators' listener answers: by which names it may be called, and from which pages. The same rule holds for all
 * that it serves.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { httpRequest } from '../../support/http-request.ts';
import { QuietNode } from '../../support/quiet-node.ts';

/** Everything that is served without a token, and one call that needs one. */
const PATHS = [
  '/docs',
  '/operator/v1/live',
  '/operator/v1/openapi.json',
  '/metrics',
  '/operator/v1/accounts',
  '/x',
];

describe('the operators’ listener', () => {
  let node: QuietNode;
  let port: string;
  before(async () => {
    node = await QuietNode.start('host-check', {
      operatorHost: 'localhost',
      operatorName: 'Purser.example,shop.internal.',
    });
    ({ port } = new URL(node.operatorUrl));
  });
  after(() => node.close());

  async function asked(
    headers: Record<string, string | string[]>,
    path = '/operator/v1/live',
    method = 'GET',
  ) {
    const reply = await httpRequest({ host: 'localhost', port, path, method, headers, setHost: false });
    const { error = '', message = '' } = JSON.parse(reply.text || '{}') as Record<string, string>;
    return { status: reply.status, error, message };
  }

  const hosts: [host: string, isIn: boolean][] = [
    ['127.0.0.1', true],
    ['127.0.0.1:8081', true],
    ['10.1.2.3:1', true],
    ['[::1]', true],
    ['[::1]:8081', true],
    ['[FE80::1]:8081', true],
    ['[::ffff:127.0.0.1]', true],
    ['localhost', true],
    ['LocalHost:9999', true],
    ['localhost.', true],
    ['purser.example', true],
    ['PURSER.example.:443', true],
    ['shop.internal:8081', true],
    ['evil.example', false],
    ['evil.example:8081', false],
    ['localhost.evil.example', false],
    ['evil.localhost', false],
    ['purser.example.evil.example', false],
    ['sub.purser.example', false],
    ['purser.example..', false],
    ['127.0.0.1.evil.example', false],
    ['127.0.0.1.nip.io', false],
    // Other ways to write 127.0.0.1: a browser writes none of them.
    ['2130706433', false],
    ['0x7f.1', false],
    ['127.1', false],
    ['::1', false],
    ['[::1', false],
    ['[::1%25lo]', false],
    ['[evil.example]', false],
    ['localhost:', false],
    ['localhost:port', false],
    ['localhost:8081:8081', false],
    ['localhost@evil.example', false],
    ['evil.example@localhost', false],
    ['evil.example#localhost', false],
    ['evil.example/localhost', false],
    ['localhost evil.example', false],
    ['localhost, evil.example', false],
    ['http://localhost', false],
    ['%6cocalhost', false],
    ['.', false],
    ['a'.repeat(300), false],
    ['', false],
  ];
  for (const [host, isIn] of hosts) {
    test(`${isIn ? 'answers' : 'refuses'} Host ${JSON.stringify(host.slice(0, 40))}`, async () => {
      const { status, error } = await asked({ host });
      assert.deepEqual([status, error], isIn ? [200, ''] : [403, 'FORBIDDEN']);
    });
  }

  test('a refusal says what to do about the name', async () => {
    const { message } = await asked({ host: 'Console.example:8081' });
    assert.match(message, /start the node with --operator-name console\.example\.$/);
  });

  test('refuses a request of HTTP/1.0 without Host', async () => {
    const socket = connect({ host: 'localhost', port: Number(port) });
    socket.end('GET /operator/v1/live HTTP/1.0\r\n\r\n');
    assert.match(await text(socket), /^HTTP\/1\.1 403 .*"FORBIDDEN".*--operator-name/s);
  });

  const origins: [host: string, origin: string, isIn: boolean][] = [
    ['localhost:8081', 'http://localhost:8081', true],
    ['LOCALHOST:8081', 'http://localhost:8081', true],
    ['127.0.0.1:8081', 'http://127.0.0.1:8081', true],
    ['[::1]:8081', 'http://[::1]:8081', true],
    ['purser.example', 'http://purser.example', true],
    ['purser.example', 'https://purser.example', true],
    ['purser.example:443', 'https://purser.example', true],
    ['purser.example:8443', 'https://purser.example:8443', true],
    ['localhost:8081', 'http://localhost:3000', false],
    ['localhost:8081', 'http://localhost', false],
    ['localhost:8081', 'http://127.0.0.1:8081', false],
    ['localhost:8081', 'http://purser.example:8081', false],
    ['purser.example', 'https://purser.example:8443', false],
    ['purser.example:80', 'https://purser.example', false],
    ['localhost:8081', 'https://evil.example', false],
    ['localhost:8081', 'http://localhost:8081.evil.example', false],
    ['localhost:8081', 'http://localhost:8081@evil.example', false],
    ['localhost:8081', 'http://localhost:8081/', false],
    ['localhost:8081', 'localhost:8081', false],
    ['localhost:8081', 'file://localhost:8081', false],
    ['localhost:8081', 'chrome-extension://localhost:8081', false],
    ['localhost:8081', 'null', false],
    ['localhost:8081', '', false],
    ['evil.example', 'http://evil.example', false],
  ];
  for (const [host, origin, isIn] of origins) {
    test(`${isIn ? 'answers' : 'refuses'} a page of ${JSON.stringify(origin)} at ${host}`, async () => {
      const { status, error } = await asked({ host, origin });
      assert.deepEqual([status, error], isIn ? [200, ''] : [403, 'FORBIDDEN']);
    });
  }

  test('of several Origins all must be its own', async () => {
    const own = `http://localhost:${port}`;
    const { status } = await asked({ host: `localhost:${port}`, origin: [own, 'http://evil.example'] });
    assert.equal(status, 403);
  });

  test('whatever is asked, with whatever method, and before a token is looked at', async () => {
    for (const path of PATHS) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
        for (const headers of [
          { host: 'evil.example' },
          { host: 'localhost', origin: 'http://evil.example' },
        ]) {
          assert.equal((await asked(headers, path, method)).status, 403, `${method} ${path}`);
        }
      }
    }
  });

  test('a name in the address that it listens on needs not be given again', async () => {
    const named = await QuietNode.start('host-check-named', { operatorHost: 'localhost' });
    const reply = await named.operator.json('GET', '/live');
    assert.equal(reply.status, 200);
    await named.close();
  });
});
