/** Answers of the engine in the words of the naive shop. */
import { refundedItems, refundedMicros, replacedItems } from '../../src/engine/adjustments.ts';
import { PurchaseInProgress, type PurchaseResult } from '../../src/engine/decide/command.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import { NO_ITEM, type Order } from '../../src/engine/orders.ts';
import type { Stock } from '../../src/engine/stock.ts';
import type { NaiveOrder } from './naive/naive-order.ts';
import type { NaiveAnswer } from './naive-shop.ts';

/** An answer of the engine as the naive shop would put it. */
export function plain(result: unknown, stock: Stock): NaiveAnswer {
  if (result instanceof Rejection) return result.code;
  if (result instanceof PurchaseInProgress) return 'HELD';
  if (typeof result === 'number') return 'RELEASED';
  if ('count' in (result as object)) return 'RECONCILED';
  if ('credit' in (result as object)) return 'CREDITED';
  const order = 'replayed' in (result as object) ? (result as PurchaseResult).order : (result as Order);
  return plainOrder(order, stock);
}

/** `stock` is that of the state which has the order. */
export function plainOrder(order: Order, stock: Stock): NaiveOrder {
  const { productId, firstItem, quantity } = order;
  const ranges = firstItem === NO_ITEM ? [] : stock.itemsFrom(productId, firstItem, quantity);
  const items = ranges.flatMap((range) =>
    Array.from({ length: range.count }, (_, at) => range.firstItem + at),
  );
  return {
    account: order.accountId,
    product: order.productId,
    quantity: order.quantity,
    status: order.status,
    total: order.totalMicros / 1e6,
    balance: order.balanceAfterMicros / 1e6,
    items,
    file: order.fileId,
    texts: order.textCount,
    refunded: refundedMicros(order.adjustments) / 1e6,
    refundedItems: [...refundedItems(order.adjustments)].sort(),
    newItems: Object.fromEntries(replacedItems(order.adjustments)),
  };
}
