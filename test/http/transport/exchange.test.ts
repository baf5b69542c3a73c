/** From a request's head to its reply: what every transport must do the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../../src/http/transport/transport.ts';
import { eventually } from '../../support/eventually.ts';
import { head, RawClient } from './raw-client.ts';
import { FALLBACK_BODY, FREQUENT_POST, onBothTransports, serve } from './under-test.ts';

const MIB = 1024 * 1024;

onBothTransports('a request', (open, name) => {
  test('has method, path and query as sent, to a frequent path and to one that is nearly the same', async () => {
    await using server = await serve(open, (exchange) => {
      exchange.reply(200, [], JSON.stringify([exchange.method, exchange.path, exchange.query]));
    });
    const client = await RawClient.connect(server.port);
    const paths = [
      ...['/', '/a/b', '/a%2Fb/%c3%a9', '//double/', `/${'a/'.repeat(200)}`, FREQUENT_POST, '/a/often/'],
      ...['/a//often', '//a/often', '/a/Often', '/a/ofte%6e', '/a/often;x', '/a'],
    ];
    // Another method than POST, which node's parser doesn't know.
    const methods = ['POST', 'PATCH', 'GET', 'OPTIONS', ...(name === 'uws' ? ['post'] : [])];
    for (const path of paths) {
      for (const method of methods) {
        for (const [sent, query] of [
          ['', ''],
          ['?', ''],
          ['?x=1&y=%20&q=?', 'x=1&y=%20&q=?'],
        ]) {
          const reply = await client.request(method, `${path}${sent}`);
          assert.deepEqual(JSON.parse(reply.body), [method, path, query]);
        }
      }
    }
    client.close();
  });

  test('gives its headers: the first of several, or all of them', async () => {
    await using server = await serve(open, (exchange) => {
      const values = [exchange.header('x-key') ?? null, exchange.headerValues('x-key')];
      exchange.reply(200, [], JSON.stringify(values));
    });
    const client = await RawClient.connect(server.port);
    const cases: [sent: string[], first: string | null, all: string[]][] = [
      [[], null, []],
      [['X-Key:   one two  '], 'one two', ['one two']],
      [['x-key: one', 'x-other: 1', 'x-KEY: two, three'], 'one', ['one', 'two, three']],
    ];
    for (const [sent, first, all] of cases) {
      client.socket.write(head('GET', '/', sent), 'latin1');
      assert.deepEqual(JSON.parse((await client.reply()).body), [first, all]);
    }
    client.socket.write(head('GET', '/', ['x-key: a\u00c3\u00a9b']), 'latin1');
    assert.equal(JSON.parse((await client.reply()).body)[0], 'a\u00c3\u00a9b');
    client.close();
  });

  for (const [host, from] of [
    ['::1', '::1'],
    ['::', '127.0.0.1'],
  ] as const) {
    test(`knows the client's address ${from} when listening on ${host}`, async () => {
      const asked: Exchange[] = [];
      const onExchange = (exchange: Exchange) => {
        asked.push(exchange);
        exchange.reply(200, [], exchange.remoteAddress());
      };
      await using server = await serve(open, onExchange, host);
      const client = await RawClient.connect(server.port, from);
      assert.equal((await client.request('GET', '/')).body, from);
      assert.equal(asked[0]?.remoteAddress(), from, 'the answer stays');
      client.close();
    });
  }
});

onBothTransports('a reply', (open) => {
  test('carries status, headers and body, once', async () => {
    await using server = await serve(open, (exchange) => {
      assert.equal(exchange.finished, false);
      exchange.reply(Number(exchange.path.slice(1)), [['x-request-id', 'r1']], 'caf\u00e9');
      assert.equal(exchange.finished, true);
      exchange.reply(500, [], 'second');
    });
    const client = await RawClient.connect(server.port);
    for (const status of [200, 201, 402, 404, 409, 429, 504, 599]) {
      const reply = await client.request('GET', `/${status}`);
      assert.deepEqual([reply.status, reply.body], [status, 'caf\u00e9']);
      assert.equal(reply.headers.get('x-request-id'), 'r1');
      assert.equal(reply.headers.get('content-length'), '5', 'bytes, not characters');
      assert.equal(reply.headers.get('server') ?? reply.headers.get('uwebsockets'), undefined);
    }
    client.close();
  });

  test('without a body has length 0, and with 204 or 304 none', async () => {
    await using server = await serve(open, (exchange) =>
      exchange.reply(Number(exchange.path.slice(1)), [['etag', '"1"']], ''),
    );
    for (const [status, length] of [
      [200, '0'],
      [204, undefined],
      [304, undefined],
    ] as const) {
      const client = await RawClient.connect(server.port);
      const reply = await client.request('GET', `/${status}`);
      assert.deepEqual([reply.status, reply.headers.get('etag')], [status, '"1"']);
      assert.equal(reply.headers.get('content-length'), length);
      assert.equal(reply.headers.get('transfer-encoding'), undefined);
      if (reply.headers.get('connection') !== 'close') await client.request('GET', `/${status}`);
      assert.equal(client.received, '', 'nothing follows the head');
      client.close();
    }
  });

  test("to HEAD has the body's length and no body, at once or later", async () => {
    await using server = await serve(open, (exchange) => {
      const reply = () => exchange.reply(200, [['x-a', 'b']], 'h\u00e9llo');
      if (exchange.path === '/later') setTimeout(reply, 5);
      else reply();
    });
    for (const path of ['/', '/later']) {
      const client = await RawClient.connect(server.port);
      const reply = await client.request('HEAD', path);
      assert.deepEqual([reply.status, reply.headers.get('content-length')], [200, '6']);
      if (reply.headers.get('connection') === 'close') await client.closed;
      else assert.equal((await client.request('HEAD', path)).status, 200);
      assert.equal(client.received, '', 'nothing follows the head');
      client.close();
    }
  });

  test('with a header value that can’t be sent becomes the fallback reply', async () => {
    const values = ['a\r\nset-cookie: x', 'nul\0', 'caf\u00e9', '\u20ac'];
    await using server = await serve(open, (exchange) =>
      exchange.reply(200, [['x-a', values[server.faults.length] ?? '']], 'unsafe'),
    );
    const client = await RawClient.connect(server.port);
    for (const value of values) {
      const reply = await client.request('GET', '/');
      assert.deepEqual([reply.status, reply.body], [500, FALLBACK_BODY], value);
      assert.equal(reply.headers.get('set-cookie'), undefined);
      assert.match(String(server.faults.at(-1)), /x-a is not printable ASCII/);
    }
    client.close();
  });

  test('to a client that has left, or leaves in the middle, is harmless', async () => {
    const exchanges: Exchange[] = [];
    const body = Buffer.alloc(16 * MIB);
    await using server = await serve(open, (exchange) => {
      if (exchange.path === '/waits') exchanges.push(exchange);
      else exchange.reply(200, [], body);
    });
    const gone = await RawClient.connect(server.port);
    gone.send(head('GET', '/waits'));
    await eventually('it came', () => exchanges[0]?.finished === false);
    gone.close();
    await eventually('it has left', () => exchanges[0]?.finished === true);
    exchanges[0]?.reply(200, [], 'nobody reads this');
    assert.equal(exchanges[0]?.remoteAddress(), '', 'asked too late');
    const leaving = await RawClient.connect(server.port);
    leaving.socket.once('data', () => leaving.close());
    leaving.send(head('GET', '/'));
    await leaving.closed;
    const next = await fetch(`http://127.0.0.1:${server.port}/`);
    assert.equal((await next.arrayBuffer()).byteLength, body.length);
    assert.deepEqual(server.faults, []);
  });
});

onBothTransports('a handler that throws', (open) => {
  const boom = () => {
    throw new Error('boom');
  };
  const throwers: Record<string, (exchange: Exchange) => void> = {
    'at once': boom,
    'when its body has come': (exchange) => exchange.readBody(10, boom),
    'when its body was too large': (exchange) => exchange.readBody(1, boom),
  };
  for (const [when, onExchange] of Object.entries(throwers)) {
    test(`${when} is answered for, and the server lives`, async () => {
      await using server = await serve(open, onExchange);
      const client = await RawClient.connect(server.port);
      for (let i = 1; i <= 2; i++) {
        const reply = await client.request('POST', '/', 'body');
        assert.deepEqual([reply.status, reply.body], [500, FALLBACK_BODY]);
        assert.equal(reply.headers.get('content-type'), 'application/json');
        assert.equal(server.faults.length, i);
      }
      assert.match(String(server.faults[0]), /boom/);
      client.close();
    });
  }

  test('after its reply, or when the client has left, has its fault told', async () => {
    await using server = await serve(open, (exchange) => {
      if (exchange.path === '/body') return exchange.readBody(10, boom);
      exchange.reply(200, [], 'fine');
      boom();
    });
    const client = await RawClient.connect(server.port);
    assert.equal((await client.request('GET', '/')).body, 'fine');
    assert.equal(server.faults.length, 1);
    client.send(head('POST', '/body', ['content-length: 4']), 'bo');
    await eventually('it came', () => server.listener.open.requests === 1);
    client.close();
    await eventually('it is told', () => server.faults.length === 2);
  });
});

onBothTransports('a connection', (open) => {
  test('whose client reads nothing costs bounded memory', async () => {
    const body = 'x'.repeat(4096);
    let served = 0;
    await using server = await serve(open, (exchange) => {
      served += 1;
      exchange.reply(200, [], body);
    });
    const client = await RawClient.connect(server.port);
    client.socket.pause();
    const piece = head('GET', '/', [`x-padding: ${'p'.repeat(1000)}`]);
    // As much as the server takes: what it has answered and the client hasn't read is in somebody's memory.
    for (let sent = 0; sent < 20_000 && !client.socket.destroyed && client.socket.writable; sent++) {
      if (!client.socket.write(piece)) {
        const drained = new Promise((resolve) => client.socket.once('drain', resolve));
        await Promise.race([drained, client.closed, sleep(300)]);
        if (client.socket.writableLength > 0) break;
      }
    }
    assert.ok(served * body.length < 32 * MIB, `${served} replies to a client that reads none`);
    client.close();
  });
});
