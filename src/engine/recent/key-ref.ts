/**
 * The outcome of a purchase's key, as one number: an order by its number, or a stored refusal by the journal position
 * of its fact.
 */

/** The even numbers. */
export function refOfOrder(orderId: number): number {
  return orderId * 2;
}

/** The odd numbers. */
export function refOfRefusal(position: number): number {
  return position * 2 + 1;
}

export function readRef(ref: number): { readonly orderId: number } | { readonly refusedAt: number } {
  return ref % 2 === 0 ? { orderId: ref / 2 } : { refusedAt: (ref - 1) / 2 };
}
