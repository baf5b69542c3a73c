/**
 * Proves, for `purser verify`, that every order went only where the lifecycle says, from the first fact to the
 * last. `apply` can tell only while memory holds what the order was; here a byte an order remembers it.
 */
import type { Fact } from '../engine/fact.ts';
import { isAllowed } from '../engine/order-lifecycle.ts';
import { ORDER_STATUSES } from '../engine/orders.ts';
import { DamagedDataError } from './codec/byte-reader.ts';
import { OrderBytes } from './order-bytes.ts';

export class OrderSteps {
  /** The index of an order's status plus one; 0 for an order that no fact has made. */
  readonly #statuses = new OrderBytes();

  /** Throws `DamagedDataError` when the fact is a step that isn't in the lifecycle. */
  add(fact: Fact): void {
    if (!('order' in fact)) return;
    const { orderId, status } = fact.order;
    const before = ORDER_STATUSES[this.#statuses.get(orderId) - 1] ?? null;
    if (!isAllowed(before, fact.kind, status)) {
      throw new DamagedDataError(`order ${orderId} went from ${before} to ${status} by ${fact.kind}`);
    }
    this.#statuses.set(orderId, ORDER_STATUSES.indexOf(status) + 1);
  }
}
