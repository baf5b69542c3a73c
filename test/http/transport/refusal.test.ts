/**
 * The answers of each server by itself, without the program: the table of docs/http.md, row by row. Most rows are no
 * HTTP, some are HTTP that one of the servers doesn't speak. Answers after some seconds of silence are in
 * `test/suites/fuzz/slow-client.test.ts`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Exchange } from '../../../src/http/transport/transport.ts';
import { head, RawClient } from './raw-client.ts';
import { serve, TRANSPORTS } from './under-test.ts';

/**
 * `served`: the program answered. `refused`: the 400 that the program gave the transport to say. A number: the server's
 * own answer with this status.
 */
type Outcome = 'served' | 'refused' | 400 | 431 | 505;

const BODY = '4\r\nbody\r\n';
const get = (...headers: string[]) => head('GET', '/', headers);
const post = (headers: readonly string[], body: string) => head('POST', '/', headers) + body;
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `x-${i}: x`);
const CHUNKED = ['transfer-encoding: chunked'];

type Row = readonly [what: string, bytes: string, onUws: Outcome, onNode: Outcome];

const ROWS: readonly Row[] = [
  ['target *', head('OPTIONS', '*'), 505, 'served'],
  ['a whole URL as target', head('GET', 'http://test/'), 505, 'served'],
  ['CONNECT', head('CONNECT', 'test:443'), 505, 'refused'],
  ['a method node does not know', head('FROB', '/'), 'served', 'refused'],
  ['HTTP/1.0', 'GET / HTTP/1.0\r\nhost: test\r\n\r\n', 505, 'served'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505, 'refused'],
  ['a head of 15 KiB', get(`x: ${'x'.repeat(15 * 1024)}`), 'served', 'served'],
  ['a head over 16 KiB', get(`x: ${'x'.repeat(16 * 1024)}`), 431, 'refused'],
  ['a target over 16 KiB', head('GET', `/${'x'.repeat(16 * 1024)}`), 431, 'refused'],
  ['98 headers', get(...numbered(97)), 'served', 'served'],
  ['99 headers', get(...numbered(98)), 431, 'served'],
  ['no Host', 'GET / HTTP/1.1\r\nx: y\r\n\r\n', 400, 'refused'],
  ['two Hosts', get('host: other'), 'served', 'refused'],
  [
    'Content-Length and Transfer-Encoding',
    post(['content-length: 4', ...CHUNKED], `${BODY}0\r\n\r\n`),
    400,
    'refused',
  ],
  ['a Content-Length that is no number', post(['content-length: +4'], 'body'), 400, 'refused'],
  [
    'two Content-Lengths, the first true',
    post(['content-length: 4', 'content-length: 5'], 'body'),
    'served',
    'refused',
  ],
  [
    'a transfer coding besides chunked',
    post(['transfer-encoding: gzip, chunked'], `${BODY}0\r\n\r\n`),
    'served',
    'refused',
  ],
  ['a chunk size that is no number', post(CHUNKED, 'zz\r\nbody\r\n0\r\n\r\n'), 400, 'refused'],
  ['trailers', post(CHUNKED, `${BODY}0\r\nx: y\r\n\r\n`), 505, 'served'],
  ['an expectation nobody knows', post(['expect: x'], ''), 'served', 'served'],
  ['an upgrade', get('connection: upgrade', 'upgrade: h2c'), 'served', 'served'],
];

/** Reads the body and answers a moment later, as a purchase does. */
function answering(exchange: Exchange): void {
  exchange.readBody(100, (body) => {
    if (body !== 'aborted') setTimeout(() => exchange.reply(200, [], 'served'), 5);
  });
}

async function outcomeOf(bytes: string, port: number): Promise<string | number> {
  const client = await RawClient.connect(port);
  client.socket.write(bytes, 'latin1');
  const reply = await client.reply();
  if (reply.body === 'served') {
    client.close();
    return 'served';
  }
  // An answer of the server's own is the last on its connection.
  await client.closed;
  return reply.headers.get('x-refused') === 'yes' && reply.status === 400 ? 'refused' : reply.status;
}

for (const { name, open, skip } of TRANSPORTS) {
  test(`what a server answers by itself, on ${name}`, { skip }, async (t) => {
    await using server = await serve(open, answering);
    for (const [what, bytes, onUws, onNode] of ROWS) {
      const expected = name === 'uws' ? onUws : onNode;
      await t.test(`to ${what} is ${expected}`, async () => {
        assert.equal(await outcomeOf(bytes, server.port), expected);
        assert.deepEqual(server.faults, []);
        const next = await fetch(`http://127.0.0.1:${server.port}/`);
        assert.equal(await next.text(), 'served', 'others are served');
      });
    }
  });
}

test('a second request before the reply', async (t) => {
  const two = post(['content-length: 4'], 'body').repeat(2);
  const cases = TRANSPORTS.map(({ name, open, skip }) =>
    t.test(
      name === 'node' ? 'gets none, the first does, on node' : `loses both, on ${name}`,
      { skip },
      async () => {
        let handled = 0;
        await using server = await serve(open, (exchange) => {
          handled += 1;
          answering(exchange);
        });
        for (const bytes of [two, post(['content-length: 4'], 'body') + '\0'.repeat(100)]) {
          handled = 0;
          const client = await RawClient.connect(server.port);
          client.socket.write(bytes, 'latin1');
          await client.closed;
          assert.equal(handled, 1);
          assert.equal(client.received.includes('\r\n\r\nserved'), name === 'node');
          if (name === 'node') assert.match(client.received, /connection: close/i);
        }
      },
    ),
  );
  await Promise.all(cases);
});
