/** Whoever is told of the end of requests is told of each once, with the status and the bytes that left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Exchange } from '../../../src/http/transport/transport.ts';
import { eventually } from '../../support/eventually.ts';
import { CountedSource } from './counted-source.ts';
import { head, RawClient } from './raw-client.ts';
import { FALLBACK_BODY, onBothTransports, serve } from './under-test.ts';

const stream = (exchange: Exchange, options: { lengthBytes: number | undefined; failsAtByte?: number }) =>
  exchange.replyStream(206, [], new CountedSource({ actualBytes: 100_000, ...options }));
const FALLBACK = [500, FALLBACK_BODY.length] as const;

/** How a request is answered, and what is told of its end. */
const ANSWERS: Readonly<
  Record<string, readonly [answer: (exchange: Exchange) => void, status: number, bytes: number]>
> = {
  '/text': [(exchange) => exchange.reply(201, [], 'é'), 201, 2],
  '/bytes': [(exchange) => exchange.reply(200, [], new Uint8Array(3)), 200, 3],
  '/not-modified': [(exchange) => exchange.reply(304, [], ''), 304, 0],
  '/late': [(exchange) => setTimeout(() => exchange.reply(200, [], 'late'), 5), 200, 4],
  '/stream': [(exchange) => stream(exchange, { lengthBytes: 100_000 }), 206, 100_000],
  '/open-ended': [(exchange) => stream(exchange, { lengthBytes: undefined }), 206, 100_000],
  '/unreadable': [(exchange) => stream(exchange, { lengthBytes: 9, failsAtByte: 0 }), ...FALLBACK],
  '/throws': [
    () => {
      throw new Error('no');
    },
    ...FALLBACK,
  ],
  '/illegal': [(exchange) => exchange.reply(200, [['x-a', '\n']], 'x'), ...FALLBACK],
};

onBothTransports('the end of a request', (open) => {
  test('is told with what left', async () => {
    await using server = await serve(open, (exchange) => ANSWERS[exchange.path]?.[0](exchange));
    for (const [path, [, status, bytes]] of Object.entries(ANSWERS)) {
      const client = await RawClient.connect(server.port);
      assert.equal((await client.request('GET', path)).status, status);
      await eventually('its end', () => server.ended.length > 0);
      assert.deepEqual(server.ended.splice(0), [[path, status, bytes]]);
      client.close();
    }
  });

  for (const path of ['/text', '/stream']) {
    test(`by HEAD has no bytes: ${path}`, async () => {
      await using server = await serve(open, (exchange) => ANSWERS[exchange.path]?.[0](exchange));
      const client = await RawClient.connect(server.port);
      const { status } = await client.request('HEAD', path);
      assert.deepEqual(server.ended, [[path, status, 0]]);
      client.close();
    });
  }

  test('without an answer has no status', async () => {
    const exchanges: Exchange[] = [];
    await using server = await serve(open, (exchange) => exchanges.push(exchange));
    const client = await RawClient.connect(server.port);
    client.send(head('GET', '/waits'));
    await eventually('it came', () => exchanges.length === 1);
    client.close();
    await eventually('its end', () => server.ended.length > 0);
    exchanges[0]?.reply(200, [], 'too late');
    assert.deepEqual(server.ended, [['/waits', 0, 0]]);
  });

  test('that an answer waits for, since a body still comes, is not its end', async () => {
    await using server = await serve(open, (exchange) => exchange.reply(200, [], 'early'));
    const client = await RawClient.connect(server.port);
    client.send(head('POST', '/early', ['content-length: 4', 'connection: close']), 'ab');
    await eventually('it came', () => server.listener.open.requests === 1);
    assert.deepEqual([server.ended, server.listener.open.connections], [[], 1]);
    client.send('cd');
    assert.equal((await client.reply('POST')).body, 'early');
    assert.deepEqual(server.ended, [['/early', 200, 5]]);
    client.close();
  });
});
