/** Facts of every kind as bytes: read as they were written, and refused for any bit that is another one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Adjustment } from '../../src/engine/adjustments.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { NO_ITEM, type Order, STORED_REFUSAL_CODES } from '../../src/engine/orders.ts';
import { NO_ORDER } from '../../src/engine/supplier-purchases.ts';
import { ByteReader, DamagedDataError } from '../../src/persistence/codec/byte-reader.ts';
import { ByteWriter } from '../../src/persistence/codec/byte-writer.ts';
import { readFact, writeFact } from '../../src/persistence/journal/fact-codec.ts';
import { GENESIS } from '../../src/persistence/journal/frame-log.ts';
import {
  decodeFacts,
  encodeFrame,
  readHead,
  visitFacts,
} from '../../src/persistence/journal/journal-frame.ts';
import { NOW_MS, PRODUCT } from '../engine/commands.ts';

const REQUEST = {
  accountId: 7,
  idempotencyKey: 'k'.repeat(128),
  productId: 2 ** 40,
  quantity: 3,
  expectedPriceUsdt: 0.30000000000000004,
  recipientUsername: '@somebody',
  requestNumber: 0,
};

const FILE = {
  fileId: '0123456789abcdef0123456789abcdef',
  sizeBytes: 2 ** 30,
  contentType: 'application/zip',
  sha256: 'ab'.repeat(32),
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

const SUPPLIER = { name: 'Codes', url: 'http://supplier.example/api', sealedSecret: 'c2VhbGVk' };

const ACCOUNT = { name: 'Zoë ☃ 𝄞', rateLimitPerMinute: null, webhookConcurrency: 1 };
const RELEASED = {
  kind: 'HoldReleased',
  supplierPurchaseId: 1,
  accountId: 7,
  productId: 1,
  orderId: NO_ORDER,
  reference: 'pur_1_1',
  totalMicros: 300_000,
} as const;

function placed(changes: Partial<Order>): Fact {
  return { kind: 'OrderPlaced', order: { ...ORDER, ...changes }, atMs: NOW_MS };
}

function refused(code: (typeof STORED_REFUSAL_CODES)[number]): Fact {
  return { kind: 'PurchaseRefused', refusal: { ...REQUEST, code, currentPriceMicros: null }, atMs: NOW_MS };
}

/** A fact but for its time. */
type Untimed<F> = F extends { readonly atMs: number } ? Omit<F, 'atMs'> : never;

/** Of every kind, and an order of everything that one can deliver. */
const UNTIMED: Untimed<Fact>[] = [
  { kind: 'AccountCreated', accountId: 1, profile: ACCOUNT },
  { kind: 'AccountUpdated', accountId: 1, profile: { ...ACCOUNT, rateLimitPerMinute: 5 } },
  {
    kind: 'KeyIssued',
    accountId: 1,
    key: { prefix: 'pk_live_1', sha256: 'ab', scopes: ['orders:read'], issuedAtMs: NOW_MS, isActive: true },
  },
  { kind: 'KeyRevoked', accountId: 1 },
  {
    kind: 'WebhookSet',
    accountId: 1,
    webhook: {
      url: 'https://buyer.example/hook',
      events: ['order.completed', 'balance.low'],
      balanceThresholdUsdt: 12.5,
      sealedSecret: 'c2VhbGVk',
    },
  },
  { kind: 'WebhookRemoved', accountId: 1 },
  { kind: 'WebhookResealed', accountId: 1, sealedSecret: 'c2VhbGVk' },
  {
    kind: 'WalletCredited',
    credit: { accountId: 1, reference: 'r', amountMicros: -5, balanceAfterMicros: 0 },
  },
  { kind: 'ProductCreated', productId: 1, profile: PRODUCT },
  { kind: 'ProductUpdated', productId: 1, profile: PRODUCT },
  { kind: 'ProductUpdated', productId: 1, profile: PRODUCT, dropsSuppliedStock: true },
  {
    kind: 'SupplierStockChanged',
    supplierId: 1,
    changes: [
      { productId: 1, available: 2 ** 53 - 1 },
      { productId: 2, available: 'unlimited' },
    ],
  },
  { kind: 'ProductFileSet', productId: 1, file: FILE },
  { kind: 'EventGroupClosed', windowMs: 0 },
  {
    kind: 'BaselineSet',
    format: 1,
    position: 3,
    hash: 'ab'.repeat(32),
    state: 'cd'.repeat(32),
    archive: 's3://old/shop',
  },
  {
    kind: 'StockAdded',
    productId: 1,
    firstItem: 0,
    count: 10,
    lot: { lotId: 1, source: 'Zoë', costMicros: 0, reference: 'r' },
  },
  { kind: 'StockWithdrawn', productId: 1, ranges: [{ firstItem: 0, count: 2 }] },
  {
    kind: 'LotRecalled',
    lot: {
      lotId: 1,
      productId: 1,
      firstItem: 0,
      count: 10,
      addedAtMs: 1,
      recall: { atMs: NOW_MS, withdrawn: 8 },
    },
    ranges: [{ firstItem: 2, count: 8 }],
  },
  { kind: 'OperatorActed', action: 'WebhooksReplayed', accountId: 1, sinceMs: 0 },
  { kind: 'ItemsSearched', productId: 1, found: [{ productId: 1, lotId: 1 }] },
  placed({}),
  placed({ firstItem: NO_ITEM, fileId: FILE.fileId }),
  placed({ firstItem: NO_ITEM, textCount: 10_000 }),
  placed({ firstItem: NO_ITEM, status: 'pending_delivery' }),
  placed({ firstItem: NO_ITEM, status: 'refunded', textCount: 2, adjustments: ADJUSTMENTS }),
  {
    kind: 'PurchaseRefused',
    refusal: {
      ...REQUEST,
      recipientUsername: null,
      requestNumber: 0,
      code: 'PRICE_CHANGED',
      currentPriceMicros: 0,
    },
  },
  ...STORED_REFUSAL_CODES.map(refused),
  { kind: 'SupplierCreated', supplierId: 1, profile: SUPPLIER },
  { kind: 'SupplierUpdated', supplierId: 1, profile: SUPPLIER },
  { kind: 'SupplierResealed', supplierId: 1, sealedSecret: 'c2VhbGVk' },
  {
    kind: 'HoldPlaced',
    supplierPurchase: {
      ...REQUEST,
      supplierPurchaseId: 1,
      reference: 'pur_1_1700000000000',
      supplierId: 1,
      sku: 'x',
      totalMicros: 300_000,
      phase: 'held',
      orderId: 0,
      cause: null,
      createdAtMs: NOW_MS,
    },
  },
  {
    kind: 'HoldCaptured',
    supplierPurchaseId: 1,
    order: { ...ORDER, firstItem: NO_ITEM, status: 'pending_delivery' },
  },
  { ...RELEASED, code: 'OUT_OF_STOCK', refusal: null, isUnresolved: false },
  {
    ...RELEASED,
    code: 'PROVIDER_TIMEOUT',
    refusal: { ...REQUEST, code: 'PROVIDER_TIMEOUT', currentPriceMicros: null },
    isUnresolved: true,
  },
  {
    kind: 'SupplierPurchaseReconciled',
    supplierPurchaseId: 1,
    result: 'delivered',
    delivered: 3,
    productId: 1,
    firstItem: 0,
    count: 3,
  },
  refused('NOT_FOUND'),
];
const FACTS = UNTIMED.map((fact) => ({ ...fact, atMs: NOW_MS }) as Fact);

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
