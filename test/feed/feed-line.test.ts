/** Lines of the feed for each kind of fact, and the fields that no line has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Adjustment } from '../../src/engine/adjustments.ts';
import type { Fact, FactOf } from '../../src/engine/fact.ts';
import { NO_KEY } from '../../src/engine/orders.ts';
import { feedLine } from '../../src/feed/feed-line.ts';
import {
  account,
  captured,
  held,
  order,
  placed,
  productCreated,
  productUpdated,
  released,
  START_MS,
  webhookRemoved,
  webhookSet,
} from '../webhooks/outbox/shop-facts.ts';

const AT = { atMs: START_MS };
const ACCOUNT = { accountId: 3, name: 'account 3', rateLimitPerMinute: null, webhookConcurrency: 1 };
const PRODUCT = {
  productId: 1,
  name: 'Pin',
  description: 'A pin',
  instructions: '',
  type: 'standard',
  requiresRecipient: false,
  allowDuplicates: false,
  active: true,
  priceUsdt: 1,
  priceTiers: [],
};
const ORDER = {
  orderId: 9,
  accountId: 1,
  status: 'completed',
  productId: 1,
  quantity: 1,
  totalPriceUsdt: 1,
  balanceAfterUsdt: 50,
  createdAt: START_MS,
  idempotencyKey: 'key 9',
};
const HELD = held(4, 1) as FactOf<'HoldPlaced'>;
const RETURNED = { amountMicros: 500_000, balanceMicros: 51_000_000 };
const SHOWN_RETURNED = { amountUsdt: 0.5, balanceUsdt: 51 };
const ADJUSTED = { key: 'once', atMs: START_MS, items: [0] };
const REFUND: Adjustment = { ...ADJUSTED, kind: 'refund', part: 'items', amountMicros: 500_000 };
const REPLACEMENT: Adjustment = {
  ...ADJUSTED,
  kind: 'replacement',
  amountMicros: 0,
  oldItems: [3],
  newItems: [7],
};
const FORK = { position: 40, hash: 'ab' };
const SHOWN_FORK = { seq: 40, hash: 'ab' };
const NONE_TAKEN = { count: 0, rows: [] };
const NEXT_IDS = {
  orderId: 7,
  supplierPurchaseId: 1,
  lotId: 1,
  accountId: 4,
  productId: 3,
  supplierId: 1,
  operatorId: 1,
};
const LABEL = { source: 'Codes Ltd', costMicros: 250_000, reference: 'invoice 9' };
const SHOWN_LABEL = { source: 'Codes Ltd', costUsdt: 0.25, reference: 'invoice 9' };
const FILE = {
  fileId: '01'.repeat(16),
  sizeBytes: 5,
  contentType: 'application/zip',
  sha256: 'ab'.repeat(32),
};
const WEBHOOK = { events: ['order.completed'], balanceThresholdUsdt: 2.5 } as const;
const URL_WITH_SECRET = 'https://shop.example:8443/hooks/TOKEN?secret=SECRET';
const KEY = {
  prefix: 'pk_live_1',
  sha256: 'HASH',
  scopes: ['orders:read'],
  issuedAtMs: START_MS,
  isActive: true,
} as const;
const SUPPLIER = { supplierId: 1, name: 'Codes', host: 'codes.example' };
const SUPPLIER_FACT = {
  supplierId: 1,
  profile: { name: 'Codes', url: 'https://codes.example/TOKEN/api', sealedSecret: 'SEALED' },
};
const SHOWN_REFUSAL = {
  accountId: 1,
  productId: 2,
  quantity: 3,
  expectedPriceUsdt: 3.5,
  idempotencyKey: 'k',
};
const REFUSAL = { ...SHOWN_REFUSAL, recipientUsername: null, requestNumber: 0 };
const OUTSTANDING = {
  orderId: 9,
  epoch: 1,
  position: 7,
  salt: 'c2FsdA',
  itemHashes: ['aGFzaA'],
  missing: [0],
  former: [],
  found: [],
};

/** `kind` is the key's, and `atMs` is `START_MS`. */
type LinesOf<Kind extends Fact['kind']> = readonly (readonly [
  fact: Omit<FactOf<Kind>, 'kind' | 'atMs'> | Fact,
  line: object,
])[];

