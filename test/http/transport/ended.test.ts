/**
 * Each request ends once: whoever is told of it hears the status and the bytes that left, and one meter has counted it,
 * that of its route or else the listener's.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Exchange } from '../../../src/http/transport/transport.ts';
import { RequestMeter } from '../../../src/metrics/request-meter.ts';
import { eventually } from '../../support/eventually.ts';
import { CountedSource } from './counted-source.ts';
import { head, RawClient } from './raw-client.ts';
import { FALLBACK_BODY, onBothTransports, openNode, serve } from './under-test.ts';

const stream = (exchange: Exchange, options: { lengthBytes: number | undefined; failsAtByte?: number }) =>
  exchange.replyStream(206, [], new CountedSource({ actualBytes: 100_000, ...options }));
const FALLBACK = FALLBACK_BODY.length;

/** How a request is answered; what is told of its end, and counted. */
const ANSWERS: Readonly<
  Record<string, [answer: (exchange: Exchange) => void, status: number, bytes: number, counted: object]>
> = {
  '/text': [(exchange) => exchange.reply(201, [], 'é'), 201, 2, { '2xx': 1 }],
  '/not-modified': [(exchange) => exchange.reply(304, [], ''), 304, 0, { '3xx': 1 }],
  '/twice': [
    (exchange) => {
      exchange.reply(200, [], 'yes');
      exchange.reply(500, [], 'no');
    },
    200,
    3,
    { '2xx': 1 },
  ],
  '/stream': [(exchange) => stream(exchange, { lengthBytes: 100_000 }), 206, 100_000, { '2xx': 1 }],
  '/open-ended': [(exchange) => stream(exchange, { lengthBytes: undefined }), 206, 100_000, { '2xx': 1 }],
  // The stream was counted when it began.
  '/unreadable': [
    (exchange) => stream(exchange, { lengthBytes: 9, failsAtByte: 0 }),
    500,
    FALLBACK,
    { '2xx': 1, '5xx': 1 },
  ],
  '/throws': [() => assert.fail('no'), 500, FALLBACK, { '5xx': 1 }],
};

/** A chunked body has no length that could be seen to be missed. */
const HALF_REQUESTS = [
  `${head('POST', '/', ['content-length: 4'])}ab`,
  `${head('POST', '/', ['transfer-encoding: chunked'])}4\r\nab`,
];
const LEAVING: Readonly<Record<string, (client: RawClient) => void>> = {
  'ends its side only': (client) => client.socket.end(),
  'resets its connection': (client) => client.socket.resetAndDestroy(),
};
const IN_BODY: Readonly<Record<string, (exchange: Exchange) => void>> = {
  'that is read': (exchange) => exchange.readBody(100, () => exchange.reply(200, [], 'whole, or not')),
  'that nobody reads, after a refusal': (exchange) => exchange.reply(401, [], 'who are you?'),
};

/** The classes that were counted, and how often. */
function counted({ answers }: RequestMeter): object {
  return Object.fromEntries(answers.filter(([, count]) => count > 0));
}

onBothTransports('the end of a request', (open, name) => {
  for (const [path, [answer, status, bytes, classes]] of Object.entries(ANSWERS)) {
    test(`is told with what left, and counted: ${path}`, async () => {
      await using server = await serve(open, answer);
      const client = await RawClient.connect(server.port);
      assert.equal((await client.request('GET', path)).status, status);
      await eventually('its end', () => server.ended.length > 0);
      assert.deepEqual(server.ended, [[path, status, bytes]]);
      assert.deepEqual(counted(server.meter), classes);
      client.close();
    });
  }

  for (const path of ['/text', '/stream']) {
    test(`by HEAD has no bytes, and is counted by the meter that was given: ${path}`, async () => {
      const route = new RequestMeter({ listener: 'buyer', method: 'GET', route: '/a' });
      await using server = await serve(open, (exchange) => {
        exchange.meter = route;
        ANSWERS[exchange.path]?.[0](exchange);
      });
      const client = await RawClient.connect(server.port);
      const { status } = await client.request('HEAD', path);
      assert.deepEqual(server.ended, [[path, status, 0]]);
      assert.deepEqual([counted(route), counted(server.meter)], [{ '2xx': 1 }, {}]);
      client.close();
    });
  }

  test('without an answer has no status and no time, and is gone', async () => {
    const exchanges: Exchange[] = [];
    await using server = await serve(open, (exchange) => exchanges.push(exchange));
    const client = await RawClient.connect(server.port);
    client.send(head('GET', '/waits'));
    await eventually('it came', () => exchanges.length === 1);
    client.close();
    await eventually('its end', () => server.ended.length > 0);
    exchanges[0]?.reply(200, [], 'too late');
    assert.deepEqual(server.ended, [['/waits', 0, 0]]);
    assert.deepEqual([counted(server.meter), server.meter.duration.figures.count], [{ gone: 1 }, 0]);
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

  for (const [body, onExchange] of Object.entries(IN_BODY)) {
    // On a connection that goes on, uws refuses at once and reads the body later.
    if (name === 'uws' && body !== 'that is read') continue;
    for (const [how, leave] of Object.entries(LEAVING)) {
      test(`in the middle of a body ${body}, by a client that ${how}, is one, and gone`, async () => {
        await using server = await serve(open, onExchange);
        for (const bytes of HALF_REQUESTS) {
          const client = await RawClient.connect(server.port);
          client.send(bytes);
          await eventually('it has come', () => server.listener.open.requests === 1);
          leave(client);
          await eventually('the server knows', () => server.listener.open.connections === 0);
          assert.deepEqual(server.ended.splice(0), [['/', 0, 0]], bytes);
          client.close();
        }
        assert.deepEqual(counted(server.meter), { gone: HALF_REQUESTS.length });
        assert.deepEqual([server.refused, server.faults], [[], []]);
      });
    }
  }
});

for (const [body, onExchange] of Object.entries(IN_BODY)) {
  test(`no HTTP in a body ${body}, is answered once and counted once, on node`, async () => {
    await using server = await serve(openNode, onExchange);
    const client = await RawClient.connect(server.port);
    client.send(head('POST', '/', ['transfer-encoding: chunked']), 'zz\r\n');
    const reply = await client.reply();
    assert.deepEqual([reply.status, reply.headers.get('x-refused')], [400, 'yes']);
    await client.closed;
    assert.deepEqual(counted(server.meter), { '4xx': 1 });
    assert.deepEqual(server.ended, [['/', 400, reply.bytes.length]]);
    assert.deepEqual(server.refused, []);
  });
}

test('what is no request at all is refused as one of its own, with its address, on node', async () => {
  await using server = await serve(openNode, () => assert.fail('it is no request'));
  for (const bytes of ['garbage\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n', head('CONNECT', 'test:443')]) {
    const client = await RawClient.connect(server.port);
    client.send(bytes);
    assert.equal((await client.reply()).status, 400);
    client.close();
    assert.deepEqual(server.refused.splice(0), ['127.0.0.1'], bytes);
  }
});
