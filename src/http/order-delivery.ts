/** The delivery of a completed order, as the `delivery` of its JSON (SPEC.md §2). */
import type { Order } from '../engine/orders.ts';

/** A delivery; one of its two fields is defined. */
export interface Delivery<Items = readonly string[]> {
  readonly items: Items | undefined;
  /** A path, as SPEC.md §2 has it. */
  readonly downloadUrl: string | undefined;
}

/** Undefined unless the order is completed. Throws what `itemsOf` throws. */
export function deliveryOf<Items>(
  order: Order,
  itemsOf: (order: Order) => Items,
): Delivery<Items> | undefined {
  if (order.status !== 'completed') return undefined;
  if (order.fileId === null) return { items: itemsOf(order), downloadUrl: undefined };
  return { items: undefined, downloadUrl: `/api/v1/buyer/orders/${order.orderId}/download` };
}