const LINES: { readonly [Kind in Fact['kind']]: LinesOf<Kind> } = {
  OperatorCreated: [
    [
      {
        operatorId: 1,
        profile: { name: 'anna', role: 'support' },
        token: { sha256: 'HASH', expiresAtMs: null },
      },
      { operatorId: 1, name: 'anna', role: 'support' },
    ],
  ],
  OperatorTokenIssued: [[{ operatorId: 1, tokens: [] }, { operatorId: 1 }]],
  OperatorRevoked: [
    [
      { operatorId: 1, origin: { operatorId: 0, reason: 'left', requestNumber: 4_097 } },
      { operatorId: 1, by: { operatorId: 0, reason: 'left', requestId: 'req_1704067200001_1' } },
    ],
  ],
  ItemTextsShown: same({ orderId: 5, accountId: 3, productId: 2 }),
  AccountCreated: [[account(3), { account: ACCOUNT }]],
  AccountUpdated: [
    [
      { accountId: 3, profile: { ...ACCOUNT, rateLimitPerMinute: 5 } },
      { account: { ...ACCOUNT, rateLimitPerMinute: 5 } },
    ],
  ],
  KeyIssued: [
    [
      { accountId: 3, key: KEY },
      { accountId: 3, keyPrefix: 'pk_live_1', scopes: ['orders:read'] },
    ],
  ],
  KeyRevoked: same({ accountId: 3 }),
  KeyDeactivated: same({ accountId: 1 }),
  KeyActivated: same({ accountId: 1 }),
  WebhookSet: [
    [
      webhookSet(3, { ...WEBHOOK, url: URL_WITH_SECRET, sealedSecret: 'SEALED' }),
      { accountId: 3, host: 'shop.example:8443', ...WEBHOOK },
    ],
  ],
  WebhookRemoved: [[webhookRemoved(3), { accountId: 3 }]],
  WalletCredited: [
    [
      { credit: { accountId: 3, reference: 'bank', amountMicros: -2_500_000, balanceAfterMicros: 1 } },
      { accountId: 3, reference: 'bank', amountUsdt: -2.5, balanceUsdt: 0.000001 },
    ],
  ],
  ProductCreated: [[productCreated(1), { product: PRODUCT }]],
  ProductUpdated: [
    [
      {
        ...(productUpdated(1, { priceMicros: 990_000 }) as object),
        before: { priceMicros: 2_500_000 },
      } as Fact,
      {
        product: { ...PRODUCT, priceUsdt: 0.99 },
        changes: [{ field: 'priceUsdt', from: 2.5, to: 0.99 }],
      },
    ],
    [
      productUpdated(1, { priceMicros: 990_000, priceTiers: [{ minQuantity: 10, priceMicros: 900_000 }] }),
      { product: { ...PRODUCT, priceUsdt: 0.99, priceTiers: [{ minQuantity: 10, priceUsdt: 0.9 }] } },
    ],
  ],
  ProductFileSet: same({ productId: 1, file: FILE }),
  StockAdded: [
    [
      { productId: 1, firstItem: 0, count: 7, lot: { lotId: 3, ...LABEL } },
      { productId: 1, added: 7, lotId: 3, ...SHOWN_LABEL },
    ],
  ],
  LotRecalled: [
    [
      {
        lot: {
          lotId: 3,
          productId: 1,
          firstItem: 0,
          count: 7,
          addedAtMs: 5,
          recall: { atMs: 6, withdrawn: 2 },
        },
        ranges: [{ firstItem: 5, count: 2 }],
      },
      { productId: 1, lotId: 3, withdrawn: 2 },
    ],
  ],
  ItemsSearched: [...same({ found: [{ productId: 1, lotId: 3, orderId: 4, accountId: 5 }] })],
  OperatorActed: [
    ...same({ action: 'WebhookReplayed', accountId: 3, eventId: 'evt_3_9' } as const),
    [
      { action: 'WebhooksReplayed', accountId: 3, sinceMs: 5 },
      { action: 'WebhooksReplayed', accountId: 3, since: 5 },
    ],
  ],
  StockWithdrawn: [
    [
      { productId: 1, ranges: [{ firstItem: 4, count: 2 }] },
      { productId: 1, withdrawn: 2 },
    ],
  ],
  OrderPlaced: [
    [
      placed(9, { status: 'pending_delivery', recipientUsername: '@somebody' }),
      { order: { ...ORDER, status: 'pending_delivery', recipientUsername: '@somebody' } },
    ],
  ],
  OrderOpened: [
    [
      { order: order(9, { status: 'processing', idempotencyKey: NO_KEY }) },
      { order: { ...withoutKey(ORDER), status: 'processing' } },
    ],
  ],
  OrderPaid: [[{ order: order(9) }, { order: ORDER }]],
  OrderDelivered: [[{ order: order(9, { textCount: 2 }) }, { order: ORDER }]],
  OrderCancelled: [[{ order: order(9, { status: 'failed' }) }, { order: { ...ORDER, status: 'failed' } }]],
  OrderFailed: [
    [
      { order: order(9, { status: 'failed' }), ...RETURNED },
      { order: { ...ORDER, status: 'failed' }, ...SHOWN_RETURNED },
    ],
  ],
  OrderRefunded: [
    [
      { order: order(9, { status: 'refunded' }), ...RETURNED },
      { order: { ...ORDER, status: 'refunded' }, ...SHOWN_RETURNED },
    ],
    [
      { order: order(9, { adjustments: [REFUND] }), ...RETURNED },
      { order: { ...ORDER, refundedUsdt: 0.5 }, ...SHOWN_RETURNED, items: REFUND.items },
    ],
  ],
  OrderItemsReplaced: [
    [
      { order: order(9, { adjustments: [REPLACEMENT] }), items: [0], newItems: [7] },
      { order: ORDER, items: [0], newItems: [7] },
    ],
  ],
  PurchaseRefused: [
    [
      { refusal: { ...REFUSAL, code: 'PRICE_CHANGED', currentPriceMicros: 4_000_000 } },
      { error: 'PRICE_CHANGED', ...SHOWN_REFUSAL, currentPriceUsdt: 4 },
    ],
  ],
  SupplierCreated: [[SUPPLIER_FACT, { supplier: SUPPLIER }]],
  SupplierUpdated: [[SUPPLIER_FACT, { supplier: SUPPLIER }]],
  EventGroupClosed: same({ windowMs: 500 }),
  SupplierStockChanged: same({
    supplierId: 1,
    changes: [
      { productId: 1, available: 12 },
      { productId: 2, available: 'unlimited' },
    ],
  } as const),
  HoldPlaced: [
    [
      { supplierPurchase: { ...HELD.supplierPurchase, requestNumber: 4_097 } },
      {
        supplierPurchase: {
          requestId: 'req_1704067200001_1',
          supplierPurchaseId: 4,
          reference: 'pur_4_1',
          supplierId: 1,
          supplierSku: 'x',
          accountId: 1,
          productId: 1,
          quantity: 1,
          totalPriceUsdt: 1,
          idempotencyKey: 'key 0',
        },
      },
    ],
  ],
  HoldCaptured: [
    [captured(9, 1, 50), { supplierPurchaseId: 9, order: { ...ORDER, status: 'pending_delivery' } }],
  ],
  HoldReleased: [
    [
      released(4, 1),
      { supplierPurchaseId: 4, accountId: 1, amountUsdt: 1, error: 'OUT_OF_STOCK', isUnresolved: false },
    ],
  ],
  SupplierPurchaseReconciled: [
    [
      {
        ...{ supplierPurchaseId: 4, result: 'delivered', ended: { how: 'delivered' } },
        ...{ delivered: 3, productId: 1, firstItem: 7, count: 2 },
      },
      { supplierPurchaseId: 4, result: 'delivered', productId: 1, itemsDelivered: 3, itemsIntoStock: 2 },
    ],
    [
      {
        ...{ supplierPurchaseId: 4, result: 'delivered', ended: { how: 'delivered' } },
        ...{ delivered: 1, productId: 1, firstItem: 7, count: 1 },
        lot: { lotId: 9, source: 'Codes Ltd', reference: 'pur_4_1' },
      },
      {
        ...{ supplierPurchaseId: 4, result: 'delivered', productId: 1, itemsDelivered: 1, itemsIntoStock: 1 },
        ...{ lotId: 9, source: 'Codes Ltd', reference: 'pur_4_1' },
      },
    ],
  ],
  EpochBegun: [
    [
      {
        epoch: 2,
        fork: FORK,
        gap: { fromMs: START_MS - 5_000, lastOrderId: 2, nextOrderId: 7 },
        next: NEXT_IDS,
      },
      { fork: SHOWN_FORK, gapFrom: START_MS - 5_000, nextOrderId: 7 },
    ],
    [
      {
        epoch: 2,
        fork: FORK,
        gap: { fromMs: START_MS - 5_000, lastOrderId: 2, nextOrderId: 7 },
        next: NEXT_IDS,
        takenAway: {
          toMs: START_MS,
          isComplete: true,
          keys: { count: 1, rows: [{ accountId: 7, change: 'replaced', atMs: START_MS }] },
          operators: NONE_TAKEN,
          webhooks: NONE_TAKEN,
          products: NONE_TAKEN,
          lots: NONE_TAKEN,
          items: NONE_TAKEN,
          suppliers: NONE_TAKEN,
        },
      },
      {
        fork: SHOWN_FORK,
        gapFrom: START_MS - 5_000,
        nextOrderId: 7,
        takenAway: { keys: 1, operators: 0, webhooks: 0, products: 0, lots: 0, items: 0, suppliers: 0 },
      },
    ],
  ],
  OrderRecovered: [
    [
      { order: order(9), items: [], debitMicros: 0, waitingMicros: 1_000_000, balanceMicros: 0 },
      { order: ORDER, itemsTaken: 0, waitingUsdt: 1, balanceUsdt: 0 },
    ],
  ],
  OrderAmended: [
    [
      { order: order(9), items: [{ firstItem: 3, count: 2 }], outstanding: OUTSTANDING },
      { order: ORDER, itemsTaken: 2 },
    ],
  ],
  DebitSettled: [
    [
      { orderId: 9, accountId: 1, productId: 1, amountMicros: 1_000_000, balanceMicros: 500_000 },
      { orderId: 9, accountId: 1, amountUsdt: 1, balanceUsdt: 0.5 },
    ],
  ],
  ItemsQuarantined: [
    [
      { productId: 1, ranges: [{ firstItem: 3, count: 4 }] },
      { productId: 1, quarantined: 4 },
    ],
  ],
  QuarantineEnded: [
    [
      {
        productId: 1,
        ranges: [{ firstItem: 3, count: 4 }],
        released: { firstItem: 9, count: 4, lot: { lotId: 1_003, ...LABEL } },
      },
      { productId: 1, released: 4, lotId: 1_003, ...SHOWN_LABEL },
    ],
    [
      { productId: 1, ranges: [{ firstItem: 3, count: 4 }], released: null },
      { productId: 1, withdrawn: 4 },
    ],
    [
      { productId: 1, ranges: [{ firstItem: 3, count: 4 }], released: 'inPlace' },
      { productId: 1, released: 4 },
    ],
  ],
  SalesOpened: same({}),
};

test('a line of the feed says of each kind of fact what the operator API would', () => {
  for (const [kind, lines] of Object.entries(LINES)) {
    for (const [fields, expected] of lines) {
      const line = feedLine(41, { ...AT, ...fields, kind } as Fact, 2);
      assert.ok(line.endsWith('\n'));
      assert.deepEqual(JSON.parse(line), { seq: 41, at: START_MS, epoch: 2, type: kind, ...expected });
      assert.doesNotMatch(line, /HASH|SEALED|SECRET|TOKEN|Micros|sha256":"[^a]/);
    }
  }
});

test('it is one line, whatever texts say', () => {
  const line = feedLine(1, productUpdated(1, { description: 'two\nlines\u2028three\r\n' }), 1);
  assert.equal(line.trimEnd().split(/\r|\n/).length, 1);
});

/** The line has the fact's own fields. */
function same<Fields extends object>(fields: Fields): readonly (readonly [Fields, object])[] {
  return [[fields, fields]];
}

function withoutKey({ idempotencyKey: _, ...rest }: typeof ORDER): object {
  return rest;
}
