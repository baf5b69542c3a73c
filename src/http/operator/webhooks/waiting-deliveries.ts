/**
 * The number of orders that wait for a delivery by hand, so that somebody sees that there are some.
 *
 * The checkpoint has a bit for each pending order, and memory those since: no order is read, but for those in memory.
 * Invariant: a count looks at `MOST_LOOKS` orders at most. Rejected: a number in the state, which would have to know of
 * each order that is refunded whether it was pending.
 */
import type { State } from '../../../engine/state.ts';
import type { OrderIndex } from '../../../persistence/checkpoint/order-index.ts';

/** The most orders that are counted. */
export const MOST_WAITING = 1_000;
/** The most orders that are looked at, those that wait for a supplier included. */
const MOST_LOOKS = 10_000;

export function waitingDeliveries(state: State, orderIndex: Pick<OrderIndex, 'pending'>): number {
  const waiting = new Set<number>();
  let looks = 0;
  for (const orderIds of [state.orders.pendingIds(), orderIndex.pending(1)]) {
    for (const orderId of orderIds) {
      looks += 1;
      if (looks > MOST_LOOKS || waiting.size === MOST_WAITING) return waiting.size;
      const status = state.orders.get(orderId)?.status ?? 'pending_delivery';
      const isByHand = state.supplierPurchases.ofOrder(orderId) === undefined;
      if (status === 'pending_delivery' && isByHand) waiting.add(orderId);
    }
  }
  return waiting.size;
}
