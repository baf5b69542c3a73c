/**
 * Facts as operators read them: one line of JSON for each, in the operator API's names and units (docs/feed.md).
 *
 * Every kind of fact has its entry, or this doesn't compile: a line left out would look like a fact that is missing.
 * Lines go to programs of the operator's and stay in their logs, so nothing in them opens anything: no key or its hash,
 * no webhook's or supplier's secret, sealed or not, no path of their URLs, no text of an item. That is why a value that
 * may hold such a thing is written field by field, and never spread. An order is told as of its fact; it may have gone
 * on since.
 */
import type { Fact, FactKind } from '../engine/fact.ts';
import { countOf } from '../engine/item-ranges.ts';
import { usdtFromMicros } from '../engine/money.ts';
import type { Order } from '../engine/orders.ts';
import { NO_REQUEST } from '../engine/request-number.ts';
import type { SupplierPurchase } from '../engine/supplying/supplier-purchases.ts';
import type { SupplierProfile } from '../engine/supplying/suppliers.ts';
import {
  accountView,
  changesField,
  creditedTransferView,
  creditView,
  depositView,
  type Fields,
  lotView,
  orderView,
  priceChangesView,
  priceListView,
  productView,
  requestField,
  supplierPurchaseView,
  transferView,
} from '../views/operator-views.ts';
import { takenCounts } from '../views/taken-away-view.ts';

type FieldsOf = {
  readonly [Kind in Fact['kind']]: (fact: Extract<Fact, { readonly kind: Kind }>) => Fields;
};

