/**
 * The list of orders, newest first, by any of an order's traits, and by all of them together.
 *
 * The checkpoint has lists of orders by account, product, recipient, and status; times and request ids are found by
 * halves, because orders are numbered as time goes. Orders that aren't in the checkpoint yet are few, and are looked at
 * one by one in memory. So nobody waits for a fold, none is begun for a listing, and a full disk takes nothing from it.
 * Rejected: to fold first and read the checkpoint alone, which is simpler, but under load a listing would wait for a
 * fold or two, and on a full disk for ever.
 *
 * What always holds: a page looks at so much and no more; then it ends, also short or empty, and has a `nextCursor`.
 * An order is told as it is when it is looked at; one that changes while a page is read may be in it or not.
 */
import type { Engine } from '../../engine/engine.ts';
import { type History, orderOf } from '../../engine/history.ts';
import { isOrder, type Order } from '../../engine/orders.ts';
import { requestTimeMs } from '../../engine/request-number.ts';
import { REQUEST_WINDOW_MS } from '../../persistence/checkpoint/order-entries.ts';
import type { OrderIndex, OrderWalk } from '../../persistence/checkpoint/order-index.ts';
import { Bites } from './bites.ts';
import { fits, type OrderFilter } from './order-filter.ts';

/** What a page costs at most, in looks at an order in memory: 30 ms or so. */
const MAX_COST = 2 ** 16;
/** Of a look into the checkpoint. */
const READ_COST = 16;

export interface OrderSources {
  readonly engine: Pick<Engine, 'state'>;
  readonly history: History;
  readonly orderIndex: OrderIndex;
}

export interface OrderPage {
  readonly orders: Order[];
  readonly nextCursor: { readonly nextCursor?: string };
}

export async function pageOfOrders(sources: OrderSources, filter: OrderFilter): Promise<OrderPage> {
  const { accountId, idempotencyKey, requestNumber } = filter;
  if (idempotencyKey !== undefined && accountId !== undefined) {
    return pageOfOne(ofKey(sources, accountId, idempotencyKey), filter);
  }
  if (requestNumber !== undefined) return pageOfOne(await ofRequest(sources, requestNumber), filter);
  return await walkDown(sources, filter);
}

function pageOfOne(order: Order | undefined, filter: OrderFilter): OrderPage {
  const isOnPage = order !== undefined && fits(order, filter) && isBefore(order, filter.before);
  return { orders: isOnPage ? [order] : [], nextCursor: {} };
}

function isBefore({ orderId }: Order, before: number): boolean {
  return before === 0 || orderId < before;
}

/** The key's outcome may be another than an order. */
function ofKey({ engine, history }: OrderSources, accountId: number, key: string): Order | undefined {
  const outcome =
    engine.state.idempotency.purchase(accountId, key) ?? history.purchaseOutcome(accountId, key);
  return outcome !== undefined && isOrder(outcome) ? look({ engine, history }, outcome.orderId) : undefined;
}

/** Of the orders that were made in time, those of the same moment are looked at; of the others there is a list. */
async function ofRequest(sources: OrderSources, requestNumber: number): Promise<Order | undefined> {
  const { engine, orderIndex } = sources;
  const late = orderIndex.lateOrder(requestNumber);
  if (late !== undefined) return look(sources, late);
  const madeAtMs = requestTimeMs(requestNumber);
  const newest = engine.state.lastOrderId;
  const folded = lastFolded(sources);
  const first = firstFrom(sources, madeAtMs);
  const last = Math.min(folded, firstFrom(sources, madeAtMs + REQUEST_WINDOW_MS + 1) - 1);
  const bites = new Bites();
  if (first <= last) {
    for (const orderId of orderIndex.searchRequest(requestNumber, first, last)) {
      if (orderId !== undefined) return look(sources, orderId);
      if (bites.isFull) await bites.rest();
    }
  }
  for (let orderId = newest; orderId > folded; orderId -= 1) {
    const order = look(sources, orderId);
    if (order?.requestNumber === requestNumber) return order;
    if (bites.isFull) await bites.rest();
  }
  return undefined;
}

async function walkDown(sources: OrderSources, filter: OrderFilter): Promise<OrderPage> {
  const { before, limit, fromMs, toMs } = filter;
  const newest = sources.engine.state.lastOrderId;
  const folded = lastFolded(sources);
  const walks = walksOf(sources, filter);
  const bottom = fromMs === 0 ? 1 : firstFrom(sources, fromMs);
  let next = toMs === Number.POSITIVE_INFINITY ? newest : firstFrom(sources, toMs) - 1;
  if (before > 0) next = Math.min(next, before - 1);
  const orders: Order[] = [];
  const bites = new Bites();
  for (let cost = 0; next >= bottom && cost < MAX_COST && orders.length < limit; ) {
    cost += next > folded ? 1 : READ_COST;
    const candidate = next > folded ? next : lowestOf(walks, next);
    if (candidate === next) {
      const order = look(sources, candidate);
      if (order !== undefined && fits(order, filter)) orders.push(order);
      next -= 1;
    } else next = candidate;
    if (bites.isFull) await bites.rest();
  }
  return { orders, nextCursor: next >= bottom ? { nextCursor: String(next + 1) } : {} };
}

/** `orderId` when all walks have it, or else one below, above which no order is in all of them. */
function lowestOf(walks: readonly OrderWalk[], orderId: number): number {
  let lowest = orderId;
  for (const walk of walks) lowest = Math.min(lowest, walk.atMost(lowest));
  return lowest;
}

/** The checkpoint doesn't know yet which orders have changed since, and may be in another status now. */
function walksOf({ engine, orderIndex }: OrderSources, filter: OrderFilter): OrderWalk[] {
  const { status, ...lasting } = filter;
  const walks = orderIndex.walks(lasting);
  const [byStatus] = orderIndex.walks({ status });
  if (byStatus === undefined) return walks;
  const changed = Array.from(engine.state.orders.changedIds()).sort((a, b) => b - a);
  let at = 0;
  const atMost = (orderId: number): number => {
    while (at < changed.length && (changed[at] ?? 0) > orderId) at += 1;
    return Math.max(changed[at] ?? 0, byStatus.atMost(orderId));
  };
  return [{ atMost }, ...walks];
}

/** The highest order below all that memory has by their numbers. Those above it may not be in the checkpoint. */
function lastFolded({ engine }: OrderSources): number {
  const { lastOrderId, orders } = engine.state;
  return Math.min(lastOrderId, orders.first - 1);
}

/** The first order that was made at `timeMs` or later, or one past the newest: orders are made in the order of time. */
function firstFrom(sources: OrderSources, timeMs: number): number {
  let low = 1;
  let high = sources.engine.state.lastOrderId + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((look(sources, middle)?.createdAtMs ?? 0) < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** As it is now. */
function look(
  { engine, history }: Pick<OrderSources, 'engine' | 'history'>,
  orderId: number,
): Order | undefined {
  return orderOf(engine.state, history, orderId);
}
