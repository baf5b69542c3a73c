/** The parts of the load generator that would spoil every figure if they were wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerLog, readAnswers } from '../load/answer-log.ts';
import { Pacer } from '../load/pacer.ts';
import { dividePlan, type LoadPlan } from '../load/plan.ts';
import { ReplyParser } from '../load/reply-parser.ts';
import type { Squad } from '../load/squad.ts';

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

test('replies are read whole, whatever pieces they come in, and others are refused', () => {
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
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
  assert.throws(() => parsed(chunked, 500), /no Content-Length/);
});

test('answers come back out of the log as they went in, over the ends of chunks', () => {
  const log = new AnswerLog(64 * 1024 * 1024);
  const bodies = Array.from({ length: 30_000 }, (_, index) => `{"n":${index}}`.padEnd(200 + (index % 7)));
  for (const [index, body] of bodies.entries()) {
    log.add(201, index % 3, 7, 7, index, Buffer.from(`head${body}`), 4, 4 + body.length);
  }
  const chunks = log.chunks();
  assert.ok(chunks.length > 1, 'more than one chunk was filled');
  const answers = chunks.flatMap((chunk) =>
    Array.from(readAnswers(chunk), ({ body, lane, keyNumber }) => [body.toString(), lane, keyNumber]),
  );
  assert.deepEqual(
    answers,
    bodies.map((body, index) => [body, index % 3, index]),
  );
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
