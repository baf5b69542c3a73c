/** Streamed replies: whole or visibly broken off, one chunk in memory, the source closed in every case. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../../src/http/transport/transport.ts';
import { CountedSource, type CountedSourceOptions, countedBytes, standstill } from './counted-source.ts';
import { head, RawClient } from './raw-client.ts';
import { FALLBACK_BODY, onBothTransports, serve } from './under-test.ts';

const MIB = 1024 * 1024;
const GRACE_MS = 20_000;

/** Answers every request with a streamed reply, and keeps the sources for a look afterwards. */
function streaming(options: CountedSourceOptions, status = 200) {
  const sources: CountedSource[] = [];
  const onExchange = (exchange: Exchange) => {
    const source = new CountedSource(options);
    sources.push(source);
    exchange.replyStream(status, [['x-a', 'b']], source);
  };
  return { sources, onExchange };
}

onBothTransports('a streamed reply', (open) => {
  for (const lengthBytes of [1, 65_535, 65_536, 65_537, 3 * MIB + 5]) {
    test(`of ${lengthBytes} bytes arrives whole, again and again on one connection`, async () => {
      const { sources, onExchange } = streaming({ lengthBytes });
      await using server = await serve(open, onExchange);
      const client = await RawClient.connect(server.port);
      for (let i = 0; i < 3; i++) {
        const reply = await client.request('GET', '/');
        assert.deepEqual([reply.status, reply.headers.get('x-a')], [200, 'b']);
        assert.equal(reply.headers.get('content-length'), String(lengthBytes));
        assert.ok(reply.bytes.equals(countedBytes(lengthBytes)));
      }
      await Promise.all(sources.map((source) => source.closed));
      assert.deepEqual(
        sources.map(({ closes, givenBytes }) => [closes, givenBytes]),
        [1, 2, 3].map(() => [1, lengthBytes]),
      );
      assert.deepEqual(server.faults, []);
      client.close();
    });
  }

  test('has the status it is given', async () => {
    const { onExchange } = streaming({ lengthBytes: 10 }, 206);
    await using server = await serve(open, onExchange);
    const client = await RawClient.connect(server.port);
    assert.equal((await client.request('GET', '/')).status, 206);
    client.close();
  });

  test('reads no further than a slow reader takes, and reaches it whole', async () => {
    const lengthBytes = 64 * MIB;
    const { sources, onExchange } = streaming({ lengthBytes });
    await using server = await serve(open, onExchange);
    const client = await RawClient.connect(server.port);
    client.socket.pause();
    client.send(head('GET', '/'));
    while (sources.length === 0) await sleep(1);
    const [source] = sources;
    assert.ok(source !== undefined);
    await standstill(source);
    assert.ok(source.givenBytes < 16 * MIB, `${source.givenBytes} bytes are in the system's buffers`);
    client.socket.resume();
    assert.ok((await client.reply()).bytes.equals(countedBytes(lengthBytes)));
    await source.closed;
    assert.equal((await client.request('GET', '/')).status, 200, 'the connection stays usable');
    client.close();
  });

  test('leaves beside others on their own connections', async () => {
    const { onExchange } = streaming({ lengthBytes: 5 * MIB });
    await using server = await serve(open, onExchange);
    const bodies = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const response = await fetch(`http://127.0.0.1:${server.port}/`);
        return Buffer.from(await response.arrayBuffer());
      }),
    );
    for (const body of bodies) assert.ok(body.equals(countedBytes(5 * MIB)));
  });

  test('to HEAD has the length, nothing is read, and the next request is answered', async () => {
    const { sources, onExchange } = streaming({ lengthBytes: 5_000_000_000 });
    await using server = await serve(open, onExchange);
    let client = await RawClient.connect(server.port);
    for (let i = 1; i <= 3; i++) {
      const reply = await client.request('HEAD', '/');
      assert.deepEqual([reply.status, reply.headers.get('x-a')], [200, 'b']);
      assert.equal(reply.headers.get('content-length'), '5000000000');
      await sources[i - 1]?.closed;
      assert.equal(sources[i - 1]?.reads, 0);
      // A transport may close after HEAD, but then it says so.
      if (reply.headers.get('connection') !== 'close') continue;
      await client.closed;
      assert.equal(client.received, '', 'nothing follows the head');
      client = await RawClient.connect(server.port);
    }
    client.close();
  });

  test('of no bytes has length 0, and nothing is read', async () => {
    const { sources, onExchange } = streaming({ lengthBytes: 0 });
    await using server = await serve(open, onExchange);
    const client = await RawClient.connect(server.port);
    const reply = await client.request('GET', '/');
    assert.deepEqual([reply.status, reply.headers.get('content-length')], [200, '0']);
    await sources[0]?.closed;
    assert.equal(sources[0]?.reads, 0);
    client.close();
  });

  test('to a request whose body nobody reads arrives, and the connection stays usable', async () => {
    const { onExchange } = streaming({ lengthBytes: 100_000 });
    await using server = await serve(open, onExchange);
    const client = await RawClient.connect(server.port);
    for (let i = 0; i < 2; i++) {
      const reply = await client.request('POST', '/', 'x'.repeat(200_000));
      assert.ok(reply.bytes.equals(countedBytes(100_000)));
    }
    client.close();
  });

  test('is the only reply: a second source is closed unread', async () => {
    const second = new CountedSource({ lengthBytes: 5 });
    await using server = await serve(open, (exchange) => {
      exchange.replyStream(200, [], new CountedSource({ lengthBytes: 6 }));
      assert.equal(exchange.finished, true);
      exchange.replyStream(200, [], second);
      exchange.reply(500, [], 'third');
    });
    const client = await RawClient.connect(server.port);
    assert.ok((await client.request('GET', '/')).bytes.equals(countedBytes(6)));
    await second.closed;
    assert.equal(second.reads, 0);
    client.close();
  });

  test('closes its connection when the client wants it so', async () => {
    const { onExchange } = streaming({ lengthBytes: MIB });
    await using server = await serve(open, onExchange);
    const client = await RawClient.connect(server.port);
    client.send(head('GET', '/', ['connection: close']));
    assert.equal((await client.reply()).bytes.byteLength, MIB);
    await client.closed;
  });

  test('with an illegal header becomes the fallback reply', async () => {
    const source = new CountedSource({ lengthBytes: 5 });
    await using server = await serve(open, (exchange) => {
      exchange.replyStream(200, [['content-disposition', 'filename="caf\u00e9"']], source);
    });
    const client = await RawClient.connect(server.port);
    const reply = await client.request('GET', '/');
    assert.deepEqual([reply.status, reply.body], [500, FALLBACK_BODY]);
    await source.closed;
    assert.equal(source.reads, 0);
    client.close();
  });
});

