/** What a completed order delivers, as the `delivery` of its JSON (SPEC.md §2). */
import type { Order } from '../engine/orders.ts';

/** One of the two. */
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
