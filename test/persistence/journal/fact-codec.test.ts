/** Facts of every kind as bytes: read as they were written, and refused for any bit that is another one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Adjustment } from '../../../src/engine/adjustments.ts';
import type { Fact } from '../../../src/engine/fact.ts';
import { NO_ITEM, type Order, STORED_REFUSAL_CODES, type StoredRefusal } from '../../../src/engine/orders.ts';
import { ByteReader, DamagedDataError } from '../../../src/persistence/codec/byte-reader.ts';
import { ByteWriter } from '../../../src/persistence/codec/byte-writer.ts';
import { readFact, writeFact } from '../../../src/persistence/journal/fact-codec.ts';
import { GENESIS } from '../../../src/persistence/journal/frame-log.ts';
import {
  decodeFacts,
  encodeFrame,
  readHead,
  visitFacts,
} from '../../../src/persistence/journal/journal-frame.ts';
import { NOW_MS } from '../../engine/commands.ts';

const REQUEST = {
  accountId: 7,
  idempotencyKey: 'k'.repeat(128),
  productId: 2 ** 40,
  quantity: 3,
  expectedPriceUsdt: 0.30000000000000004,
  recipientUsername: '@somebody',
  requestNumber: 0,
};

const ORDER: Order = {
  ...REQUEST,
  orderId: 9_007_199_254_740_991,
  status: 'completed',
  totalMicros: 300_000,
  balanceAfterMicros: 8_999_999_999_999_999,
  firstItem: 0,
  fileId: null,
  textCount: 0,
  adjustments: [],
  priceRule: 'product',
  priceListId: null,
  createdAtMs: NOW_MS,
};

const ADJUSTMENTS: Adjustment[] = [
  { kind: 'refund', part: 'items', key: 'once ☃', atMs: NOW_MS, amountMicros: 1, items: [0, 9_999] },
  {
    kind: 'replacement',
    key: 'k',
    atMs: NOW_MS,
    amountMicros: 0,
    items: [1],
    oldItems: [null],
    newItems: [7],
  },
  { kind: 'refund', part: 'rest', key: '', atMs: NOW_MS, amountMicros: 299_999, items: [] },
];

function placed(changes: Partial<Order>): Fact {
  return { kind: 'OrderPlaced', order: { ...ORDER, ...changes }, atMs: NOW_MS };
}

function refused(changes: Partial<StoredRefusal>): Fact {
  const refusal: StoredRefusal = { ...REQUEST, code: 'NOT_FOUND', currentPriceMicros: null, ...changes };
  return { kind: 'PurchaseRefused', refusal, atMs: NOW_MS };
}

/** Purchases, which are laid out field by field, with everything that one can deliver; and some of the others, which are JSON. */
const FACTS: Fact[] = [
  {
    kind: 'AccountCreated',
    accountId: 1,
    profile: { name: 'Zoë ☃ 𝄞', rateLimitPerMinute: null, webhookConcurrency: 1 },
    atMs: NOW_MS,
  },
  placed({}),
  placed({ firstItem: NO_ITEM, fileId: '0123456789abcdef0123456789abcdef' }),
  placed({ firstItem: NO_ITEM, textCount: 10_000 }),
  placed({ firstItem: NO_ITEM, status: 'pending_delivery' }),
  {
    kind: 'SupplierStockChanged',
    supplierId: 1,
    changes: [
      { productId: 1, sku: 'x', available: 2 ** 53 - 1 },
      { productId: 2, sku: 'y', available: 'unlimited' },
    ],
    atMs: NOW_MS,
  },
  placed({ firstItem: NO_ITEM, status: 'refunded', textCount: 2, adjustments: ADJUSTMENTS }),
  placed({ priceRule: null }),
  { ...placed({ firstItem: NO_ITEM, textCount: 1 }), thresholdUsdt: 0.1 } as Fact,
  placed({ priceRule: 'account', status: 'refunded' }),
  placed({ priceRule: 'list', priceListId: 4 }),
  placed({ priceRule: 'percent', priceListId: 2 ** 32 - 1, adjustments: ADJUSTMENTS }),
  refused({ recipientUsername: null, code: 'PRICE_CHANGED', currentPriceMicros: 0 }),
  ...STORED_REFUSAL_CODES.map((code) => refused({ code })),
  { kind: 'KeyRevoked', accountId: 1, atMs: NOW_MS },
];

test('every fact is read as it was written', () => {
  const out = new ByteWriter(1);
  for (const fact of FACTS) writeFact(out, fact);
  const reader = new ByteReader(out.copy());
  for (const fact of FACTS) assert.deepEqual(readFact(reader), fact);
  assert.ok(reader.isAtEnd);
});

test('a frame is refused for every byte that has another bit or is missing', () => {
  const frame = encodeFrame(new ByteWriter(), 42, FACTS, GENESIS.hash);
  const { firstSequence, previousHash } = readHead(frame);
  const facts = decodeFacts(frame, readHead(frame));
  assert.deepEqual(
    { firstSequence, facts, previousHash },
    { firstSequence: 42, facts: FACTS, previousHash: GENESIS.hash },
  );
  for (const [at, byte] of frame.entries()) {
    const damaged = Buffer.from(frame.with(at, byte ^ (1 << (at % 8))));
    assert.throws(() => decodeFacts(damaged, readHead(damaged)), DamagedDataError, `byte ${at}`);
  }
  for (let length = 0; length < frame.length; length += 1) {
    const cut = frame.subarray(0, length);
    assert.throws(() => decodeFacts(cut, readHead(cut)), DamagedDataError, `${length} bytes`);
  }
});

test('a visitor that does without purchases gets every other fact, in its place', () => {
  const frame = encodeFrame(new ByteWriter(), 42, FACTS, GENESIS.hash);
  const visited: [number, Fact][] = [];
  const visitor = {
    fact: (fact: Fact, sequence: number) => visited.push([sequence, fact]),
    skipsPurchases: true,
  };
  visitFacts(frame, readHead(frame), visitor);
  const numbered = FACTS.map((fact, index): [number, Fact] => [42 + index, fact]);
  const others = numbered.filter(([, { kind }]) => kind !== 'OrderPlaced' && kind !== 'PurchaseRefused');
  assert.ok(others.length < FACTS.length);
  assert.deepEqual(visited, others);
});

test('a visitor is told of purchases that it does not want: which product they took items of, and when', () => {
  const own = placed({ accountId: 8 });
  const facts = [...FACTS, own, placed({ productId: 5, firstItem: 3 })];
  const frame = encodeFrame(new ByteWriter(), 42, facts, GENESIS.hash);
  const visited: unknown[] = [];
  visitFacts(frame, readHead(frame), {
    fact: (fact, sequence) => visited.push([sequence, fact]),
    purchases: {
      wants: (accountId) => accountId === 8,
      passed: (productId, sequence, atMs) => visited.push([sequence, productId, atMs]),
    },
  });
  const expected = facts.map((fact, index) => {
    const isPurchase = fact.kind === 'OrderPlaced' || fact.kind === 'PurchaseRefused';
    if (!isPurchase || fact === own) return [42 + index, fact];
    const tookItems = fact.kind === 'OrderPlaced' && fact.order.firstItem !== NO_ITEM;
    return [42 + index, tookItems ? fact.order.productId : 0, NOW_MS];
  });
  assert.deepEqual(visited, expected);
});