const FIELDS: FieldsOf = {
  OperatorCreated: ({ operatorId, profile: { name, role } }) => ({ operatorId, name, role }),
  OperatorTokenIssued: ({ operatorId }) => ({ operatorId }),
  OperatorRevoked: ({ operatorId }) => ({ operatorId }),
  ItemTextsShown: ({ orderId, accountId, productId }) => ({ orderId, accountId, productId }),
  OperatorActed: ({ action, accountId, productId, targetOperatorId, eventId, sinceMs }) => ({
    action,
    ...(accountId === undefined ? {} : { accountId }),
    ...(productId === undefined ? {} : { productId }),
    ...(targetOperatorId === undefined ? {} : { operatorId: targetOperatorId }),
    ...(eventId === undefined ? {} : { eventId }),
    ...(sinceMs === undefined ? {} : { since: sinceMs }),
  }),
  AccountCreated: ({ accountId, profile }) => ({ account: accountView(accountId, profile) }),
  AccountUpdated: ({ accountId, profile, before }) => ({
    account: accountView(accountId, profile),
    ...changesField((one) => accountView(accountId, one), profile, before),
  }),
  KeyIssued: ({ accountId, key }) => ({ accountId, keyPrefix: key.prefix, scopes: key.scopes }),
  KeyRevoked: ({ accountId }) => ({ accountId }),
  KeyDeactivated: ({ accountId }) => ({ accountId }),
  KeyActivated: ({ accountId }) => ({ accountId }),
  WebhookSet: ({ accountId, webhook }) => ({
    accountId,
    host: new URL(webhook.url).host,
    events: webhook.events,
    balanceThresholdUsdt: webhook.balanceThresholdUsdt,
  }),
  WebhookRemoved: ({ accountId }) => ({ accountId }),
  WalletCredited: ({ credit, transfer }) => ({
    ...creditView(credit),
    ...(transfer && { transfer: creditedTransferView(transfer) }),
  }),
  DepositOpened: ({ deposit }) => depositView(deposit),
  TransferUnclaimed: ({ transfer, replaces }) => ({
    ...transferView(transfer),
    ...(replaces === undefined ? {} : { replaces }),
  }),
  ProductCreated: ({ productId, profile }) => ({ product: productView(productId, profile) }),
  ProductUpdated: ({ productId, profile, before }) => ({
    product: productView(productId, profile),
    ...changesField((one) => productView(productId, one), profile, before),
  }),
  PriceListCreated: ({ priceListId, profile }) => ({ priceList: priceListView(priceListId, profile) }),
  PriceListUpdated: ({ priceListId, profile, before }) => ({
    priceList: priceListView(priceListId, profile),
    ...changesField((one) => priceListView(priceListId, one), profile, before),
  }),
  PriceListDeleted: ({ priceListId, profile, prices }) => ({
    priceList: priceListView(priceListId, profile),
    pricesRemoved: prices,
  }),
  PricesChanged: ({ priceListId, accountId, prices }) => ({
    ...(priceListId === undefined ? { accountId } : { priceListId }),
    ...priceChangesView(prices),
  }),
  ProductFileSet: ({ productId, file }) => ({ productId, file }),
  ItemsSearched: ({ productId, found }) => ({ ...(productId === undefined ? {} : { productId }), found }),
  StockAdded: ({ productId, count, lot, aside }) => ({
    productId,
    added: count,
    ...(aside === undefined ? {} : { quarantined: countOf(aside) }),
    ...lotView(lot),
  }),
  StockWithdrawn: ({ productId, ranges }) => ({ productId, withdrawn: countOf(ranges) }),
  LotRecalled: ({ lot, ranges }) => ({
    productId: lot.productId,
    lotId: lot.lotId,
    withdrawn: countOf(ranges),
  }),
  OrderPlaced: ({ order }) => ({ order: orderView(order) }),
  OrderOpened: ({ order }) => ({ order: orderView(order) }),
  OrderPaid: ({ order }) => ({ order: orderView(order) }),
  OrderDelivered: ({ order }) => ({ order: orderView(order) }),
  OrderCancelled: ({ order }) => ({ order: orderView(order) }),
  OrderFailed: returned,
  OrderRefunded: (fact) => ({ ...returned(fact), ...refundedItems(fact.order) }),
  OrderItemsReplaced: ({ order, items, newItems }) => ({ order: orderView(order), items, newItems }),
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
    ...requestField(refusal.requestNumber),
    ...recipientField(refusal.recipientUsername),
  }),
  SupplierCreated: ({ supplierId, profile }) => ({ supplier: supplierFields(supplierId, profile) }),
  SupplierUpdated: ({ supplierId, profile, before }) => ({
    supplier: supplierFields(supplierId, profile),
    ...changesField((one) => supplierFields(supplierId, one), profile, before),
  }),
  SupplierStockChanged: ({ supplierId, changes }) => ({
    supplierId,
    changes: changes.map(({ productId, sku, available }) => ({ productId, supplierSku: sku, available })),
  }),
  HoldPlaced: ({ supplierPurchase }) => ({ supplierPurchase: askedFields(supplierPurchase) }),
  HoldPassed: ({ supplierPurchaseId, ended, supplierPurchase }) => ({
    supplierPurchaseId,
    result: ended.how,
    supplierPurchase: askedFields(supplierPurchase),
  }),
  HoldCaptured: ({ supplierPurchaseId, order }) => ({ supplierPurchaseId, order: orderView(order) }),
  HoldReleased: ({ supplierPurchaseId, accountId, totalMicros, code, isUnresolved }) => ({
    supplierPurchaseId,
    accountId,
    amountUsdt: usdtFromMicros(totalMicros),
    error: code,
    isUnresolved,
  }),
  SupplierPurchaseReconciled: ({ supplierPurchaseId, result, delivered, productId, count, lot }) => ({
    supplierPurchaseId,
    result,
    productId,
    itemsDelivered: delivered,
    itemsIntoStock: count,
    ...(lot === undefined ? {} : lotView(lot)),
  }),
  EventGroupClosed: ({ windowMs }) => ({ windowMs }),
  EpochBegun: ({ fork, gap, next, takenAway }) => ({
    fork: { seq: fork.position, hash: fork.hash },
    ...(gap === null ? {} : { gapFrom: gap.fromMs }),
    nextOrderId: next.orderId,
    // Rows could make a line of megabytes: GET /restore has them.
    ...(takenAway === undefined ? {} : { takenAway: takenCounts(takenAway) }),
  }),
  OrderRecovered: ({ order, items, waitingMicros, balanceMicros }) => ({
    order: orderView(order),
    itemsTaken: countOf(items),
    ...(waitingMicros === 0 ? {} : { waitingUsdt: usdtFromMicros(waitingMicros) }),
    balanceUsdt: usdtFromMicros(balanceMicros),
  }),
  OrderAmended: ({ order, items }) => ({ order: orderView(order), itemsTaken: countOf(items) }),
  DebitSettled: ({ orderId, accountId, amountMicros, balanceMicros }) => ({
    orderId,
    accountId,
    amountUsdt: usdtFromMicros(amountMicros),
    balanceUsdt: usdtFromMicros(balanceMicros),
  }),
  ItemsQuarantined: ({ productId, ranges }) => ({ productId, quarantined: countOf(ranges) }),
  QuarantineEnded: ({ productId, ranges, released }) => ({
    productId,
    [released === null ? 'withdrawn' : 'released']: countOf(ranges),
    ...(released === null || released === 'inPlace' ? {} : lotView(released.lot)),
  }),
  SalesOpened: () => ({}),
};