onBothTransports('a streamed reply that a client leaves', (open) => {
  test('in the middle closes its source', async () => {
    const { sources, onExchange } = streaming({ lengthBytes: 1024 * MIB });
    await using server = await serve(open, onExchange);
    const client = await RawClient.connect(server.port);
    client.socket.once('data', () => client.close());
    client.send(head('GET', '/'));
    await client.closed;
    await sources[0]?.closed;
    await sleep(20);
    assert.equal(sources[0]?.closes, 1);
    assert.deepEqual(server.faults, []);
  });

  test('while the socket is full closes its source', async () => {
    const { sources, onExchange } = streaming({ lengthBytes: 64 * MIB });
    await using server = await serve(open, onExchange);
    const client = await RawClient.connect(server.port);
    client.socket.pause();
    client.send(head('GET', '/'));
    while (sources.length === 0) await sleep(1);
    if (sources[0] !== undefined) await standstill(sources[0]);
    client.socket.resetAndDestroy();
    await sources[0]?.closed;
    assert.deepEqual(server.faults, []);
  });

  test('before it begins, its request body unfinished, closes its source unread', async () => {
    const { sources, onExchange } = streaming({ lengthBytes: 10 });
    await using server = await serve(open, (exchange) => {
      exchange.readBody(100, () => {});
      onExchange(exchange);
    });
    const client = await RawClient.connect(server.port);
    client.send(head('POST', '/', ['content-length: 8']), 'half');
    while (sources.length === 0) await sleep(1);
    client.close();
    await sources[0]?.closed;
    assert.equal(sources[0]?.reads, 0);
  });

  test('and that begins only afterwards closes its source unread', async () => {
    const exchanges: Exchange[] = [];
    await using server = await serve(open, (exchange) => {
      exchanges.push(exchange);
    });
    const client = await RawClient.connect(server.port);
    client.send(head('GET', '/'));
    while (exchanges.length === 0) await sleep(1);
    client.close();
    while (exchanges[0]?.finished === false) await sleep(1);
    const source = new CountedSource({ lengthBytes: 10 });
    exchanges[0]?.replyStream(200, [], source);
    await source.closed;
    assert.equal(source.reads, 0);
  });

  test('with a reader that takes nothing is broken off after the idle timeout', async () => {
    const { sources, onExchange } = streaming({ lengthBytes: 64 * MIB, idleTimeoutMs: 700 });
    await using server = await serve(open, onExchange);
    const client = await RawClient.connect(server.port);
    client.socket.pause();
    client.send(head('GET', '/'));
    while (sources.length === 0) await sleep(1);
    await sources[0]?.closed;
    client.socket.resume();
    await client.closed;
    assert.ok(client.receivedBytes < 64 * MIB);
  });
});

