/**
 * Whether a product had a text already: as an item that isn't withdrawn, sold or not, or as what an order of it was
 * delivered with. A fingerprint's row says where to look; the text that lies there decides.
 */

import { orderOfHint } from '../file/stock-fingerprints.ts';
import { isWithdrawn } from '../product-stock.ts';
import type { StockTexts } from '../stock-texts.ts';

/** What counts of what a product had. */
export interface CountedTexts {
  /** Of a `ProductStock`: these items don't count. */
  readonly withdrawn: Float64Array;
  /** Undefined for a number that is no item's, or of an upload that came to nothing. */
  readonly textOf: (item: number) => Uint8Array | undefined;
  /** What this order has doesn't count: it is about to be written over. */
  readonly exceptOrderId?: number | undefined;
}

/**
 * Who has it. `key` is the text's fingerprint. When it is an order, an item may have it as well, which no row names.
 * Throws `DamagedRowError`.
 */
export function holderOf(
  { fingerprints, deliveries }: StockTexts,
  { withdrawn, textOf, exceptOrderId }: CountedTexts,
  key: Buffer,
  text: Buffer,
): 'item' | 'order' | undefined {
  const hint = fingerprints.get(key);
  if (hint === undefined) return undefined;
  const hasOrder = (orderId: number) => orderId !== exceptOrderId && deliveries.has(orderId, text);
  const named = orderOfHint(hint);
  if (named === undefined) {
    const had = isWithdrawn(withdrawn, hint) ? undefined : textOf(hint);
    if (had !== undefined && text.equals(had)) return 'item';
  } else if (hasOrder(named)) return 'order';
  for (const further of fingerprints.furtherOrders(key)) if (hasOrder(further)) return 'order';
  return undefined;
}
