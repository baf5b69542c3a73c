/**
 * The list of orders, newest first, by any of an order's traits, and by all of them together.
 *
 * The checkpoint has lists of orders by account, product, recipient, and status; times and request ids are found by
 * halves, because orders are numbered as time goes. Orders that aren't in the checkpoint yet are few, and are looked at
 * one by one in memory. So nobody waits for a fold, none is begun for a listing, and a full disk takes nothing from it.
 * Rejected: to fold first and read the checkpoint alone, which is simpler, but under load a listing would wait for a
 * fold or two, and on a full disk for ever.
 *
 * After a restore, numbers skip. In a skip there are only orders that were recovered, of which the checkpoint has a list,
 * and memory those since; so nobody walks through it number by number (`OrderNumbers`).
 *
 * Invariant: a page costs at most `MAX_COST`; then it ends, also short or empty, and has a `nextCursor`. An order is
 * told as it is when it is looked at; one that changes while a page is read may be in it or not.
 */
import { orderOf } from '../../../engine/decide/history.ts';
import { isOrder, type Order } from '../../../engine/orders.ts';
import { requestTimeMs } from '../../../engine/request-number.ts';
import { REQUEST_WINDOW_MS } from '../../../persistence/checkpoint/order-entries.ts';
import type { OrderWalk } from '../../../persistence/checkpoint/order-index.ts';
import { Slices } from '../../../shared/slices.ts';
import { fits, type OrderFilter } from './order-filter.ts';
import { OrderNumbers, type OrderSources, withThese } from './order-numbers.ts';

/** The most that a page costs, in looks at an order in memory: 30 ms or so. */
const MAX_COST = 2 ** 16;
/** The cost of a look into the checkpoint. */
const READ_COST = 16;

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

/**
 * The order of a request. Orders that were made in time are looked at, those of the same moment; late ones have a list.
 */
async function ofRequest(sources: OrderSources, requestNumber: number): Promise<Order | undefined> {
  const { engine, orderIndex } = sources;
  const late = orderIndex.lateOrder(requestNumber);
  if (late !== undefined) return look(sources, late);
  const madeAtMs = requestTimeMs(requestNumber);
  const { state } = engine;
  const numbers = new OrderNumbers(sources);
  const { lastFolded } = numbers;
  const first = numbers.firstFrom(madeAtMs);
  const last = Math.min(lastFolded, numbers.firstFrom(madeAtMs + REQUEST_WINDOW_MS + 1) - 1);
  const slices = new Slices();
  for (const run of state.epochs.runsOf(first, last)) {
    for (const orderId of orderIndex.searchRequest(requestNumber, run.first, run.last)) {
      if (orderId !== undefined) return look(sources, orderId);
      if (slices.isFull) await slices.rest();
    }
  }
  for (const run of state.epochs.runsOf(lastFolded + 1, state.lastOrderId).reverse()) {
    for (let orderId = run.last; orderId >= run.first; orderId -= 1) {
      const order = look(sources, orderId);
      if (order?.requestNumber === requestNumber) return order;
      if (slices.isFull) await slices.rest();
    }
  }
  return numbers.recovered
    .map((orderId) => look(sources, orderId))
    .find((order) => order?.requestNumber === requestNumber);
}

async function walkDown(sources: OrderSources, filter: OrderFilter): Promise<OrderPage> {
  const { before, limit, fromMs, toMs } = filter;
  const newest = sources.engine.state.lastOrderId;
  const numbers = new OrderNumbers(sources);
  const folded = numbers.lastFolded;
  const walks = walksOf(sources, filter, numbers);
  const bottom = fromMs === 0 ? 1 : numbers.firstFrom(fromMs);
  let next = toMs === Number.POSITIVE_INFINITY ? newest : numbers.firstFrom(toMs) - 1;
  if (before > 0) next = Math.min(next, before - 1);
  const orders: Order[] = [];
  const slices = new Slices();
  for (let cost = 0; next >= bottom && cost < MAX_COST && orders.length < limit; ) {
    cost += next > folded ? 1 : READ_COST;
    const candidate = next > folded ? Math.max(folded, numbers.atMost(next)) : lowestOf(walks, next);
    if (candidate === next) {
      const order = look(sources, candidate);
      if (order !== undefined && fits(order, filter)) orders.push(order);
      next -= 1;
    } else next = candidate;
    if (slices.isFull) await slices.rest();
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
function walksOf({ orderIndex }: OrderSources, filter: OrderFilter, numbers: OrderNumbers): OrderWalk[] {
  const { status, ...lasting } = filter;
  // The checkpoint doesn't know those that were recovered lately: they may be in any list.
  const walks = orderIndex.walks(lasting).map((walk) => withThese(walk, numbers.recovered));
  if (numbers.hasSkips) walks.unshift(numbers);
  const [byStatus] = orderIndex.walks({ status });
  return byStatus === undefined ? walks : [withThese(byStatus, numbers.changed()), ...walks];
}

/** The order as it is now. */
function look(
  { engine, history }: Pick<OrderSources, 'engine' | 'history'>,
  orderId: number,
): Order | undefined {
  return orderOf(engine.state, history, orderId);
}
