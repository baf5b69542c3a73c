/**
 * Entries that each fact adds to the lists by which orders are found: by account, by product, by the items that they
 * took, and which facts there are about an order. The fold writes them, and `purser verify` makes them again.
 *
 * Invariant: an order is entered by its first fact, so the lists of orders ascend by number, without those that were
 * recovered after a restore; items are taken in the order of facts, so the list of a product's items ascends, too.
 * Later facts are few: a purchase that was completed at once has none, and its own is not listed, for its order says it
 * all.
 */
import type { Fact } from '../../engine/fact.ts';
import { NO_ITEM, NO_KEY, type Order } from '../../engine/orders.ts';
import { NO_REQUEST, requestTimeMs } from '../../engine/request-number.ts';
import { NO_ORDER } from '../../engine/supplying/supplier-purchases.ts';
import type { ListKind } from './packed-lists.ts';

export const LISTS = {
  /** Orders of an account. */
  accounts: { tag: 1, columns: 1 },
  /** Orders of a product. */
  products: { tag: 2, columns: 1 },
  /** By product: the first item that was taken at once, how many were, and the order. */
  items: { tag: 3, columns: 3 },
  /** By order: positions of the facts about it, but of the purchase's own. */
  orderFacts: { tag: 4, columns: 1 },
  /** By supplier purchase: positions of the facts about it that don't have its order. */
  holdFacts: { tag: 5, columns: 1 },
  /** By request number: the order, when it was made so late that it isn't looked for by its time. */
  lateRequests: { tag: 6, columns: 1 },
} as const satisfies Readonly<Record<string, ListKind>>;

export type ListName = keyof typeof LISTS;

/** Within so many milliseconds of its request an order is found by its time. */
export const REQUEST_WINDOW_MS = 1_000;

export interface EntrySink {
  add(list: Exclude<ListName, 'items'>, id: number, number: number): void;
  /** `count` items of a product from `firstItem` on, without those that were withdrawn before. */
  addItems(productId: number, firstItem: number, count: number, orderId: number): void;
}

export function visitEntries(fact: Fact, position: number, sink: EntrySink): void {
  switch (fact.kind) {
    case 'OrderPlaced':
      enter(fact.order, sink);
      take(fact.order, sink);
      return;
    case 'OrderOpened':
      enter(fact.order, sink);
      break;
    case 'HoldCaptured':
      // Without a key it is an order from the bot, which was entered when it was opened.
      if (fact.order.idempotencyKey !== NO_KEY) enter(fact.order, sink);
      break;
    case 'OrderPaid':
      take(fact.order, sink);
      break;
    case 'OrderItemsReplaced':
      for (const item of fact.newItems) sink.addItems(fact.order.productId, item, 1, fact.order.orderId);
      break;
    case 'HoldPlaced': {
      const { supplierPurchaseId, orderId } = fact.supplierPurchase;
      sink.add('holdFacts', supplierPurchaseId, position);
      if (orderId !== NO_ORDER) sink.add('orderFacts', orderId, position);
      return;
    }
    case 'HoldReleased':
    case 'SupplierPurchaseReconciled':
      sink.add('holdFacts', fact.supplierPurchaseId, position);
      return;
    case 'ItemTextsShown':
    case 'DebitSettled':
      sink.add('orderFacts', fact.orderId, position);
      return;
    case 'OrderRecovered': {
      // By account, product and items it is found elsewhere (`recovered-orders.ts`).
      const { requestNumber, orderId } = fact.order;
      if (requestNumber !== NO_REQUEST) sink.add('lateRequests', requestNumber, orderId);
      break;
    }
  }
  if ('order' in fact) sink.add('orderFacts', fact.order.orderId, position);
}

function enter(order: Order, sink: EntrySink): void {
  sink.add('accounts', order.accountId, order.orderId);
  sink.add('products', order.productId, order.orderId);
  if (isLate(order)) sink.add('lateRequests', order.requestNumber, order.orderId);
}

function take({ productId, firstItem, quantity, orderId }: Order, sink: EntrySink): void {
  if (firstItem !== NO_ITEM) sink.addItems(productId, firstItem, quantity, orderId);
}

/** A clock that was set back makes orders that are older than their requests. */
function isLate({ requestNumber, createdAtMs }: Order): boolean {
  if (requestNumber === NO_REQUEST) return false;
  const lateMs = createdAtMs - requestTimeMs(requestNumber);
  return lateMs < 0 || lateMs > REQUEST_WINDOW_MS;
}
