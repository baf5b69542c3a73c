/** From a request's head to its reply: what every transport must do the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../../src/http/transport/transport.ts';
import { head, RawClient } from './raw-client.ts';
import { FALLBACK_BODY, FREQUENT_POST, onBothTransports, serve } from './under-test.ts';

onBothTransports('a request', (open, name) => {
  const targets = [
    { target: '/', path: '/', query: '' },
    { target: '/a/b?', path: '/a/b', query: '' },
    { target: '/a/b?x=1&y=%20', path: '/a/b', query: 'x=1&y=%20' },
    { target: '/a%2Fb/%c3%a9?q=?', path: '/a%2Fb/%c3%a9', query: 'q=?' },
    { target: '//double/', path: '//double/', query: '' },
    { target: `/${'a/'.repeat(200)}`, path: `/${'a/'.repeat(200)}`, query: '' },
  ];
  for (const { target, path, query } of targets) {
    test(`has path and query as sent: ${target.slice(0, 30)}`, async () => {
      await using server = await serve(open, (exchange) => {
        exchange.reply(200, [], JSON.stringify([exchange.method, exchange.path, exchange.query]));
      });
      const client = await RawClient.connect(server.port);
      const reply = await client.request('PATCH', target);
      assert.deepEqual(JSON.parse(reply.body), ['PATCH', path, query]);
      client.close();
    });
  }

  test('to a frequent path, or to one that is nearly the same, has method and path as sent', async () => {
    await using server = await serve(open, (exchange) => {
      exchange.reply(200, [], JSON.stringify([exchange.method, exchange.path, exchange.query]));
    });
    const client = await RawClient.connect(server.port);
    const paths = [
      FREQUENT_POST,
      '/a/often/',
      '/a//often',
      '//a/often',
      '/a/Often',
      '/a/ofte%6e',
      '/a/often;x',
      '/a',
    ];
    // Another method than POST, which node's parser doesn't know.
    const methods = ['POST', 'PUT', 'GET', 'DELETE', 'OPTIONS', ...(name === 'uws' ? ['post'] : [])];
    for (const path of paths) {
      for (const method of methods) {
        for (const query of ['', 'x=1']) {
          const reply = await client.request(method, query === '' ? path : `${path}?${query}`);
          assert.deepEqual(JSON.parse(reply.body), [method, path, query]);
        }
      }
    }
    client.close();
  });

  const headers = [
    { sent: [], value: undefined, means: 'an absent header' },
    { sent: ['x-key:'], value: undefined, means: 'an empty header' },
    { sent: ['x-key: one'], value: 'one', means: 'a header' },
    {
      sent: ['X-Key:   one two  '],
      value: 'one two',
      means: 'a header in capitals and with spaces around it',
    },
    { sent: ['x-key: one', 'x-key: two'], value: 'one', means: 'the first of two headers' },
    { sent: ['x-key: a\u00c3\u00a9b'], value: 'a\u00c3\u00a9b', means: 'bytes beyond ASCII as latin1' },
  ];
  for (const { sent, value, means } of headers) {
    test(`gives ${means}`, async () => {
      await using server = await serve(open, (exchange) => {
        exchange.reply(200, [], JSON.stringify([exchange.header('x-key') ?? null]));
      });
      const client = await RawClient.connect(server.port);
      client.socket.write(head('GET', '/', sent), 'latin1');
      assert.deepEqual(JSON.parse((await client.reply()).body), [value ?? null]);
      client.close();
    });
  }

  test('gives its head only until the handler returns', async () => {
    await using server = await serve(open, (exchange) => {
      setImmediate(() => {
        assert.throws(() => exchange.header('host'), /head is gone/);
        assert.throws(() => exchange.readBody(1, () => {}), /head is gone/);
        exchange.reply(200, [], 'checked');
      });
    });
    const client = await RawClient.connect(server.port);
    assert.equal((await client.request('GET', '/')).body, 'checked');
    client.close();
  });

  test('has all values of a repeated header, in order, and none of an absent one', async () => {
    await using server = await serve(open, (exchange) => {
      const values = ['x-key', 'x-absent'].map((name) => exchange.headerValues(name));
      exchange.reply(200, [], JSON.stringify(values));
    });
    const client = await RawClient.connect(server.port);
    client.send(head('GET', '/', ['X-Key: one', 'x-other: 1', 'x-KEY: two, three', 'x-key: four']));
    assert.equal((await client.reply()).body, '[["one","two, three","four"],[]]');
    client.close();
  });

  const addresses = [
    { host: '127.0.0.1', from: '127.0.0.1', text: '127.0.0.1' },
    { host: '::1', from: '::1', text: '::1' },
    { host: '::', from: '127.0.0.1', text: '127.0.0.1' },
  ];
  for (const { host, from, text } of addresses) {
    test(`knows the client's address ${text} when listening on ${host}`, async () => {
      const asked: Exchange[] = [];
      const onExchange = (exchange: Exchange) => {
        asked.push(exchange);
        const address = exchange.remoteAddress();
        exchange.reply(200, [], address);
      };
      await using server = await serve(open, onExchange, host);
      const client = await RawClient.connect(server.port, from);
      assert.equal((await client.request('GET', '/')).body, text);
      assert.equal(asked[0]?.remoteAddress(), text, 'the answer stays');
      client.close();
    });
  }
});

onBothTransports('a reply', (open) => {
  test('carries status, headers and body', async () => {
    await using server = await serve(open, (exchange) => {
      exchange.reply(
        404,
        [
          ['x-request-id', 'r1'],
          ['cache-control', 'no-store'],
        ],
        'caf\u00e9',
      );
    });
    const client = await RawClient.connect(server.port);
    client.send(head('GET', '/'));
    const reply = await client.reply();
    assert.equal(reply.status, 404);
    assert.equal(reply.headers.get('x-request-id'), 'r1');
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assert.equal(reply.headers.get('content-length'), '5', 'bytes, not characters');
    assert.equal(reply.headers.get('server') ?? reply.headers.get('uwebsockets'), undefined);
    assert.equal(reply.body, 'caf\u00e9');
    client.close();
  });

  for (const status of [200, 201, 402, 409, 429, 504, 599]) {
    test(`has status ${status}`, async () => {
      await using server = await serve(open, (exchange) => exchange.reply(status, [], Buffer.from('bytes')));
      const response = await fetch(`http://127.0.0.1:${server.port}/`);
      assert.equal(response.status, status);
      assert.equal(await response.text(), 'bytes');
    });
  }

  test('without a body has length 0', async () => {
    await using server = await serve(open, (exchange) => exchange.reply(200, [], ''));
    const response = await fetch(`http://127.0.0.1:${server.port}/`);
    assert.equal(response.headers.get('content-length'), '0');
    assert.equal(await response.text(), '');
  });

  for (const later of [false, true]) {
    test(`to HEAD has the body's length and no body${later ? ', later too' : ''}`, async () => {
      await using server = await serve(open, (exchange) => {
        const reply = () => exchange.reply(200, [['x-a', 'b']], 'h\u00e9llo');
        if (later) setTimeout(reply, 5);
        else reply();
      });
      const client = await RawClient.connect(server.port);
      const reply = await client.request('HEAD', '/');
      assert.deepEqual([reply.status, reply.headers.get('content-length')], [200, '6']);
      await Promise.race([client.closed, sleep(50)]);
      assert.equal(client.received, '', 'nothing follows the head');
      client.close();
    });
  }

  test('leaves once: the second is ignored', async () => {
    await using server = await serve(open, (exchange) => {
      assert.equal(exchange.finished, false);
      exchange.reply(200, [], 'first');
      assert.equal(exchange.finished, true);
      exchange.reply(500, [], 'second');
    });
    const client = await RawClient.connect(server.port);
    assert.equal((await client.request('GET', '/')).body, 'first');
    assert.equal((await client.request('GET', '/')).body, 'first');
    client.close();
  });

  for (const value of ['a\r\nset-cookie: x', 'nul\0', 'caf\u00e9', '\u20ac']) {
    test(`with the header value ${JSON.stringify(value)} becomes the fallback reply`, async () => {
      await using server = await serve(open, (exchange) => exchange.reply(200, [['x-a', value]], 'unsafe'));
      const client = await RawClient.connect(server.port);
      const reply = await client.request('GET', '/');
      assert.deepEqual([reply.status, reply.body], [500, FALLBACK_BODY]);
      assert.equal(reply.headers.get('set-cookie'), undefined);
      assert.match(String(server.faults[0]), /x-a is not printable ASCII/);
      client.close();
    });
  }

  test('of 8 MiB reaches a slow reader whole', async () => {
    const sent = Buffer.alloc(8 * 1024 * 1024, 'abcdefghij');
    await using server = await serve(open, (exchange) => exchange.reply(200, [], sent));
    const client = await RawClient.connect(server.port);
    client.socket.pause();
    client.send(head('GET', '/'));
    await sleep(100);
    client.socket.resume();
    assert.ok(Buffer.from((await client.reply()).body).equals(sent));
    assert.equal((await client.request('GET', '/')).status, 200, 'the connection stays usable');
    client.close();
  });

  test('to a client that has left is harmless', async () => {
    const exchanges: Exchange[] = [];
    await using server = await serve(open, (exchange) => {
      exchanges.push(exchange);
    });
    const client = await RawClient.connect(server.port);
    client.send(head('GET', '/'));
    while (exchanges.length === 0) await sleep(1);
    assert.equal(exchanges[0]?.finished, false);
    client.close();
    while (exchanges[0]?.finished === false) await sleep(1);
    exchanges[0]?.reply(200, [], 'nobody reads this');
    assert.equal(exchanges[0]?.remoteAddress(), '', 'asked too late');
    assert.deepEqual(server.faults, []);
  });

  test('that a client leaves in the middle of is harmless', async () => {
    const exchanges: Exchange[] = [];
    await using server = await serve(open, (exchange) => {
      exchanges.push(exchange);
      exchange.reply(200, [], Buffer.alloc(32 * 1024 * 1024));
    });
    const client = await RawClient.connect(server.port);
    client.socket.once('data', () => client.close());
    client.send(head('GET', '/'));
    await client.closed;
    const next = await fetch(`http://127.0.0.1:${server.port}/`);
    assert.equal((await next.arrayBuffer()).byteLength, 32 * 1024 * 1024);
    assert.deepEqual(server.faults, []);
  });
});

onBothTransports('a handler that throws', (open) => {
  const throwers: Record<string, (exchange: Exchange) => void> = {
    'at once': () => {
      throw new Error('boom');
    },
    'when its body has come': (exchange) => {
      exchange.readBody(10, () => {
        throw new Error('boom');
      });
    },
    'when its body was too large': (exchange) => {
      exchange.readBody(1, () => {
        throw new Error('boom');
      });
    },
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

  test('after its reply has its fault told and its reply sent', async () => {
    await using server = await serve(open, (exchange) => {
      exchange.reply(200, [], 'fine');
      throw new Error('boom');
    });
    const client = await RawClient.connect(server.port);
    assert.equal((await client.request('GET', '/')).body, 'fine');
    assert.equal(server.faults.length, 1);
    client.close();
  });

  test('when the client has left is told of', async () => {
    let begun = 0;
    await using server = await serve(open, (exchange) => {
      begun += 1;
      exchange.readBody(10, () => {
        throw new Error('boom');
      });
    });
    const client = await RawClient.connect(server.port);
    client.send(head('POST', '/', ['content-length: 4']), 'bo');
    while (begun === 0) await sleep(1);
    client.close();
    while (server.faults.length === 0) await sleep(1);
    assert.match(String(server.faults[0]), /boom/);
  });
});

onBothTransports('a connection', (open) => {
  test('serves a hundred requests', async () => {
    let served = 0;
    await using server = await serve(open, (exchange) => {
      served += 1;
      const body = String(served);
      if (served % 2 === 0) exchange.reply(200, [], body);
      else setImmediate(() => exchange.reply(200, [], body));
    });
    const client = await RawClient.connect(server.port);
    for (let i = 1; i <= 100; i++) {
      assert.equal((await client.request('GET', '/')).body, String(i));
    }
    client.close();
  });

  test('closes after its reply when the client wants it so', async () => {
    await using server = await serve(open, (exchange) => setImmediate(() => exchange.reply(200, [], 'bye')));
    const client = await RawClient.connect(server.port);
    client.send(head('GET', '/', ['connection: close']));
    assert.equal((await client.reply()).body, 'bye');
    await client.closed;
  });

  test('is answered whatever the others wait for', async () => {
    const waiting = new Map<string, Exchange>();
    await using server = await serve(open, (exchange) => {
      waiting.set(exchange.path, exchange);
    });
    const clients = await Promise.all(Array.from({ length: 8 }, () => RawClient.connect(server.port)));
    clients.forEach((client, i) => {
      client.send(head('GET', `/${i}`));
    });
    while (waiting.size < clients.length) await sleep(1);
    for (const i of [5, 0, 7, 3, 1, 6, 2, 4]) {
      waiting.get(`/${i}`)?.reply(200, [], `for ${i}`);
      assert.equal((await clients[i]?.reply())?.body, `for ${i}`);
    }
    for (const client of clients) client.close();
  });

  test('whose client reads nothing costs bounded memory', async () => {
    const body = 'x'.repeat(4096);
    let served = 0;
    await using server = await serve(open, (exchange) => {
      served += 1;
      exchange.reply(200, [], body);
    });
    const client = await RawClient.connect(server.port);
    client.socket.pause();
    const before = served;
    const piece = head('GET', '/', [`x-padding: ${'p'.repeat(1000)}`]);
    // As much as the server takes: what it has answered and the client hasn't read is in somebody's memory.
    for (let sent = 0; sent < 20_000 && !client.socket.destroyed && client.socket.writable; sent++) {
      if (!client.socket.write(piece)) {
        const drained = new Promise((resolve) => client.socket.once('drain', resolve));
        await Promise.race([drained, client.closed, sleep(300)]);
        if (client.socket.writableLength > 0) break;
      }
    }
    assert.ok(
      (served - before) * body.length < 32 * 1024 * 1024,
      `${served} replies to a client that reads none`,
    );
    client.close();
  });
});
