/** Lines of the feed for facts of orders, suppliers, and what follows a restore. */
import { NO_KEY } from '../../src/engine/orders.ts';
import { captured, order, placed, released, START_MS } from '../webhooks/outbox/shop-facts.ts';
import {
  FORK,
  HELD,
  LABEL,
  type LinesOfSome,
  NEXT_IDS,
  NONE_TAKEN,
  ORDER,
  OUTSTANDING,
  REFUND,
  REFUSAL,
  REPLACEMENT,
  RETURNED,
  SHOWN_FORK,
  SHOWN_LABEL,
  SHOWN_REFUSAL,
  SHOWN_RETURNED,
  SUPPLIER,
  SUPPLIER_FACT,
  same,
  withoutKey,
} from './facts-with-fields.ts';

export const ORDER_LINES = {
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
  SupplierStockChanged: [
    [
      {
        supplierId: 1,
        changes: [
          { productId: 1, sku: 'x', available: 12 },
          { productId: 2, sku: 'y', available: 'unlimited' },
        ],
      },
      {
        supplierId: 1,
        changes: [
          { productId: 1, supplierSku: 'x', available: 12 },
          { productId: 2, supplierSku: 'y', available: 'unlimited' },
        ],
      },
    ],
  ],
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
  HoldPassed: [
    [
      {
        supplierPurchaseId: 3,
        ended: { how: 'out_of_stock' },
        supplierPurchase: { ...HELD.supplierPurchase, holdReference: 'pur_3_1', recipientUsername: '@buyer' },
      },
      {
        supplierPurchaseId: 3,
        result: 'out_of_stock',
        supplierPurchase: {
          supplierPurchaseId: 4,
          reference: 'pur_4_1',
          holdReference: 'pur_3_1',
          supplierId: 1,
          supplierSku: 'x',
          accountId: 1,
          productId: 1,
          quantity: 1,
          totalPriceUsdt: 1,
          idempotencyKey: 'key 0',
          recipientUsername: '@buyer',
        },
      },
    ],
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
          accounts: NONE_TAKEN,
          priceLists: NONE_TAKEN,
          listPrices: NONE_TAKEN,
          accountPrices: NONE_TAKEN,
        },
      },
      {
        fork: SHOWN_FORK,
        gapFrom: START_MS - 5_000,
        nextOrderId: 7,
        takenAway: {
          ...{ keys: 1, operators: 0, webhooks: 0, products: 0, lots: 0, items: 0, suppliers: 0 },
          ...{ accounts: 0, priceLists: 0, listPrices: 0, accountPrices: 0 },
        },
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
} satisfies LinesOfSome;
