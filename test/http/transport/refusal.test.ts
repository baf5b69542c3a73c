/**
 * What each server answers by itself, without the program: the table of docs/http.md, row by row. Most rows
 * are no HTTP, some are HTTP that one of the servers doesn't speak. No connection stays open for 15 seconds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../../src/http/transport/transport.ts';
import { sleepAwake } from '../../support/awake-time.ts';
import { head, RawClient } from './raw-client.ts';
import { openNode, serve, TRANSPORTS } from './under-test.ts';

/**
 * `served`: the program answered. `too-slow`: it did, but had waited in vain for the body. `refused`: the 400 that
 * the program gave the transport to say. A number: the server's own answer with this status. `closed`: the connection
 * closed without a word.
 */
type Outcome = 'served' | 'too-slow' | 'refused' | 'closed' | 400 | 431 | 505;

interface Row {
  readonly what: string;
  readonly bytes: string;
  readonly uws: Outcome;
  readonly node: Outcome;
}

const LONGEST_MS = 15_000;
const BODY = '4\r\nbody\r\n';

function post(headers: readonly string[], body: string): string {
  return head('POST', '/', headers) + body;
}

const rows: readonly Row[] = [
  { what: 'target *', bytes: head('OPTIONS', '*'), uws: 505, node: 'served' },
  { what: 'a whole URL as target', bytes: head('GET', 'http://test/'), uws: 505, node: 'served' },
  { what: 'CONNECT', bytes: head('CONNECT', 'test:443'), uws: 505, node: 'refused' },
  { what: 'a method node does not know', bytes: head('FROB', '/'), uws: 'served', node: 'refused' },
  { what: 'HTTP/1.0', bytes: 'GET / HTTP/1.0\r\nhost: test\r\n\r\n', uws: 505, node: 'served' },
  { what: 'HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', uws: 505, node: 'refused' },
  { what: 'a line that is no request', bytes: 'NONSENSE\r\n\r\n', uws: 'closed', node: 'refused' },
  {
    what: 'an empty line before the request',
    bytes: `\r\n${head('GET', '/')}`,
    uws: 'closed',
    node: 'served',
  },
  { what: 'half a head', bytes: 'GET / HTTP/1.1\r\nhost: te', uws: 'closed', node: 'refused' },
  { what: 'nothing', bytes: '', uws: 'closed', node: 'closed' },
  {
    what: 'a head of 15 KiB',
    bytes: head('GET', '/', [`x: ${'x'.repeat(15 * 1024)}`]),
    uws: 'served',
    node: 'served',
  },
  {
    what: 'a head over 16 KiB',
    bytes: head('GET', '/', [`x: ${'x'.repeat(16 * 1024)}`]),
    uws: 431,
    node: 'refused',
  },
  {
    what: 'a target over 16 KiB',
    bytes: head('GET', `/${'x'.repeat(16 * 1024)}`),
    uws: 431,
    node: 'refused',
  },
  {
    what: '98 headers',
    bytes: head(
      'GET',
      '/',
      Array.from({ length: 97 }, (_, i) => `x-${i}: x`),
    ),
    uws: 'served',
    node: 'served',
  },
  {
    what: '99 headers',
    bytes: head(
      'GET',
      '/',
      Array.from({ length: 98 }, (_, i) => `x-${i}: x`),
    ),
    uws: 431,
    node: 'served',
  },
  { what: 'no Host', bytes: 'GET / HTTP/1.1\r\nx: y\r\n\r\n', uws: 400, node: 'refused' },
  { what: 'two Hosts', bytes: head('GET', '/', ['host: other']), uws: 'served', node: 'refused' },
  { what: 'NUL in a header', bytes: head('GET', '/', ['x: a\0b']), uws: 'closed', node: 'refused' },
  { what: 'a space in a header name', bytes: head('GET', '/', ['x y: a']), uws: 'closed', node: 'refused' },
  { what: 'a folded header', bytes: head('GET', '/', ['x: a\r\n b']), uws: 'closed', node: 'refused' },
  {
    what: 'Content-Length and Transfer-Encoding',
    bytes: post(['content-length: 4', 'transfer-encoding: chunked'], `${BODY}0\r\n\r\n`),
    uws: 400,
    node: 'refused',
  },
  {
    what: 'a Content-Length that is no number',
    bytes: post(['content-length: +4'], 'body'),
    uws: 400,
    node: 'refused',
  },
  {
    what: 'two Content-Lengths, the first true',
    bytes: post(['content-length: 4', 'content-length: 5'], 'body'),
    uws: 'served',
    node: 'refused',
  },
  {
    what: 'a transfer coding besides chunked',
    bytes: post(['transfer-encoding: gzip, chunked'], `${BODY}0\r\n\r\n`),
    uws: 'served',
    node: 'refused',
  },
  {
    what: 'a chunk size that is no number',
    bytes: post(['transfer-encoding: chunked'], 'zz\r\nbody\r\n0\r\n\r\n'),
    uws: 400,
    node: 'refused',
  },
  {
    what: 'trailers',
    bytes: post(['transfer-encoding: chunked'], `${BODY}0\r\nx: y\r\n\r\n`),
    uws: 505,
    node: 'served',
  },
  {
    what: 'a chunk extension',
    bytes: post(['transfer-encoding: chunked'], '4;a=b\r\nbody\r\n0\r\n\r\n'),
    uws: 'too-slow',
    node: 'served',
  },
  { what: 'an expectation nobody knows', bytes: post(['expect: x'], ''), uws: 'served', node: 'served' },
  {
    what: 'an upgrade',
    bytes: head('GET', '/', ['connection: upgrade', 'upgrade: h2c']),
    uws: 'served',
    node: 'served',
  },
];