onBothTransports('a streamed reply whose source', (open) => {
  test('fails before the first byte becomes the fallback reply, and the connection stays usable', async () => {
    const { sources, onExchange } = streaming({ lengthBytes: 10, failsAtByte: 0 });
    await using server = await serve(open, onExchange);
    const client = await RawClient.connect(server.port);
    for (let i = 1; i <= 2; i++) {
      const reply = await client.request('GET', '/');
      assert.deepEqual([reply.status, reply.body], [500, FALLBACK_BODY]);
      await sources[i - 1]?.closed;
      assert.equal(server.faults.length, i);
    }
    assert.match(String(server.faults[0]), /the disk is gone/);
    client.close();
  });

  const wrong: { means: string; options: CountedSourceOptions; told: RegExp }[] = [
    {
      means: 'fails midway',
      options: { lengthBytes: MIB, failsAtByte: MIB / 2 },
      told: /the disk is gone/,
    },
    {
      means: 'ends one byte early',
      options: { lengthBytes: MIB, actualBytes: MIB - 1 },
      told: /got 0 where 1 were left/,
    },
    {
      means: 'gives a byte too many',
      options: { lengthBytes: MIB, actualBytes: MIB + 1, chunkBytes: MIB / 2 + 1 },
      told: /got 524288 where 524287 were left/,
    },
  ];
  for (const { means, options, told } of wrong) {
    test(`${means} breaks the connection off, and the server is told`, async () => {
      const { sources, onExchange } = streaming(options);
      await using server = await serve(open, onExchange);
      const client = await RawClient.connect(server.port);
      client.send(head('GET', '/'));
      await client.closed;
      const bodyAt = client.received.indexOf('\r\n\r\n') + 4;
      assert.match(client.received.slice(0, bodyAt), /content-length: 1048576\r\n/i);
      assert.ok(client.received.length - bodyAt < MIB, 'no body that looks whole');
      await sources[0]?.closed;
      assert.match(String(server.faults[0]), told);
      assert.equal(server.faults.length, 1);
    });
  }
});

onBothTransports('a streamed reply under way when the server stops', (open) => {
  test('reaches a slow reader whole', async () => {
    const { sources, onExchange } = streaming({ lengthBytes: 32 * MIB });
    await using server = await serve(open, onExchange);
    const client = await RawClient.connect(server.port);
    client.socket.pause();
    client.send(head('GET', '/'));
    while (sources.length === 0) await sleep(1);
    const stopped = server.listener.stop(GRACE_MS);
    await sleep(50);
    client.socket.resume();
    assert.ok((await client.reply()).bytes.equals(countedBytes(32 * MIB)));
    await client.closed;
    await stopped;
  });

  test('is broken off and its source closed when the grace is over', async () => {
    const { sources, onExchange } = streaming({ lengthBytes: 64 * MIB });
    await using server = await serve(open, onExchange);
    const client = await RawClient.connect(server.port);
    client.socket.pause();
    client.send(head('GET', '/'));
    while (sources.length === 0) await sleep(1);
    await server.listener.stop(100);
    await sources[0]?.closed;
    client.socket.resume();
    await client.closed;
  });
});

onBothTransports('a reply without a body', (open) => {
  for (const status of [204, 304]) {
    test(`of status ${status} has no content-length`, async () => {
      await using server = await serve(open, (exchange) => exchange.reply(status, [['etag', '"1"']], ''));
      for (const method of ['GET', 'HEAD']) {
        const client = await RawClient.connect(server.port);
        const reply = await client.request(method, '/');
        assert.deepEqual([reply.status, reply.headers.get('etag')], [status, '"1"']);
        assert.equal(reply.headers.get('content-length'), undefined);
        assert.equal(reply.headers.get('transfer-encoding'), undefined);
        if (reply.headers.get('connection') !== 'close') await client.request(method, '/');
        await sleep(20);
        assert.equal(client.received, '', 'nothing follows the head');
        client.close();
      }
    });
  }
});
