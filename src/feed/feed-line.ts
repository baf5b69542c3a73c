/**
 * What operators read of a fact: one line of JSON for each, in the operator API's names and units (docs/feed.md).
 *
 * Every kind of fact has its entry, or this doesn't compile: a line left out would look like a fact that is missing.
 * Lines go to programs of the operator's and stay in their logs, so nothing in them opens anything: no key or its
 * hash, no webhook's or supplier's secret, sealed or not, no path of their URLs, no text of an item. That is why what
 * may hold such a thing is written field by field, and never spread.
 */
import type { AccountProfile } from '../engine/accounts.ts';
import type { Fact } from '../engine/fact.ts';
import { usdtFromMicros } from '../engine/money.ts';
import { NO_KEY, type Order } from '../engine/orders.ts';
import type { ProductProfile } from '../engine/products.ts';
import { NO_ORDER, type SupplierPurchase } from '../engine/supplier-purchases.ts';
import type { SupplierProfile } from '../engine/suppliers.ts';

type Fields = Readonly<Record<string, unknown>>;

type FieldsOf = {
  readonly [Kind in Fact['kind']]: (fact: Extract<Fact, { readonly kind: Kind }>) => Fields;
};

const FIELDS: FieldsOf = {
  AccountCreated: ({ accountId, profile }) => ({ account: accountFields(accountId, profile) }),
  AccountUpdated: ({ accountId, profile }) => ({ account: accountFields(accountId, profile) }),
  KeyIssued: ({ accountId, key }) => ({ accountId, keyPrefix: key.prefix, scopes: key.scopes }),
  KeyRevoked: ({ accountId }) => ({ accountId }),
  WebhookSet: ({ accountId, webhook }) => ({
    accountId,
    host: new URL(webhook.url).host,
    events: webhook.events,
    balanceThresholdUsdt: webhook.balanceThresholdUsdt,
  }),
  WebhookRemoved: ({ accountId }) => ({ accountId }),
  WalletCredited: ({ credit }) => ({
    accountId: credit.accountId,
    reference: credit.reference,
    amountUsdt: usdtFromMicros(credit.amountMicros),
    balanceUsdt: usdtFromMicros(credit.balanceAfterMicros),
  }),
  ProductCreated: ({ productId, profile }) => ({ product: productFields(productId, profile) }),
  ProductUpdated: ({ productId, profile }) => ({ product: productFields(productId, profile) }),
  ProductFileSet: ({ productId, file }) => ({ productId, file }),
  StockAdded: ({ productId, count }) => ({ productId, added: count }),
  StockWithdrawn: ({ productId, count }) => ({ productId, withdrawn: count }),
  OrderPlaced: ({ order }) => ({ order: orderFields(order) }),
  OrderOpened: ({ order }) => ({ order: orderFields(order) }),
  OrderPaid: ({ order }) => ({ order: orderFields(order) }),
  OrderDelivered: ({ order }) => ({ order: orderFields(order) }),
  OrderCancelled: ({ order }) => ({ order: orderFields(order) }),
  OrderFailed: returned,
  OrderRefunded: returned,
  PurchaseRefused: ({ refusal }) => ({
    error: refusal.code,
    accountId: refusal.accountId,
    productId: refusal.productId,
    quantity: refusal.quantity,
    expectedPriceUsdt: refusal.expectedPriceUsdt,
    ...(refusal.currentPriceMicros === null
      ? {}
      : { currentPriceUsdt: usdtFromMicros(refusal.currentPriceMicros) }),
    idempotencyKey: refusal.idempotencyKey,
    ...(refusal.recipientUsername === null ? {} : { recipientUsername: refusal.recipientUsername }),
  }),
  SupplierCreated: ({ supplierId, profile }) => ({ supplier: supplierFields(supplierId, profile) }),
  SupplierUpdated: ({ supplierId, profile }) => ({ supplier: supplierFields(supplierId, profile) }),
  SupplierStockChanged: ({ supplierId, changes }) => ({ supplierId, changes }),
  HoldPlaced: ({ supplierPurchase }) => ({ supplierPurchase: supplierPurchaseFields(supplierPurchase) }),
  HoldCaptured: ({ supplierPurchaseId, order }) => ({ supplierPurchaseId, order: orderFields(order) }),
  HoldReleased: ({ supplierPurchaseId, accountId, totalMicros, code, isUnresolved }) => ({
    supplierPurchaseId,
    accountId,
    amountUsdt: usdtFromMicros(totalMicros),
    error: code,
    isUnresolved,
  }),
  SupplierPurchaseReconciled: ({ supplierPurchaseId, result, delivered, productId, count }) => ({
    supplierPurchaseId,
    result,
    productId,
    itemsDelivered: delivered,
    itemsIntoStock: count,
  }),
  EventGroupClosed: ({ windowMs }) => ({ windowMs }),
};

