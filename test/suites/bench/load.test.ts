/** The parts of the load generator that would spoil every figure if they were wrong. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { AnswerLog, AnswerLogFullError, readAnswers } from '../../../bench/load/answer-log.ts';
import { LoadGenerator } from '../../../bench/load/load-generator.ts';
import { Pacer } from '../../../bench/load/pacer.ts';
import { dividePlan, type LoadPlan } from '../../../bench/load/plan.ts';
import { PurchaseRequests } from '../../../bench/load/purchase-request.ts';
import { ReplyParser } from '../../../bench/load/reply-parser.ts';
import { mergeSeries, Series } from '../../../bench/load/series.ts';
import type { Squad } from '../../../bench/load/squad.ts';
import { OrderSample } from '../../../bench/order-sample.ts';
import { SeenNumbers } from '../../../bench/seen-numbers.ts';
import { median, slope, spread } from '../../../bench/statistics.ts';
import { eventually } from '../../support/eventually.ts';

const plan: LoadPlan = {
  host: '127.0.0.1',
  port: 8080,
  path: '/api/v1/buyer/orders',
  keyPrefix: 'bench-',
  seed: 1,
  apiKeys: ['key-a', 'key-b'],
  products: [
    { productId: 7, priceUsdt: 0.05 },
    { productId: 1234, priceUsdt: 12.5 },
  ],
  lanes: [],
  span: { kind: 'timed', warmupMs: 0, measureMs: 1 },
  maxAnswerBytes: 16 * 1024 * 1024,
};

function parsed(replies: string, pieceBytes: number): [number, string][] {
  const seen: [number, string][] = [];
  const parser = new ReplyParser((status, bytes, start, end) =>
    seen.push([status, bytes.toString('utf8', start, end)]),
  );
  const bytes = Buffer.from(replies);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    // A receive buffer is reused: what the parser keeps must be a copy.
    const piece = Buffer.from(bytes.subarray(at, at + pieceBytes));
    parser.push(piece, piece.length);
    piece.fill(0);
  }
  return seen;
}

test('replies are read whole, whatever pieces they come in', () => {
  const replies =
    'HTTP/1.1 201 Created\r\nDate: x\r\nCONTENT-length:  11\r\nX-Request-Id: c\r\n\r\n{"a":"\r\n\r\n"' +
    'HTTP/1.1 409 Conflict\r\ncontent-length: 0\r\ncontent-type: text/plain\r\n\r\n' +
    'HTTP/1.1 200 OK\r\nContent-Type: a\r\nContent-Length: 4\r\n\r\nçé';
  const expected: [number, string][] = [
    [201, '{"a":"\r\n\r\n"'],
    [409, ''],
    [200, 'çé'],
  ];
  for (let pieceBytes = 1; pieceBytes <= replies.length + 2; pieceBytes += 1) {
    assert.deepEqual(parsed(replies, pieceBytes), expected, `in pieces of ${pieceBytes}`);
  }
});

test('what is not a reply with a length is refused, not guessed', () => {
  assert.throws(
    () => parsed('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 500),
    /no Content-Length/,
  );
  assert.throws(() => parsed('garbage garbage garbage\r\nContent-Length: 0\r\n\r\n', 500), /not a reply/);
});

test('a request changes its key, account and product, and nothing else', () => {
  const requests = new PurchaseRequests(plan);
  const request = requests.create();
  const sent = (account: number, product: number, keyNumber: number) => {
    requests.patch(request, account, product, keyNumber);
    const [head = '', body = ''] = request.toString('latin1').split('\r\n\r\n');
    const length = Number(/Content-Length: (\d+)/.exec(head)?.[1]);
    assert.equal(Buffer.byteLength(body), length);
    return {
      apiKey: /X-API-Key: (.*)/.exec(head)?.[1],
      key: /Idempotency-Key: (.*)/.exec(head)?.[1],
      body: JSON.parse(body) as unknown,
    };
  };
  assert.deepEqual(sent(1, 1, 42), {
    apiKey: 'key-b',
    key: 'bench-0000000042',
    body: { productId: 1234, quantity: 1, expectedPriceUsdt: 12.5 },
  });
  assert.deepEqual(sent(0, 0, 9_876_543_210), {
    apiKey: 'key-a',
    key: 'bench-9876543210',
    body: { productId: 7, quantity: 1, expectedPriceUsdt: 0.05 },
  });
});

test('answers come back out of the log as they went in, also over a pipe', () => {
  const log = new AnswerLog(64 * 1024 * 1024);
  const bodies = Array.from({ length: 30_000 }, (_, index) => `{"n":${index}}`.padEnd(200 + (index % 7)));
  for (const [index, body] of bodies.entries()) {
    const bytes = Buffer.from(`head${body}tail`);
    log.add(201 + (index % 300), index % 3, index % 1001, index % 65_536, index, bytes, 4, 4 + body.length);
  }
  const chunks = log.chunks();
  assert.ok(chunks.length > 1, 'more than one chunk was filled');
  let index = 0;
  for (const chunk of chunks) {
    const shifted = Buffer.concat([Buffer.alloc(1), chunk]).subarray(1);
    for (const { body, ...head } of readAnswers(shifted)) {
      assert.equal(body.toString(), bodies[index]);
      const { status, lane, account, product, keyNumber } = head;
      assert.deepEqual(
        [status, lane, account, product, keyNumber],
        [201 + (index % 300), index % 3, index % 1001, index % 65_536, index],
      );
      index += 1;
    }
  }
  assert.equal(index, bodies.length);
});

test('nothing is sent until whoever measures has seen all connections', async () => {
  let [accepted, requests] = [0, 0];
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(201, { 'content-length': 2 }).end('{}');
  });
  server.on('connection', () => {
    accepted += 1;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const generator = LoadGenerator.start(1);
  try {
    const all = { first: 0, count: 2 };
    const lane = { name: 'buyers', connections: 8, accounts: all, products: all, copies: 1 } as const;
    const { port } = server.address() as AddressInfo;
    let before: readonly number[] = [];
    const { lanes } = await generator.run(
      {
        ...plan,
        port,
        lanes: [{ ...lane, choice: 'random' }],
        span: { kind: 'counted', warmupRequests: 0, requests: 16 },
      },
      {
        onPrepared: async () => {
          await eventually('all are connected', () => accepted >= 8);
          before = [accepted, requests];
        },
        onMeasuring: async () => undefined,
        onMeasured: async () => undefined,
      },
    );
    assert.deepEqual([before, lanes[0]?.answers], [[8, 0], 16]);
  } finally {
    await generator.stop();
    server.close();
    server.closeAllConnections();
  }
});

test('an answer that finds no room fails the window', () => {
  const log = new AnswerLog(8 * 1024 * 1024);
  const bytes = Buffer.alloc(1024);
  assert.throws(() => {
    for (let count = 0; count < 10_000; count += 1) log.add(201, 0, 0, 0, count, bytes, 0, bytes.length);
  }, AnswerLogFullError);
});

test('load processes share connections, requests and buyers without losing one', () => {
  const contest = { name: 'c', accounts: { first: 0, count: 1000 }, products: { first: 5, count: 3 } };
  const parts = dividePlan(
    {
      ...plan,
      lanes: [{ ...contest, connections: 1020, choice: 'contest', copies: 20 }],
      span: { kind: 'counted', warmupRequests: 1000, requests: 2000 },
    },
    3,
  );
  const lanes = parts.flatMap((part) => part.lanes);
  assert.equal(
    lanes.reduce((sum, lane) => sum + lane.connections, 0),
    1020,
  );
  assert.ok(lanes.every((lane) => lane.connections % 20 === 0 && lane.connections > 0));
  const buyers = lanes.flatMap(({ accounts: { first, count } }) =>
    Array.from({ length: count }, (_, n) => first + n),
  );
  assert.deepEqual(
    buyers,
    Array.from({ length: 1000 }, (_, n) => n),
  );
  for (const part of parts) {
    const each = part.lanes[0]?.accounts.count ?? 0;
    assert.deepEqual(part.span, { kind: 'counted', warmupRequests: each, requests: 2 * each });
  }
  assert.equal(new Set(parts.map((part) => part.keyPrefix)).size, 3);
});

test('baskets are shared whole', () => {
  const range = { first: 0, count: 100 };
  const lane = { name: 'b', connections: 70, accounts: range, products: range, copies: 2, basket: 5 };
  const parts = dividePlan({ ...plan, lanes: [{ ...lane, choice: 'random' }] }, 3);
  assert.deepEqual(
    parts.map(({ lanes }) => lanes[0]?.connections),
    [20, 20, 30],
  );
});

test('a series counts answers by tenths of a second, and a short rest belongs to the last of them', () => {
  const series = new Series();
  for (const [atMs, latencyMs] of [
    [0, 3],
    [99.9, 5],
    [100, 1],
    [310, 7],
    [340, 2],
  ] as const)
    series.record(atMs, latencyMs);
  assert.deepEqual(series.slots(345), [
    { atMs: 0, answers: 2, maxMs: 5 },
    { atMs: 100, answers: 1, maxMs: 1 },
    { atMs: 200, answers: 2, maxMs: 7 },
  ]);
  assert.deepEqual(new Series().slots(3), [{ atMs: 0, answers: 0, maxMs: 0 }]);
});

test('series of load processes are added where they were at the same time', () => {
  const slot = (atMs: number, answers: number, maxMs: number) => ({ atMs, answers, maxMs });
  const merged = mergeSeries([
    { fromMs: 1_160, series: [slot(0, 1, 9), slot(100, 2, 1)] },
    { fromMs: 1_000, series: [slot(0, 4, 2), slot(100, 8, 3), slot(200, 16, 4)] },
  ]);
  assert.deepEqual(merged, [slot(0, 4, 2), slot(100, 8, 3), slot(200, 17, 9), slot(300, 2, 1)]);
});

test('seen numbers are exact', () => {
  const seed = Math.floor(Math.random() * 1e9);
  const seen = new SeenNumbers();
  const model = new Set<number>();
  let state = seed;
  for (let count = 0; count < 50_000; count += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const value = state % 100_000;
    assert.equal(seen.add(value), !model.has(value), `number ${value}, seed ${seed}`);
    model.add(value);
  }
});

test('a sample of a long run is even, a short run is kept whole', () => {
  const offerAll = (capacity: number, offered: number) => {
    const sample = new OrderSample(capacity, 3);
    for (let orderId = 0; orderId < offered; orderId += 1) sample.offer({ account: 0, orderId, text: '' });
    return sample.orders.map((order) => order.orderId);
  };
  assert.deepEqual(offerAll(5, 3), [0, 1, 2]);
  const kept = offerAll(1000, 20_000);
  assert.equal(new Set(kept).size, 1000);
  const early = kept.filter((orderId) => orderId < 10_000).length;
  assert.ok(early > 400 && early < 600, `${early} of 1,000 are from the first half`);
});

test('figures over rounds', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.deepEqual(spread([5, undefined, 1]), { median: 3, min: 1, max: 5 });
  assert.equal(spread([undefined]), undefined);
  const line = [1, 2, 3].map((x) => ({ x, y: 3 * x - 1 }));
  assert.equal(slope(line), 3);
  assert.equal(slope([{ x: 1, y: 1 }]), undefined);
});

test('an open loop sends at its rate, and late requests count from when they were due', () => {
  const pacer = new Pacer(1_000);
  const sent: number[] = [];
  const squad = { send: (dueMs: number) => sent.push(dueMs) } as unknown as Squad;
  pacer.start(5_000);
  try {
    pacer.offer(squad, 5_000);
    pacer.offer(squad, 5_000.5);
    assert.deepEqual(sent, [5_000], 'the second waits until it is due');
    pacer.offer(squad, 5_003);
    pacer.offer(squad, 5_003);
    pacer.offer(squad, 5_003);
    assert.deepEqual(sent, [5_000, 5_001, 5_002, 5_003]);
    pacer.finish();
    assert.equal(sent.length, 5, 'who waits is let go at the end');
  } finally {
    pacer.stop();
  }
});
