/** The check of the webhooks' benchmark: what it must notice, each committed once; and what it keeps receipts in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerLog } from '../../../bench/load/answer-log.ts';
import { Violations } from '../../../bench/violations.ts';
import { DeliveryBook, percentile } from '../../../bench/webhooks/delivery-book.ts';
import { ReceiptLog } from '../../../bench/webhooks/receipt-log.ts';
import type { CheckedReceipt } from '../../../bench/webhooks/receiver-messages.ts';
import { webhookOptions } from '../../../bench/webhooks/webhook-options.ts';

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

const harmless = [
  { name: 'a repeat', receipts: [receipt(12), receipt(12, { attempt: 2 }), receipt(13)], repeats: 1 },
  { name: 'a retry that is late', receipts: [receipt(13), receipt(12, { attempt: 2 })], repeats: 0 },
];
for (const { name, receipts, repeats } of harmless) {
  test(`${name} is allowed`, () => {
    const { book, violations } = bookOfPurchases();
    book.received(receipts);
    assert.deepEqual(violations.lines(), []);
    assert.equal(book.repeats, repeats);
  });
}

const sins = [
  { name: 'a wrong signature', receipts: [receipt(12, { fault: 'forged' })], sentence: /order 12 .* forged/ },
  { name: "somebody else's event", receipts: [receipt(11)], sentence: /order 11 .* not its own receiver/ },
  { name: 'what nobody bought', receipts: [receipt(99)], sentence: /order 99 .* not bought/ },
  {
    name: 'first attempts out of order',
    receipts: [receipt(13), receipt(12)],
    sentence: /12 .* out of order/,
  },
];
for (const { name, receipts, sentence } of sins) {
  test(`${name} is noticed`, () => {
    const { book, violations } = bookOfPurchases();
    book.received(receipts);
    assert.equal(violations.count, 1);
    assert.match(violations.lines()[0] ?? '', sentence);
  });
}

test('a delivery that never came is missing', () => {
  const { book } = bookOfPurchases();
  book.received([receipt(12)]);
  assert.equal(book.missing(1), 1);
});

test('receipts are read as they came, over the ends of chunks, and once', () => {
  const log = new ReceiptLog(64 * 1024 * 1024);
  const body = Buffer.alloc(1_000_000, 'b');
  for (let number = 1; number <= 9; number += 1)
    log.add(number, startMs + number, `s${number}\nr\ne\n`, body);
  const receipts = [...log.take()];
  assert.deepEqual(
    receipts.map(({ receiver, signature, receivedAtMs }) => [receiver, signature, receivedAtMs - startMs]),
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => [number, `s${number}`, number]),
  );
  assert.ok(receipts.every((one) => one.body.length === body.length && one.eventId === 'e'));
  assert.deepEqual([...log.take()], []);
  const small = new ReceiptLog(4 * 1024 * 1024);
  small.add(1, startMs, 's\nr\ne\n', Buffer.alloc(3_000_000));
  assert.throws(() => small.add(1, startMs, 's\nr\ne\n', Buffer.alloc(3_000_000)), /--seconds/);
});

test('percentiles are values that were seen', () => {
  assert.equal(percentile([1, 2, 3, 4], 50), 2);
  assert.equal(percentile([1, 2, 3, 4], 99), 4);
  assert.equal(percentile([], 99), Number.NaN);
});

test('flags that make no sense are refused in a sentence', () => {
  assert.throws(() => webhookOptions({ scenario: 'nothing' }), /there is no scenario "nothing"/);
  assert.throws(() => webhookOptions({ dead: 'silent,gone' }), /--dead takes refusing, silent, failing/);
  assert.throws(() => webhookOptions({ rate: 'fast' }), /--rate takes whole numbers/);
  assert.deepEqual(webhookOptions({ scenario: 'shares,hanging' }).scenarios, ['hanging', 'shares']);
});