/** Types that a line can have. */
export const LINE_TYPES = Object.keys(FIELDS) as readonly FactKind[];

/** With its line feed. `epoch` is that of the sequence number. `hidesCosts`: for a reader who isn't told what goods cost. */
export function feedLine(sequence: number, fact: Fact, epoch: number, hidesCosts = false): string {
  // What the table's type says for every kind, the compiler can't follow through a kind that isn't known yet.
  const fieldsOf = FIELDS[fact.kind] as (fact: Fact) => Fields;
  const head = { seq: sequence, at: fact.atMs, epoch, type: fact.kind };
  const line = { ...head, ...fieldsOf(fact), ...originField(fact) };
  return `${JSON.stringify(line, hidesCosts ? withoutCosts : undefined)}\n`;
}

/** Wherever they stand in the line. */
function withoutCosts(name: string, value: unknown): unknown {
  return name === 'costUsdt' ? undefined : value;
}

/** The operator who caused the fact, and the reason. An order says itself by which request it was made. */
function originField({ origin }: Fact): Fields {
  if (origin === undefined) return {};
  const { requestNumber = NO_REQUEST, call, ...who } = origin;
  const key = call === undefined ? {} : { idempotencyKey: call.key };
  return { by: { ...who, ...requestField(requestNumber), ...key } };
}

interface Returned {
  readonly order: Order;
  readonly amountMicros: number;
  readonly balanceMicros: number;
}

function returned({ order, amountMicros, balanceMicros }: Returned): Fields {
  const amountUsdt = usdtFromMicros(amountMicros);
  return { order: orderView(order), amountUsdt, balanceUsdt: usdtFromMicros(balanceMicros) };
}

/** The places in the order that a refund was for, when it was by items. */
function refundedItems({ adjustments }: Order): Fields {
  const last = adjustments.at(-1);
  return last?.kind === 'refund' && last.part === 'items' ? { items: last.items } : {};
}

/** A purchase that a supplier is asked for. */
function askedFields(supplierPurchase: SupplierPurchase): Fields {
  return { ...supplierPurchaseView(supplierPurchase), ...recipientField(supplierPurchase.recipientUsername) };
}

function recipientField(recipientUsername: string | null): Fields {
  return recipientUsername === null ? {} : { recipientUsername };
}

function supplierFields(supplierId: number, { name, url }: SupplierProfile): Fields {
  return { supplierId, name, host: new URL(url).host };
}
