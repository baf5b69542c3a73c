/** Facts as a shop with two products would give them, for tests of what comes of facts. */
import type { Fact } from '../../../src/engine/fact.ts';
import { NO_ITEM, type Order } from '../../../src/engine/orders.ts';
import type { ProductProfile } from '../../../src/engine/products.ts';
import { NO_ORDER, type SupplierPurchase } from '../../../src/engine/supplying/supplier-purchases.ts';
import { WEBHOOK_EVENTS, type Webhook } from '../../../src/engine/webhook.ts';

export const START_MS = 1_700_000_000_000;

export function webhook(changes: Partial<Webhook> = {}): Webhook {
  return {
    url: 'https://receiver.test/hook',
    events: WEBHOOK_EVENTS,
    balanceThresholdUsdt: null,
    sealedSecret: 'sealed',
    ...changes,
  };
}

export function webhookSet(accountId: number, changes: Partial<Webhook> = {}): Fact {
  return { kind: 'WebhookSet', atMs: START_MS, accountId, webhook: webhook(changes) };
}

export function webhookRemoved(accountId: number): Fact {
  return { kind: 'WebhookRemoved', atMs: START_MS, accountId };
}

export function account(accountId: number, webhookConcurrency = 1): Fact {
  const profile = { name: `account ${accountId}`, rateLimitPerMinute: null, webhookConcurrency };
  return { kind: 'AccountCreated', atMs: START_MS, accountId, profile };
}

export function order(orderId: number, changes: Partial<Order> = {}): Order {
  return {
    orderId,
    accountId: 1,
    idempotencyKey: `key ${orderId}`,
    productId: 1,
    quantity: 1,
    expectedPriceUsdt: 1,
    recipientUsername: null,
    requestNumber: 0,
    status: 'completed',
    totalMicros: 1_000_000,
    balanceAfterMicros: 50_000_000,
    firstItem: NO_ITEM,
    fileId: null,
    textCount: 0,
    adjustments: [],
    priceRule: null,
    priceListId: null,
    createdAtMs: START_MS,
    ...changes,
  };
}

export function placed(orderId: number, changes: Partial<Order> = {}, atMs = START_MS): Fact {
  return { kind: 'OrderPlaced', atMs, order: order(orderId, changes) };
}

/** The total of a purchase, in USDT, goes on hold while a supplier is asked. */
export function held(supplierPurchaseId: number, totalUsdt: number): Fact {
  const { orderId: _, ...request } = order(0);
  const supplierPurchase: SupplierPurchase = {
    ...request,
    supplierPurchaseId,
    reference: `pur_${supplierPurchaseId}_1`,
    supplierId: 1,
    sku: 'x',
    totalMicros: totalUsdt * 1_000_000,
    phase: 'held',
    orderId: NO_ORDER,
    cause: null,
    createdAtMs: START_MS,
  };
  return { kind: 'HoldPlaced', atMs: START_MS, supplierPurchase };
}

export function released(supplierPurchaseId: number, totalUsdt: number): Fact {
  return {
    kind: 'HoldReleased',
    atMs: START_MS,
    supplierPurchaseId,
    accountId: 1,
    productId: 1,
    orderId: NO_ORDER,
    reference: `pur_${supplierPurchaseId}_1`,
    totalMicros: totalUsdt * 1_000_000,
    code: 'OUT_OF_STOCK',
    refusal: null,
    isUnresolved: false,
  };
}

export function captured(supplierPurchaseId: number, totalUsdt: number, balanceUsdt: number): Fact {
  const made = order(supplierPurchaseId, {
    status: 'pending_delivery',
    totalMicros: totalUsdt * 1_000_000,
    balanceAfterMicros: balanceUsdt * 1_000_000,
  });
  return { kind: 'HoldCaptured', atMs: START_MS, supplierPurchaseId, order: made };
}

export function profile(changes: Partial<ProductProfile> = {}): ProductProfile {
  return {
    name: 'Pin',
    description: 'A pin',
    instructions: '',
    type: 'standard',
    priceMicros: 1_000_000,
    priceTiers: [],
    requiresRecipient: false,
    allowDuplicates: false,
    active: true,
    ...changes,
  };
}

export function productCreated(productId: number, changes: Partial<ProductProfile> = {}): Fact {
  return { kind: 'ProductCreated', atMs: START_MS, productId, profile: profile(changes) };
}

export function productUpdated(productId: number, changes: Partial<ProductProfile>, atMs = START_MS): Fact {
  return { kind: 'ProductUpdated', atMs, productId, profile: profile(changes) };
}

export function stockAdded(productId: number, atMs = START_MS, count = 1): Fact {
  return { kind: 'StockAdded', atMs, productId, firstItem: 0, count, lot: { lotId: 1 } };
}

export function changed(kind: Fact['kind'], changes: Parameters<typeof order>[1]): Fact {
  const more = { balanceMicros: 0, amountMicros: 0, items: [0] };
  return { kind, atMs: START_MS, order: order(7, changes), ...more } as Fact;
}
