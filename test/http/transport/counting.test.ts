/** Every reply is counted once, with the status that left, by the meter of its route or else by the listener's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Exchange } from '../../../src/http/transport/transport.ts';
import { RequestMeter } from '../../../src/metrics/request-meter.ts';
import { eventually } from '../../support/eventually.ts';
import { head, RawClient } from './raw-client.ts';
import { onBothTransports, openNode, serve } from './under-test.ts';

const BODY = { lengthBytes: 4, idleTimeoutMs: 10_000, close: async () => {} };

/** A chunked body has no length that could be seen to be missed. */
const HALF_REQUESTS: readonly (readonly [what: string, bytes: string])[] = [
  ['with a length', `${head('POST', '/', ['content-length: 4'])}ab`],
  ['in chunks', `${head('POST', '/', ['transfer-encoding: chunked'])}4\r\nab`],
];
const LEAVING: Readonly<Record<string, (client: RawClient) => void>> = {
  'closes its connection': (client) => client.close(),
  'ends its side only': (client) => client.socket.end(),
  'resets its connection': (client) => client.socket.resetAndDestroy(),
};
const IN_BODY: Readonly<Record<string, (exchange: Exchange) => void>> = {
  'that is read': (exchange) => exchange.readBody(100, () => exchange.reply(200, [], 'whole, or not')),
  'that nobody reads, after a refusal': (exchange) => exchange.reply(401, [], 'who are you?'),
};

/** The classes that were counted, and how often. */
function counted({ answers }: RequestMeter): Record<string, number> {
  return Object.fromEntries(answers.filter(([, count]) => count > 0));
}

onBothTransports('a reply', (open) => {
  const cases: [name: string, onExchange: (exchange: Exchange) => void, classes: Record<string, number>][] = [
    ['without a body', (exchange) => exchange.reply(204, [], ''), { '2xx': 1 }],
    ['that says there is nothing new', (exchange) => exchange.reply(304, [], ''), { '3xx': 1 }],
    ['that refuses', (exchange) => exchange.reply(404, [], 'no'), { '4xx': 1 }],
    [
      'given twice',
      (exchange) => {
        exchange.reply(201, [], 'yes');
        exchange.reply(500, [], 'no');
      },
      { '2xx': 1 },
    ],
    [
      'of a handler that throws',
      () => {
        throw new Error('broken');
      },
      { '5xx': 1 },
    ],
    ['whose header can’t be sent', (exchange) => exchange.reply(200, [['x-a', 'a\nb']], 'yes'), { '5xx': 1 }],
    [
      'that is streamed',
      (exchange) => {
        const chunks = [Buffer.from('abcd')];
        exchange.replyStream(200, [], { ...BODY, read: async () => chunks.shift() });
      },
      { '2xx': 1 },
    ],
    [
      'whose stream fails at once: its client gets 500',
      (exchange) =>
        exchange.replyStream(200, [], { ...BODY, read: () => Promise.reject(new Error('broken')) }),
      { '2xx': 1, '5xx': 1 },
    ],
  ];
  for (const [name, onExchange, classes] of cases) {
    test(`${name} is counted`, async () => {
      await using server = await serve(open, onExchange);
      const client = await RawClient.connect(server.port);
      await client.request('GET', '/');
      client.close();
      assert.deepEqual(counted(server.meter), classes);
      const { count } = server.meter.duration.figures;
      assert.equal(
        count,
        Object.values(classes).reduce((sum, each) => sum + each),
      );
    });
  }

  test('is counted by the meter that it was given, HEAD like GET', async () => {
    const route = new RequestMeter({ listener: 'buyer', method: 'GET', route: '/a' });
    await using server = await serve(open, (exchange) => {
      exchange.meter = route;
      exchange.reply(200, [], 'yes');
    });
    for (const method of ['GET', 'HEAD']) {
      const client = await RawClient.connect(server.port);
      await client.request(method, '/a');
      client.close();
    }
    assert.deepEqual([counted(route), counted(server.meter)], [{ '2xx': 2 }, {}]);
  });

  test('whose client leaves before it is counted as gone, without a time', async () => {
    const exchanges: Exchange[] = [];
    await using server = await serve(open, (exchange) => exchanges.push(exchange));
    const client = await RawClient.connect(server.port);
    client.send('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await eventually('it has come', () => exchanges.length > 0);
    client.close();
    await eventually('the server knows', () => exchanges[0]?.finished === true);
    exchanges[0]?.reply(200, [], 'too late');
    assert.deepEqual([counted(server.meter), server.meter.duration.figures.count], [{ gone: 1 }, 0]);
  });

  test('that still waits for the rest of a body when its client leaves is counted as gone', async () => {
    await using server = await serve(open, (exchange) => exchange.reply(200, [], 'early'));
    const client = await RawClient.connect(server.port);
    client.send(head('POST', '/', ['content-length: 4', 'connection: close']), 'ab');
    await eventually('it has come', () => server.listener.open.requests === 1);
    client.close();
    await eventually('the server knows', () => server.ended.length > 0);
    assert.deepEqual([counted(server.meter), server.meter.duration.figures.count], [{ gone: 1 }, 0]);
  });

  test('that comes after 30 ms has a duration of at least that', async () => {
    await using server = await serve(open, (exchange) => {
      setTimeout(() => exchange.reply(200, [], 'yes'), 30);
    });
    const client = await RawClient.connect(server.port);
    await client.request('GET', '/');
    client.close();
    const { sum } = server.meter.duration.figures;
    assert.ok(sum >= 29 && sum < 30_000, `${sum}`);
  });
});

onBothTransports('a client in the middle of a body', (open, name) => {
  for (const [body, onExchange] of Object.entries(IN_BODY)) {
    // On a connection that goes on, uws refuses at once and reads the body later.
    if (name === 'uws' && body !== 'that is read') continue;
    for (const [how, leave] of Object.entries(LEAVING)) {
      test(`${body}, that ${how}, was one request, and is gone`, async () => {
        await using server = await serve(open, onExchange);
        for (const [what, bytes] of HALF_REQUESTS) {
          const client = await RawClient.connect(server.port);
          client.send(bytes);
          await eventually('it has come', () => server.listener.open.requests === 1);
          leave(client);
          await eventually('the server knows', () => server.listener.open.connections === 0);
          assert.deepEqual(server.ended.splice(0), [['/', 0, 0]], what);
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
