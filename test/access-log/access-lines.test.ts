/** From a request that has ended to its line in the access log. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccessBatch, MAX_ROWS } from '../../src/access-log/access-batch.ts';
import { AccessLines } from '../../src/access-log/access-lines.ts';

const ORIGIN_MS = 1_790_000_000_000;
const PURCHASE = {
  requestId: 'req_1790000000003_17',
  method: 'POST',
  path: '/api/v1/buyer/orders',
  route: '/api/v1/buyer/orders',
  accountId: 7,
  operator: '',
  clientAddress: '',
};
const OPERATORS = {
  ...PURCHASE,
  path: '/operator/v1/accounts/7',
  route: '/operator/v1/accounts/{id}',
  method: 'GET',
  accountId: 0,
  operator: 'anna',
  clientAddress: '2001:db8::1',
};

const made = new AccessLines();

function linesOf(batch: AccessBatch): string[] {
  return Buffer.from(made.of(batch.take(ORIGIN_MS)))
    .toString()
    .split('\n')
    .filter(Boolean);
}

function lines(...requests: readonly [listener: string, request: typeof PURCHASE, status: number][]) {
  const batch = new AccessBatch();
  for (const [listener, request, status] of requests) batch.add(listener, request, status, 412, 3.4, 1.23456);
  return linesOf(batch);
}

test('a purchase', () => {
  assert.deepEqual(lines(['buyer', PURCHASE, 201]), [
    '{"time":1790000000003,"requestId":"req_1790000000003_17","listener":"buyer","method":"POST",' +
      '"route":"/api/v1/buyer/orders","status":201,"durationMs":1.235,"bytes":412,"accountId":7}',
  ]);
});

test('a call of an operator, with its path and address, and what comes behind it', () => {
  const [first, second] = lines(['operator', OPERATORS, 200], ['buyer', PURCHASE, 201]);
  assert.equal(
    first,
    '{"time":1790000000003,"requestId":"req_1790000000003_17","listener":"operator","method":"GET",' +
      '"route":"/operator/v1/accounts/{id}","status":200,"durationMs":1.235,"bytes":412,' +
      '"path":"/operator/v1/accounts/7","operator":"anna","address":"2001:db8::1"}',
  );
  assert.deepEqual([second], lines(['buyer', PURCHASE, 201]));
});

test('whatever a client sends as its method and path is one line of JSON', () => {
  const strange = { ...PURCHASE, route: '', path: '/"\n\u2028\\\ud800', method: '"' };
  const [line = '', ...more] = lines(['buyer', strange, 404]);
  assert.deepEqual(more, []);
  const { path, method, route } = JSON.parse(line) as Record<string, unknown>;
  assert.deepEqual([path, method, route], ['/"\n\u2028\\\ud800', '"', undefined]);
});

test('a client that left before its answer', () => {
  const { aborted, status } = JSON.parse(lines(['buyer', PURCHASE, 0])[0] ?? '') as Record<string, unknown>;
  assert.deepEqual([aborted, status], [true, undefined]);
});

test('numbers of every size', () => {
  for (const bytes of [0, 9, 10, 999_999_999, 1_000_000_000, 10_000_000_000_000, Number.MAX_SAFE_INTEGER]) {
    for (const durationMs of [0, 0.0004, 0.9996, 59.999, 86_400_000.5]) {
      const batch = new AccessBatch();
      batch.add('buyer', { ...PURCHASE, accountId: 4_294_967_295 }, 200, bytes, 0, durationMs);
      const line = JSON.parse(linesOf(batch)[0] ?? '') as Record<string, unknown>;
      const rounded = Math.round(durationMs * 1_000) / 1_000;
      assert.deepEqual([line.bytes, line.durationMs, line.accountId], [bytes, rounded, 4_294_967_295]);
    }
  }
});

test('a batch is full of rows, or of characters; a long path is cut', () => {
  const batch = new AccessBatch();
  for (let count = 0; count < MAX_ROWS; count += 1) {
    assert.ok(!batch.isFull);
    batch.add('buyer', PURCHASE, 201, 0, 0, 0);
  }
  assert.ok(batch.isFull);
  batch.take(0);
  const path = `/${'x'.repeat(16_000)}`;
  while (!batch.isFull) batch.add('buyer', { ...PURCHASE, path, route: '' }, 404, 0, 0, 0);
  assert.ok(batch.rows <= 64);
  const [first = ''] = linesOf(batch);
  assert.equal((JSON.parse(first) as { path: string }).path, path.slice(0, 1_024));
});