/** Reads the body and answers a moment later, as a purchase does. */
function answering(exchange: Exchange): void {
  exchange.readBody(100, (body) => {
    const answer = body === 'too-slow' ? body : 'served';
    if (body !== 'aborted') setTimeout(() => exchange.reply(200, [], answer), 5);
  });
}

async function outcomeOf(bytes: string, port: number): Promise<string | number> {
  const client = await RawClient.connect(port);
  client.socket.write(bytes, 'latin1');
  const closed = client.closed.then(() => 'closed');
  const reply = await Promise.race([client.reply().catch(() => 'closed'), sleepAwake(LONGEST_MS, 'open')]);
  if (typeof reply === 'string') return reply;
  const served = reply.body === 'served';
  // An answer of the server's own is the last on its connection.
  if (!served) assert.equal(await Promise.race([closed, sleepAwake(LONGEST_MS, 'open')]), 'closed');
  client.close();
  if (served) return 'served';
  if (reply.body === 'too-slow') return reply.body;
  return reply.headers.get('x-refused') === 'yes' && reply.status === 400 ? 'refused' : reply.status;
}

test('what a server answers by itself', { concurrency: true, timeout: 180_000 }, async (t) => {
  const cases = TRANSPORTS.flatMap(({ name, open, skip }) =>
    rows.map((row) =>
      t.test(`to ${row.what} is ${row[name]}, on ${name}`, { skip }, async () => {
        await using server = await serve(open, answering);
        assert.equal(await outcomeOf(row.bytes, server.port), row[name]);
        assert.deepEqual(server.faults, []);
        const next = await fetch(`http://127.0.0.1:${server.port}/`);
        assert.equal(await next.text(), 'served', 'others are served');
      }),
    ),
  );
  await Promise.all(cases);
});

test('a first line cut up over segments', { timeout: 180_000 }, async (t) => {
  const request = head('GET', '/path');
  const line = request.slice(0, request.indexOf('\r\n') + 2);
  for (const { name, open, skip } of TRANSPORTS) {
    const what =
      name === 'uws' ? 'is refused with 505 when cut behind the method or in the version' : 'is read';
    await t.test(`${what}, on ${name}`, { skip }, async () => {
      await using server = await serve(open, answering);
      for (let cut = 1; cut <= line.length; cut += 1) {
        const client = await RawClient.connect(server.port);
        client.send(request.slice(0, cut));
        const refused = cut === 'GET '.length || (cut > 'GET /path'.length && cut < line.length);
        if (name === 'node' || !refused) {
          await sleep(10);
          client.send(request.slice(cut));
        }
        const { status } = await client.reply();
        assert.equal(status, name === 'uws' && refused ? 505 : 200, JSON.stringify(line.slice(0, cut)));
        client.close();
      }
    });
  }
});

test('bytes beyond ASCII at the ends of a header value', async (t) => {
  for (const { name, open, skip } of TRANSPORTS) {
    await t.test(
      `${name === 'uws' ? 'are cut off' : 'reach the program'}, on ${name}`,
      { skip },
      async () => {
        await using server = await serve(open, (exchange) => {
          exchange.reply(200, [], exchange.header('x') ?? '');
        });
        const client = await RawClient.connect(server.port);
        client.socket.write(head('GET', '/', ['x: \xe9k\xe9l\xe8']), 'latin1');
        assert.equal((await client.reply()).body, name === 'uws' ? 'k\xe9l' : '\xe9k\xe9l\xe8');
        client.close();
      },
    );
  }
});

test('a second request before the reply', { concurrency: true, timeout: 180_000 }, async (t) => {
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

test('a flood of requests before the first reply is cut off, on node', async () => {
  let handled = 0;
  await using server = await serve(openNode, () => {
    handled += 1;
  });
  const client = await RawClient.connect(server.port);
  client.send(head('GET', '/').repeat(1000));
  await client.closed;
  assert.deepEqual([handled, client.received], [1, '']);
});
