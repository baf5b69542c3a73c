/** The check of the webhooks' benchmark: what it must notice, each committed once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerLog } from '../load/answer-log.ts';
import { Violations } from '../shop/violations.ts';
import { DeliveryBook } from '../webhooks/delivery-book.ts';
import type { CheckedReceipt } from '../webhooks/receiver-messages.ts';

const startMs = 1_767_225_600_000;
const PURCHASES = [
  { account: 0, orderId: 11 },
  { account: 1, orderId: 12 },
  { account: 1, orderId: 13 },
];

/** A book of three purchases, made a second apart, by account 0, whose receiver hangs, and account 1. */
function bookOfPurchases() {
  const log = new AnswerLog(16 * 1024 * 1024);
  for (const [index, { account, orderId }] of PURCHASES.entries()) {
    const body = Buffer.from(JSON.stringify({ orderId, createdAt: startMs + index * 1_000 }));
    log.add(201, 0, account, 0, index, body, 0, body.length);
  }
  const refusal = Buffer.from('{"error":"OUT_OF_STOCK"}');
  log.add(409, 0, 1, 0, 9, refusal, 0, refusal.length);
  const violations = new Violations();
  const book = new DeliveryBook(violations);
  assert.equal(book.bought([log.chunks()], 1), 2, 'two purchases have receivers that answer');
  return { book, violations };
}

function receipt(orderId: number, changes: Partial<CheckedReceipt> = {}): CheckedReceipt {
  return { receiver: 1, orderId, attempt: 1, receivedAtMs: startMs + 1_500, ...changes };
}

test('what is received as it should be is no violation, and gives delays and rates', () => {
  const { book, violations } = bookOfPurchases();
  book.received([receipt(12), receipt(13, { receivedAtMs: startMs + 2_030 })]);
  assert.deepEqual(violations.lines(), []);
  assert.equal(book.missing(1), 0);
  assert.equal(book.missing(0), 1, 'what hangs is missing');
  const all = { fromMs: startMs, toMs: startMs + 4_000 };
  assert.deepEqual(book.delaysMs(all, 1), [30, 500]);
  assert.deepEqual(book.delaysMs({ ...all, fromMs: startMs + 1_001 }, 1), [30]);
  assert.equal(book.deliveriesPerSecond(all), 0.5);
  assert.equal(book.lastReceiptMs, startMs + 2_030);
});

const deliveries: readonly [what: string, receipts: readonly CheckedReceipt[], violation?: RegExp][] = [
  ['a repeat', [receipt(12), receipt(12, { attempt: 2 }), receipt(13)]],
  ['a retry that is late', [receipt(13), receipt(12, { attempt: 2 })]],
  ['a wrong signature', [receipt(12, { fault: 'forged' })], /order 12 .* forged/],
  ["somebody else's event", [receipt(11)], /order 11 .* not its own receiver/],
  ['what nobody bought', [receipt(99)], /order 99 .* not bought/],
  ['first attempts out of order', [receipt(13), receipt(12)], /12 .* out of order/],
];
test('what is wrong is noticed, and what is late or comes again is allowed', () => {
  for (const [what, receipts, violation] of deliveries) {
    const { book, violations } = bookOfPurchases();
    book.received(receipts);
    assert.equal(violations.count, violation === undefined ? 0 : 1, what);
    if (violation !== undefined) assert.match(violations.lines()[0] ?? '', violation, what);
  }
});
