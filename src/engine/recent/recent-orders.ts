/**
 * The orders that are younger than the checkpoint, and those that have changed since, in two generations.
 *
 * Order numbers are consecutive, but for the skip of a restore, so a generation is a list and the first number of each
 * run, and a map of the other orders that came or have changed: older ones, and those that were recovered. A change is
 * always of the current generation, also of an order that the one before has: the checkpoint will have that one as it was.
 */

import { NO_KEY, type Order } from '../orders.ts';
import { Generations } from './generations.ts';
import { costOf, OrderColumns, type OrderCost } from './order-columns.ts';

/** Orders with consecutive numbers. */
interface Run {
  readonly firstId: number;
  /** Where they begin in the list. */
  readonly start: number;
}

class OrderList {
  readonly orders = new OrderColumns();
  /** Other orders that came or have changed, which aren't in the list. */
  readonly changed = new Map<number, Order>();
  unkeyed = 0;
  /** Ids of orders that waited for their delivery when they came or changed. */
  readonly pendingIds: number[] = [];
  #first = 0;
  /** The number of the last run's first order, less its place in the list. */
  #base = 0;
  #lastRun = 0;
  /** Runs before the last one: none, unless a restore is among these facts. */
  #earlier: Run[] = [];

  get size(): number {
    return this.orders.count + this.changed.size;
  }

  /** The lowest order number in the list; infinity when the list is empty. */
  get first(): number {
    return this.orders.count === 0 ? Number.POSITIVE_INFINITY : this.#first;
  }

  get(orderId: number): Order | undefined {
    return this.orders.at(this.#indexOf(orderId)) ?? this.changed.get(orderId);
  }

  has(orderId: number): boolean {
    return this.#indexOf(orderId) >= 0 || this.changed.has(orderId);
  }

  isOf(orderId: number, accountId: number, idempotencyKey: string): boolean {
    if (this.orders.isOf(this.#indexOf(orderId), accountId, idempotencyKey)) return true;
    const recovered = this.changed.get(orderId);
    return recovered?.accountId === accountId && recovered.idempotencyKey === idempotencyKey;
  }

  add(order: Order): void {
    const { count } = this.orders;
    if (count === 0) this.#first = this.#base = order.orderId;
    else if (order.orderId !== this.#base + count) this.#skip(order.orderId, count);
    this.orders.push(order);
    if (order.idempotencyKey === NO_KEY) this.unkeyed += 1;
    if (order.status === 'pending_delivery') this.pendingIds.push(order.orderId);
  }

  change(order: Order): void {
    const index = this.#indexOf(order.orderId);
    if (index >= 0) this.orders.set(index, order);
    else this.changed.set(order.orderId, order);
    if (order.status === 'pending_delivery') this.pendingIds.push(order.orderId);
    this.unkeyed += 1;
  }

  eachCost(accountId: number, take: (cost: OrderCost) => void): void {
    this.orders.eachCost(accountId, take);
    for (const order of this.changed.values()) if (order.accountId === accountId) take(costOf(order));
  }

  clear(): void {
    this.orders.clear();
    this.changed.clear();
    this.unkeyed = 0;
    this.pendingIds.length = 0;
    this.#earlier = [];
    this.#lastRun = 0;
  }

  *values(): IterableIterator<Order> {
    for (let index = 0; ; index += 1) {
      const order = this.orders.at(index);
      if (order === undefined) break;
      yield order;
    }
    yield* this.changed.values();
  }

  /** The order's place in the list; -1 when it isn't there. */
  #indexOf(orderId: number): number {
    const index = orderId - this.#base;
    if (index >= this.#lastRun) return index < this.orders.count ? index : -1;
    if (this.#earlier.length === 0) return -1;
    const run = this.#earlier.findLast(({ firstId }) => firstId <= orderId);
    if (run === undefined) return -1;
    const place = run.start + orderId - run.firstId;
    return place < this.#endOf(run) ? place : -1;
  }

  /** Where the run of one of the earlier ones ends in the list. */
  #endOf(run: Run): number {
    return this.#earlier[this.#earlier.indexOf(run) + 1]?.start ?? this.#lastRun;
  }

  #skip(orderId: number, count: number): void {
    this.#earlier.push({ firstId: this.#base + this.#lastRun, start: this.#lastRun });
    this.#lastRun = count;
    this.#base = orderId - count;
  }
}

export class RecentOrders extends Generations<OrderList> {
  constructor() {
    super(() => new OrderList());
  }

  /** How many orders and changes of orders came here without the outcome of a key, which would count them. */
  get unkeyed(): number {
    return this.older.unkeyed + this.current.unkeyed;
  }

  get(orderId: number): Order | undefined {
    return this.current.get(orderId) ?? this.older.get(orderId);
  }

  /**
   * The lowest that was added here; infinite when there is none. All below are in the checkpoint, as they were, but for
   * those that were recovered since, which are among `changedIds`.
   */
  get first(): number {
    return Math.min(this.older.first, this.current.first);
  }

  /** Orders that aren't among those that were added here, and have changed. Some may come twice. */
  *changedIds(): IterableIterator<number> {
    yield* this.older.changed.keys();
    yield* this.current.changed.keys();
  }

  /**
   * Gives `take` the costs of the orders of an account that came or have changed here, each once, as they are now. Looks at
   * all orders: some milliseconds.
   */
  eachCost(accountId: number, take: (cost: OrderCost) => void): void {
    const { current } = this;
    current.eachCost(accountId, take);
    this.older.eachCost(accountId, (cost) => {
      if (!current.has(cost.orderId)) take(cost);
    });
  }

  /** Orders that waited for their delivery when they came or changed here. Some may come twice, or be delivered. */
  *pendingIds(): IterableIterator<number> {
    yield* this.older.pendingIds;
    yield* this.current.pendingIds;
  }

  /** Whether an order that was added here was asked for by the account with the key. */
  isOf(orderId: number, accountId: number, idempotencyKey: string): boolean {
    return (
      this.current.isOf(orderId, accountId, idempotencyKey) ||
      this.older.isOf(orderId, accountId, idempotencyKey)
    );
  }

  /** Orders come with consecutive numbers, but for skips. */
  add(order: Order): void {
    this.current.add(order);
  }

  /** Puts an order that exists, wherever it lies, in its place; or one that was recovered. */
  change(order: Order): void {
    this.current.change(order);
  }

  /** An order that changed since the older generation comes twice, as it is now the second time. */
  *values(): IterableIterator<Order> {
    yield* this.older.values();
    yield* this.current.values();
  }
}
