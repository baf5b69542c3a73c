/**
 * The list of orders, newest first, by account, product and status.
 *
 * There is no index: orders are looked through from the newest down, so many a request and no more, because
 * it is done between purchases. A page may therefore be short, or empty, and still have a `nextCursor`.
 */
import type { History } from '../../engine/history.ts';
import { ORDER_STATUSES, type Order, type OrderStatus } from '../../engine/orders.ts';
import type { State } from '../../engine/state.ts';
import { type ApiError, badRequest } from '../errors.ts';
import { parseInteger, parsePage } from './page.ts';

/** Orders that one request looks at: a few milliseconds. */
const MAX_EXAMINED = 2_048;
const READ_AT_ONCE = 128;

export interface OrderFilter {
  readonly accountId: number | undefined;
  readonly productId: number | undefined;
  readonly status: OrderStatus | undefined;
  /** The page has orders with lower numbers only; 0 starts with the newest. */
  readonly before: number;
  readonly limit: number;
}

export interface OrderPage {
  readonly orders: Order[];
  readonly nextCursor: { readonly nextCursor?: string };
}

export function parseOrderFilter(query: URLSearchParams): OrderFilter | { readonly error: ApiError } {
  const page = parsePage(query);
  if ('error' in page) return page;
  const status = query.get('status');
  if (status !== null && !isStatus(status)) {
    return { error: badRequest(`status must be one of ${ORDER_STATUSES.join(', ')}.`) };
  }
  const accountId = parseId(query.get('accountId'));
  const productId = parseId(query.get('productId'));
  if (Number.isNaN(accountId) || Number.isNaN(productId)) {
    return { error: badRequest('accountId and productId must be ids.') };
  }
  return { accountId, productId, status: status ?? undefined, before: page.after, limit: page.limit };
}

export function pageOfOrders(state: State, history: History, filter: OrderFilter): OrderPage {
  const newest = state.lastOrderId;
  const top = filter.before === 0 ? newest : Math.min(filter.before - 1, newest);
  const bottom = Math.max(1, top - MAX_EXAMINED + 1);
  const orders: Order[] = [];
  for (const order of newestFirst(state, history, bottom, top)) {
    if (!fits(order, filter)) continue;
    orders.push(order);
    if (orders.length === filter.limit) return { orders, nextCursor: cursorAt(order.orderId) };
  }
  return { orders, nextCursor: cursorAt(bottom) };
}

/** As they are now. The checkpoint is read a few at a time, for the page may be full soon. */
function* newestFirst(state: State, history: History, bottom: number, top: number): IterableIterator<Order> {
  for (let last = top; last >= bottom; last -= READ_AT_ONCE) {
    const first = Math.max(bottom, last - READ_AT_ONCE + 1);
    const folded = new Map(history.orders(first, last).map((order) => [order.orderId, order]));
    for (let orderId = last; orderId >= first; orderId -= 1) {
      const order = state.orders.get(orderId) ?? folded.get(orderId);
      if (order !== undefined) yield order;
    }
  }
}

function cursorAt(orderId: number): { readonly nextCursor?: string } {
  return orderId > 1 ? { nextCursor: String(orderId) } : {};
}

function fits(order: Order, { accountId, productId, status }: OrderFilter): boolean {
  return (
    (accountId === undefined || order.accountId === accountId) &&
    (productId === undefined || order.productId === productId) &&
    (status === undefined || order.status === status)
  );
}

function isStatus(text: string): text is OrderStatus {
  return (ORDER_STATUSES as readonly string[]).includes(text);
}

function parseId(text: string | null): number | undefined {
  return text === null ? undefined : parseInteger(text);
}
