/**
 * The orders that are younger than the checkpoint, and those that have changed since, in two generations.
 *
 * Order numbers are consecutive, so a generation is a list and its first number, and a map of the older orders that
 * have changed. A change is always of the current generation, also of an order that the one before has: the checkpoint
 * will have that one as it was.
 */
import { Generations } from './generations.ts';
import { OrderColumns } from './order-columns.ts';
import { NO_KEY, type Order } from './orders.ts';

class OrderList {
  readonly orders = new OrderColumns();
  /** Of orders that aren't in the list. */
  readonly changed = new Map<number, Order>();
  unkeyed = 0;
  #first = 0;

  get size(): number {
    return this.orders.count + this.changed.size;
  }

  /** Of those in the list. */
  get first(): number {
    return this.orders.count === 0 ? Number.POSITIVE_INFINITY : this.#first;
  }

  get(orderId: number): Order | undefined {
    return this.orders.at(orderId - this.#first) ?? this.changed.get(orderId);
  }

  isOf(orderId: number, accountId: number, idempotencyKey: string): boolean {
    return this.orders.isOf(orderId - this.#first, accountId, idempotencyKey);
  }

  add(order: Order): void {
    if (this.orders.count === 0) this.#first = order.orderId;
    this.orders.push(order);
    if (order.idempotencyKey === NO_KEY) this.unkeyed += 1;
  }

  change(order: Order): void {
    const index = order.orderId - this.#first;
    if (index >= 0 && index < this.orders.count) this.orders.set(index, order);
    else this.changed.set(order.orderId, order);
    this.unkeyed += 1;
  }

  clear(): void {
    this.orders.clear();
    this.changed.clear();
    this.unkeyed = 0;
  }

  *values(): IterableIterator<Order> {
    for (let index = 0; ; index += 1) {
      const order = this.orders.at(index);
      if (order === undefined) break;
      yield order;
    }
    yield* this.changed.values();
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

  /** The lowest that was added here; infinite when there is none. All below are in the checkpoint, as they were. */
  get first(): number {
    return Math.min(this.older.first, this.current.first);
  }

  /** Orders that aren't among those that were added here, and have changed. Some may come twice. */
  *changedIds(): IterableIterator<number> {
    yield* this.older.changed.keys();
    yield* this.current.changed.keys();
  }

  /** Whether an order that was added here was asked for by the account with the key. */
  isOf(orderId: number, accountId: number, idempotencyKey: string): boolean {
    return (
      this.current.isOf(orderId, accountId, idempotencyKey) ||
      this.older.isOf(orderId, accountId, idempotencyKey)
    );
  }

  /** Orders come with consecutive numbers. */
  add(order: Order): void {
    this.current.add(order);
  }

  /** Puts an order that exists, wherever it lies, in its place. */
  change(order: Order): void {
    this.current.change(order);
  }

  /** An order that changed since the older generation comes twice, as it is now the second time. */
  *values(): IterableIterator<Order> {
    yield* this.older.values();
    yield* this.current.values();
  }
}
