/**
 * The orders that are younger than the checkpoint, in two generations.
 *
 * The checkpoint folds whole generations: `cut` starts a new one, `dropOlder` forgets the one before once it
 * is on disk, which is one assignment whatever its size. Order numbers are consecutive, so a generation is a
 * list and its first number. Rejected: a map from which rows are deleted one by one, which stalls the thread.
 */
import type { Order } from './orders.ts';

class Generation {
  readonly orders: Order[] = [];

  get(orderId: number): Order | undefined {
    return this.orders[orderId - (this.orders[0]?.orderId ?? 0)];
  }
}

export class RecentOrders {
  #older = new Generation();
  #current = new Generation();

  get(orderId: number): Order | undefined {
    return this.#current.get(orderId) ?? this.#older.get(orderId);
  }

  /** Orders come with consecutive numbers. */
  add(order: Order): void {
    this.#current.orders.push(order);
  }

  /** In the order of their numbers. */
  *values(): IterableIterator<Order> {
    yield* this.#older.orders;
    yield* this.#current.orders;
  }

  /** Starts a new generation. The one before must have been dropped. */
  cut(): void {
    if (this.#older.orders.length > 0) {
      throw new Error('a generation was cut before the one before it was dropped');
    }
    this.#older = this.#current;
    this.#current = new Generation();
  }

  dropOlder(): void {
    this.#older = new Generation();
  }
}
