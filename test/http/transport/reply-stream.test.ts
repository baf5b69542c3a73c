/**
 * Streamed replies, whether their length is announced or nobody knows it: whole or visibly broken off, one chunk in
 * memory, the source closed in every case.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Exchange } from '../../../src/http/transport/transport.ts';
import { eventually } from '../../support/eventually.ts';
import { CountedSource, type CountedSourceOptions, countedBytes, standstill } from './counted-source.ts';
import { head, RawClient } from './raw-client.ts';
import { FALLBACK_BODY, onBothTransports, serve } from './under-test.ts';

const MIB = 1024 * 1024;
const GRACE_MS = 20_000;
const LARGE = 32 * MIB;
/** More than systems buffer, far less than `LARGE`. */
const BUFFERED = 16 * MIB;
const HEADERS = [['x-a', 'b']] as const;

/** Answers every request with a streamed reply, and keeps the sources for a look afterwards. */
function streaming(options: CountedSourceOptions, status = 200) {
  const sources: CountedSource[] = [];
  const onExchange = (exchange: Exchange) => {
    const source = new CountedSource(options);
    sources.push(source);
    exchange.replyStream(status, HEADERS, source);
  };
  return { sources, onExchange };
}

/** Asks, and reads nothing of the answer. */
async function askAndPause(port: number, sources: readonly CountedSource[]) {
  const client = await RawClient.connect(port);
  client.socket.pause();
  client.send(head('GET', '/'));
  await eventually('the reply has begun', () => sources.length > 0);
  return { client, source: sources[0] ?? assert.fail() };
}

/** Bodies of a length that is announced, or not. */
const KINDS: [kind: string, optionsOf: (bytes: number) => CountedSourceOptions][] = [
  ['of a known length', (lengthBytes) => ({ lengthBytes })],
  ['of unknown length', (actualBytes) => ({ lengthBytes: undefined, actualBytes })],
];

for (const [kind, optionsOf] of KINDS) {
  onBothTransports(`a streamed reply ${kind}`, (open) => {
    for (const bytes of [0, 1, 65_535, 65_536, 65_537, 3 * MIB + 5]) {
      test(`of ${bytes} bytes arrives whole, again and again, beside others`, async () => {
        const { sources, onExchange } = streaming(optionsOf(bytes), 206);
        await using server = await serve(open, onExchange);
        for (let i = 0; i < 2; i += 1) {
          const ask = async () => {
            const response = await fetch(`http://127.0.0.1:${server.port}/`);
            assert.deepEqual([response.status, response.headers.get('x-a')], [206, 'b']);
            // A server may find out in time that there is nothing.
            const length = optionsOf(bytes).lengthBytes?.toString() ?? null;
            if (bytes > 0) assert.equal(response.headers.get('content-length'), length);
            assert.ok(Buffer.from(await response.arrayBuffer()).equals(countedBytes(bytes)));
          };
          await Promise.all([ask(), ask()]);
        }
        await Promise.all(sources.map((source) => source.closed));
        assert.ok(sources.every(({ closes, givenBytes }) => closes === 1 && givenBytes === bytes));
        assert.deepEqual(server.faults, []);
      });
    }

    test('reads no further than a slow reader takes, and reaches it whole', async () => {
      const { sources, onExchange } = streaming(optionsOf(LARGE));
      await using server = await serve(open, onExchange);
      const { client, source } = await askAndPause(server.port, sources);
      await standstill(source);
      assert.ok(source.givenBytes < BUFFERED, `${source.givenBytes} bytes are in the system's buffers`);
      client.socket.resume();
      await source.closed;
      assert.equal(source.givenBytes, LARGE);
      client.close();
    });

    test('to HEAD is its head alone, and nothing is read', async () => {
      const { sources, onExchange } = streaming(optionsOf(5_000_000_000));
      await using server = await serve(open, onExchange);
      for (let i = 0; i < 2; i += 1) {
        const client = await RawClient.connect(server.port);
        const reply = await client.request('HEAD', '/');
        assert.deepEqual([reply.status, reply.headers.get('x-a')], [200, 'b']);
        const { lengthBytes } = optionsOf(5_000_000_000);
        if (lengthBytes !== undefined) assert.equal(reply.headers.get('content-length'), `${lengthBytes}`);
        await Promise.all(sources.map((source) => source.closed));
        assert.ok(sources.every(({ reads }) => reads === 0));
        // A transport may close after HEAD, but then it says so.
        if (reply.headers.get('connection') !== 'close') await client.request('HEAD', '/');
        assert.equal(client.received, '', 'nothing follows the head');
        client.close();
      }
    });

    test('whose source fails at once becomes the fallback reply, and the connection stays usable', async () => {
      const { sources, onExchange } = streaming({ ...optionsOf(10), failsAtByte: 0 });
      await using server = await serve(open, onExchange);
      const client = await RawClient.connect(server.port);
      for (let i = 1; i <= 2; i += 1) {
        const reply = await client.request('GET', '/');
        assert.deepEqual([reply.status, reply.body], [500, FALLBACK_BODY]);
        await sources[i - 1]?.closed;
        assert.equal(server.faults.length, i);
      }
      assert.match(String(server.faults[0]), /the disk is gone/);
      client.close();
    });

    test('whose source fails midway breaks the connection off, and the server is told', async () => {
      const { sources, onExchange } = streaming({ ...optionsOf(MIB), failsAtByte: MIB / 2 });
      await using server = await serve(open, onExchange);
      const response = await fetch(`http://127.0.0.1:${server.port}/`);
      await assert.rejects(response.arrayBuffer());
      await sources[0]?.closed;
      assert.match(String(server.faults[0]), /the disk is gone/);
      assert.equal(server.faults.length, 1);
    });

    test('is broken off and its source closed when its reader leaves, or when the grace of a stop is over', async () => {
      for (const end of ['leaves', 'stop']) {
        const { sources, onExchange } = streaming(optionsOf(LARGE));
        await using server = await serve(open, onExchange);
        const { client, source } = await askAndPause(server.port, sources);
        await standstill(source);
        if (end === 'leaves') client.socket.resetAndDestroy();
        else await server.listener.stop(50);
        await source.closed;
        client.socket.resume();
        await client.closed;
        assert.equal(source.closes, 1);
        assert.deepEqual(server.faults, []);
      }
    });
  });
}

