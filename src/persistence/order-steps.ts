/**
 * Proves, for `purser verify`, that every order went only where the lifecycle says, from the first fact to the
 * last. `apply` can tell only while memory holds what the order was; here a byte an order remembers it.
 */
import type { Fact } from '../engine/fact.ts';
import { isAllowed } from '../engine/order-lifecycle.ts';
import { ORDER_STATUSES } from '../engine/orders.ts';
import { loadStatuses } from './checkpoint/order-index-audit.ts';
import { DamagedDataError } from './codec/byte-reader.ts';
import { OrderBytes } from './order-bytes.ts';

export class OrderSteps {
  /** The index of an order's status plus one; 0 for an order that no fact has made. */
  readonly #statuses = new OrderBytes();
  /**
   * The last order of the facts before. An order up to here of which nothing is known was made `completed` by them, or
   * they left its number out.
   */
  readonly #completedThrough: number;

  /** `saved`: the orders of the facts before that were not completed, and the number of the last one. */
  constructor(saved?: { readonly statuses: readonly number[]; readonly lastOrderId: number }) {
    loadStatuses(this.#statuses, saved?.statuses ?? []);
    this.#completedThrough = saved?.lastOrderId ?? 0;
  }

  /** Throws `DamagedDataError` when the fact is a step that isn't in the lifecycle. */
  add(fact: Fact): void {
    if (!('order' in fact)) return;
    const { orderId, status } = fact.order;
    const before = ORDER_STATUSES[this.#statuses.get(orderId) - 1] ?? null;
    const wasCompleted = before === null && orderId <= this.#completedThrough;
    const isStep =
      isAllowed(before, fact.kind, status) || (wasCompleted && isAllowed('completed', fact.kind, status));
    if (!isStep) {
      throw new DamagedDataError(`order ${orderId} went from ${before} to ${status} by ${fact.kind}`);
    }
    this.#statuses.set(orderId, ORDER_STATUSES.indexOf(status) + 1);
  }
}