/** With its line feed. */
export function feedLine(sequence: number, fact: Fact): string {
  // What the table's type says for every kind, the compiler can't follow through a kind that isn't known yet.
  const fieldsOf = FIELDS[fact.kind] as (fact: Fact) => Fields;
  return `${JSON.stringify({ seq: sequence, at: fact.atMs, type: fact.kind, ...fieldsOf(fact) })}\n`;
}

function returned({
  order,
  balanceMicros,
}: {
  readonly order: Order;
  readonly balanceMicros: number;
}): Fields {
  return { order: orderFields(order), balanceUsdt: usdtFromMicros(balanceMicros) };
}

function accountFields(accountId: number, { name, rateLimitPerMinute, webhookConcurrency }: AccountProfile) {
  return { accountId, name, rateLimitPerMinute, webhookConcurrency };
}

/** Nested, because a product has a `type` of its own. */
function productFields(productId: number, { priceMicros, priceTiers, source, ...plain }: ProductProfile) {
  const tiers = priceTiers.map((tier) => ({
    minQuantity: tier.minQuantity,
    priceUsdt: usdtFromMicros(tier.priceMicros),
  }));
  return {
    productId,
    ...plain,
    priceUsdt: usdtFromMicros(priceMicros),
    priceTiers: tiers,
    ...(source == null ? {} : { supplierId: source.supplierId, supplierSku: source.sku }),
  };
}

function supplierFields(supplierId: number, { name, url }: SupplierProfile): Fields {
  return { supplierId, name, host: new URL(url).host };
}

function supplierPurchaseFields(supplierPurchase: SupplierPurchase): Fields {
  const { supplierPurchaseId, reference, supplierId, sku, accountId, productId, quantity } = supplierPurchase;
  const { idempotencyKey, recipientUsername, orderId, totalMicros } = supplierPurchase;
  return {
    supplierPurchaseId,
    reference,
    supplierId,
    supplierSku: sku,
    accountId,
    productId,
    quantity,
    totalPriceUsdt: usdtFromMicros(totalMicros),
    ...(idempotencyKey === NO_KEY ? {} : { idempotencyKey }),
    ...(recipientUsername === null ? {} : { recipientUsername }),
    ...(orderId === NO_ORDER ? {} : { orderId }),
  };
}

/** As of this fact; the order may have gone on since. What it delivers, GET /orders/{id} says. */
function orderFields(order: Order): Fields {
  const { idempotencyKey, recipientUsername } = order;
  return {
    orderId: order.orderId,
    accountId: order.accountId,
    status: order.status,
    productId: order.productId,
    quantity: order.quantity,
    totalPriceUsdt: usdtFromMicros(order.totalMicros),
    balanceAfterUsdt: usdtFromMicros(order.balanceAfterMicros),
    createdAt: order.createdAtMs,
    ...(idempotencyKey === NO_KEY ? {} : { idempotencyKey }),
    ...(recipientUsername === null ? {} : { recipientUsername }),
  };
}
