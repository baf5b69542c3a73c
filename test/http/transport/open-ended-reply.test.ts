/** Streamed replies whose length nobody knows: whole or visibly broken off, and as long as the source gives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyBody } from '../../../src/http/transport/reply-stream.ts';
import { CountedSource, countedBytes, standstill } from './counted-source.ts';
import { head, RawClient } from './raw-client.ts';
import { FALLBACK_BODY, onBothTransports, serve } from './under-test.ts';

const MIB = 1024 * 1024;

/** Gives what it is told to, when it is told. */
class Tap implements ReplyBody {
  readonly lengthBytes = undefined;
  readonly idleTimeoutMs = 10_000;
  readonly closed: Promise<void>;
  #onClosed: () => void = () => {};
  #given: (bytes: Uint8Array | undefined) => void = () => {};
  #reading = Promise.resolve();
  #onRead: () => void = () => {};

  constructor() {
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
    this.#expectRead();
  }

  async give(text: string | undefined): Promise<void> {
    await this.#reading;
    this.#expectRead();
    this.#given(text === undefined ? undefined : Buffer.from(text));
  }

  read(): Promise<Uint8Array | undefined> {
    return new Promise((resolve) => {
      this.#given = resolve;
      this.#onRead();
    });
  }

  abandon(): void {
    this.#given(undefined);
  }

  async close(): Promise<void> {
    this.#onClosed();
  }

  #expectRead(): void {
    this.#reading = new Promise((resolve) => {
      this.#onRead = resolve;
    });
  }
}

onBothTransports('a reply of unknown length', (open) => {
  for (const actualBytes of [0, 1, 65_536, 3 * MIB + 5]) {
    test(`of ${actualBytes} bytes arrives whole, again and again`, async () => {
      const sources: CountedSource[] = [];
      await using server = await serve(open, (exchange) => {
        const source = new CountedSource({ lengthBytes: undefined, actualBytes });
        sources.push(source);
        exchange.replyStream(200, [['x-a', 'b']], source);
      });
      for (let i = 0; i < 3; i += 1) {
        const response = await fetch(`http://127.0.0.1:${server.port}/`);
        assert.deepEqual([response.status, response.headers.get('x-a')], [200, 'b']);
        // A server may find out in time that there is nothing.
        if (actualBytes > 0) assert.equal(response.headers.get('content-length'), null);
        assert.ok(Buffer.from(await response.arrayBuffer()).equals(countedBytes(actualBytes)));
      }
      await Promise.all(sources.map(({ closed }) => closed));
      assert.deepEqual(server.faults, []);
    });
  }

  test('leaves piece by piece, as the source gives', async () => {
    const tap = new Tap();
    await using server = await serve(open, (exchange) => exchange.replyStream(200, [], tap));
    const client = await RawClient.connect(server.port);
    client.send(head('GET', '/'));
    for (const piece of ['first\n', 'second\n']) {
      await tap.give(piece);
      while (!client.received.includes(piece)) await sleep(1);
    }
    await tap.give(undefined);
    await tap.closed;
    while (!client.received.endsWith('0\r\n\r\n')) await sleep(1);
    client.close();
  });

  test('reads no further than a slow reader takes', async () => {
    const source = new CountedSource({ lengthBytes: undefined, actualBytes: 64 * MIB });
    await using server = await serve(open, (exchange) => exchange.replyStream(200, [], source));
    const client = await RawClient.connect(server.port);
    client.socket.pause();
    client.send(head('GET', '/'));
    await standstill(source);
    assert.ok(source.givenBytes < 16 * MIB, `${source.givenBytes} bytes were read`);
    client.socket.resume();
    await source.closed;
    assert.equal(source.givenBytes, 64 * MIB);
    client.close();
  });

  test('whose reader leaves while nothing happens lets go of its source', async () => {
    const tap = new Tap();
    await using server = await serve(open, (exchange) => exchange.replyStream(200, [], tap));
    const client = await RawClient.connect(server.port);
    client.send(head('GET', '/'));
    await tap.give('first\n');
    while (!client.received.includes('first')) await sleep(1);
    client.close();
    await tap.closed;
    assert.deepEqual(server.faults, []);
  });

  test('whose source fails midway is broken off, without an end that looks whole', async () => {
    const options = { lengthBytes: undefined, actualBytes: MIB, failsAtByte: MIB / 2 };
    await using server = await serve(open, (exchange) =>
      exchange.replyStream(200, [], new CountedSource(options)),
    );
    const response = await fetch(`http://127.0.0.1:${server.port}/`);
    await assert.rejects(response.arrayBuffer());
    assert.match(String(server.faults[0]), /the disk is gone/);
  });

  test('whose source fails at once is the fallback reply', async () => {
    await using server = await serve(open, (exchange) =>
      exchange.replyStream(200, [], new CountedSource({ lengthBytes: undefined, failsAtByte: 0 })),
    );
    const client = await RawClient.connect(server.port);
    const reply = await client.request('GET', '/');
    assert.deepEqual([reply.status, reply.body], [500, FALLBACK_BODY]);
    client.close();
  });

  test('to HEAD is its head alone', async () => {
    const source = new CountedSource({ lengthBytes: undefined, actualBytes: 5 });
    await using server = await serve(open, (exchange) => exchange.replyStream(200, [['x-a', 'b']], source));
    const response = await fetch(`http://127.0.0.1:${server.port}/`, { method: 'HEAD' });
    assert.deepEqual([response.status, response.headers.get('x-a')], [200, 'b']);
    await source.closed;
    assert.equal(source.reads, 0);
  });
});
