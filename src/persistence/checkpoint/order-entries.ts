/**
 * Lists by which orders are found, and the facts about each: rows without values, or short ones.
 *
 * Invariant: a list has an order from its first fact on. A purchase that was completed at once has no list of facts,
 * for its order says it all. Names of recipients are compared without regard to capitals, as chat apps do; a list of
 * them is by hash, so readers compare the names.
 */
import type { Fact, FactKind } from '../../engine/fact.ts';
import { NO_ITEM, NO_KEY, ORDER_STATUSES, type Order, type OrderStatus } from '../../engine/orders.ts';
import { keyHash } from '../../engine/recent/key-hash.ts';
import { NO_REQUEST, requestTimeMs } from '../../engine/request-number.ts';
import { NO_ORDER } from '../../engine/supplying/supplier-purchases.ts';
import type { RowBatches } from './row-batches.ts';
import { TABLES } from './tables.ts';

/** Within so many milliseconds of its request an order is found by its time. */
export const REQUEST_WINDOW_MS = 1_000;

/** Statuses that an order leaves, whatever the fact: the others are ends. */
const LEFT: readonly OrderStatus[] = ['processing', 'pending_delivery'];

/** Orders have a list by status unless they are completed, as nearly all are. */
export function isListed(status: OrderStatus): boolean {
  return status !== 'completed';
}

export function statusNumber(status: OrderStatus): number {
  return ORDER_STATUSES.indexOf(status);
}

/** `name` has its `@`. */
export function recipientHash(name: string): number {
  return keyHash(0, name.toLowerCase());
}

export function takeEntries(rows: RowBatches, fact: Fact, position: number): void {
  switch (fact.kind) {
    case 'OrderPlaced':
      enter(rows, fact.order);
      takeItems(rows, fact.order);
      if (fact.order.status !== 'completed') takeStatus(rows, fact.order);
      return;
    case 'OrderOpened':
      enter(rows, fact.order);
      break;
    case 'HoldCaptured':
      // Without a key it is an order from the bot, which was entered when it was opened.
      if (fact.order.idempotencyKey !== NO_KEY) enter(rows, fact.order);
      break;
    case 'OrderPaid':
      takeItems(rows, fact.order);
      break;
    case 'OrderItemsReplaced':
      for (const item of fact.newItems) addItems(rows, fact.order.productId, item, 1, fact.order.orderId);
      break;
    case 'HoldPassed':
      rows.of(TABLES.holdFacts).add(fact.supplierPurchaseId, position);
      rows.of(TABLES.holdFacts).add(fact.supplierPurchase.supplierPurchaseId, position);
      return;
    case 'HoldPlaced': {
      const { supplierPurchaseId, orderId } = fact.supplierPurchase;
      rows.of(TABLES.holdFacts).add(supplierPurchaseId, position);
      if (orderId !== NO_ORDER) rows.of(TABLES.orderFacts).add(orderId, position);
      return;
    }
    case 'HoldReleased':
    case 'SupplierPurchaseReconciled':
      rows.of(TABLES.holdFacts).add(fact.supplierPurchaseId, position);
      return;
    case 'ItemTextsShown':
    case 'DebitSettled':
      rows.of(TABLES.orderFacts).add(fact.orderId, position);
      return;
    case 'OrderRecovered': {
      const { requestNumber, orderId } = fact.order;
      list(rows, fact.order);
      rows.of(TABLES.recovered).add(orderId);
      if (requestNumber !== NO_REQUEST) rows.of(TABLES.lateRequests).add(requestNumber, orderId);
      break;
    }
  }
  if (!('order' in fact)) return;
  takeStatus(rows, fact.order);
  rows.of(TABLES.orderFacts).add(fact.order.orderId, position);
  if (fact.kind !== 'OrderRecovered' && fact.kind !== 'OrderAmended') return;
  for (const { firstItem, count } of fact.items)
    addItems(rows, fact.order.productId, firstItem, count, fact.order.orderId, TABLES.recoveredItems);
}

/** Whether the fact gives its order's key an outcome. */
export function isOutcome(kind: FactKind): boolean {
  return kind === 'OrderPlaced' || kind === 'HoldCaptured' || kind === 'OrderRecovered';
}

function enter(rows: RowBatches, order: Order): void {
  list(rows, order);
  if (isLate(order)) rows.of(TABLES.lateRequests).add(order.requestNumber, order.orderId);
}

function list(rows: RowBatches, { accountId, productId, orderId, recipientUsername }: Order): void {
  rows.of(TABLES.accountOrders).add(accountId, orderId);
  rows.of(TABLES.productOrders).add(productId, orderId);
  if (recipientUsername !== null) rows.of(TABLES.recipients).add(recipientHash(recipientUsername), orderId);
}

/** The list that it was in before doesn't matter: a tombstone ends what may not be there as well. */
function takeStatus(rows: RowBatches, { orderId, status }: Order): void {
  const batch = rows.of(TABLES.statuses);
  for (const left of LEFT) if (left !== status) batch.add(statusNumber(left), orderId, true);
  if (isListed(status)) batch.add(statusNumber(status), orderId);
}

function takeItems(rows: RowBatches, { productId, firstItem, quantity, orderId }: Order): void {
  if (firstItem !== NO_ITEM) addItems(rows, productId, firstItem, quantity, orderId);
}

/** `count` items of a product from `firstItem` on: of `items` without those that were withdrawn before. */
function addItems(
  rows: RowBatches,
  productId: number,
  firstItem: number,
  count: number,
  orderId: number,
  table: typeof TABLES.items | typeof TABLES.recoveredItems = TABLES.items,
): void {
  const batch = rows.of(table);
  batch.values.varint(count);
  batch.values.varint(orderId);
  batch.add(productId, firstItem);
}

/** A clock that was set back makes orders that are older than their requests. */
function isLate({ requestNumber, createdAtMs }: Order): boolean {
  if (requestNumber === NO_REQUEST) return false;
  const lateMs = createdAtMs - requestTimeMs(requestNumber);
  return lateMs < 0 || lateMs > REQUEST_WINDOW_MS;
}