onBothTransports('a streamed reply', (open) => {
  test('that a client leaves before it begins closes its source unread', async () => {
    const exchanges: Exchange[] = [];
    await using server = await serve(open, (exchange) => exchanges.push(exchange));
    const client = await RawClient.connect(server.port);
    client.send(head('GET', '/'));
    await eventually('it came', () => exchanges.length > 0);
    client.close();
    await eventually('it has left', () => exchanges[0]?.finished === true);
    const late = new CountedSource({ lengthBytes: 10 });
    exchanges[0]?.replyStream(200, [], late);
    await late.closed;
    assert.equal(late.reads, 0);
  });

  test('with a reader that takes nothing is broken off after the idle timeout', async () => {
    const { sources, onExchange } = streaming({ lengthBytes: LARGE, idleTimeoutMs: 300 });
    await using server = await serve(open, onExchange);
    const { client, source } = await askAndPause(server.port, sources);
    await source.closed;
    client.socket.resume();
    await client.closed;
    assert.ok(client.receivedBytes < LARGE);
  });

  const wrong: [means: string, options: CountedSourceOptions, told: RegExp][] = [
    ['ends one byte early', { lengthBytes: MIB, actualBytes: MIB - 1 }, /got 0 where 1 were left/],
    [
      'gives a byte too many',
      { lengthBytes: MIB, actualBytes: MIB + 1, chunkBytes: MIB / 2 + 1 },
      /got 524288 where 524287 were left/,
    ],
  ];
  for (const [means, options, told] of wrong) {
    test(`whose source ${means} breaks the connection off, and the server is told`, async () => {
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
    });
  }

  test('under way when the server stops reaches a slow reader whole', async () => {
    const { sources, onExchange } = streaming({ lengthBytes: LARGE });
    await using server = await serve(open, onExchange);
    const { client, source } = await askAndPause(server.port, sources);
    const stopped = server.listener.stop(GRACE_MS);
    await standstill(source);
    client.socket.resume();
    assert.ok((await client.reply()).bytes.equals(countedBytes(LARGE)));
    await client.closed;
    await stopped;
  });
});
