/**
 * Whether a product had a text already: as an item that isn't withdrawn, sold or not, or as what an order of it was
 * delivered with; or as an item that was recalled, and then it never comes again. A fingerprint's rows say where to
 * look; the text that lies there decides.
 */

import { orderOfHint } from '../file/stock-fingerprints.ts';
import { behind, isIn, nextIn, type PackedRanges } from '../product-stock.ts';
import type { StockTexts } from '../stock-texts.ts';

/** What counts of what a product had. */
export interface CountedTexts {
  /** Of a `ProductStock`: these items don't count, … */
  readonly withdrawn: PackedRanges;
  /** … and these do whatever happens. */
  readonly recalled: PackedRanges;
  /** Undefined for a number that is no item's, or of an upload that came to nothing. */
  readonly textOf: (item: number) => Uint8Array | undefined;
  /** What this order has doesn't count: it is about to be written over. */
  readonly exceptOrderId?: number | undefined;
}

export type Holder = 'item' | 'order' | 'recalled';

export interface KnownText {
  /** Who has it; undefined when nobody does that counts. When it is an order, an item may have it as well. */
  readonly holder: Holder | undefined;
  /** What the fingerprint's row names besides, which must not be lost when another takes its place. */
  readonly kept?: number;
}

/** Undefined when nobody ever had it. `key` is the text's fingerprint. Throws `DamagedRowError`. */
export function lookUp(
  { fingerprints, deliveries }: StockTexts,
  { withdrawn, recalled, textOf, exceptOrderId }: CountedTexts,
  key: Buffer,
  text: Buffer,
): KnownText | undefined {
  const hint = fingerprints.get(key);
  if (hint === undefined) return undefined;
  const hasOrder = (orderId: number) => orderId !== exceptOrderId && deliveries.has(orderId, text);
  const hasItem = (item: number) => {
    const had = textOf(item);
    return had !== undefined && text.equals(had);
  };
  const named = orderOfHint(hint);
  const isNamedRecalled = named === undefined && isIn(recalled, hint) && hasItem(hint);
  if (isNamedRecalled || isAnyRecalled()) return { holder: 'recalled' };
  if (named !== undefined && hasOrder(named)) return { holder: 'order', kept: hint };
  const isKept = named === undefined && isIn(withdrawn, hint);
  if (named === undefined && !isKept && hasItem(hint)) return { holder: 'item' };
  const holder = isAnyFurther() ? 'item' : isAnyOrder() ? 'order' : undefined;
  return isKept ? { holder, kept: hint } : { holder };

  /** They may be many, and of both kinds: what lies between two that count is passed over at once. */
  function isAnyRecalled(): boolean {
    for (let from = nextIn(recalled, 0); from !== undefined; ) {
      const item = fingerprints.furtherItem(key, from);
      if (item === undefined) return false;
      const isThere = isIn(recalled, item);
      if (isThere && hasItem(item)) return true;
      from = nextIn(recalled, isThere ? item + 1 : item);
    }
    return false;
  }

  function isAnyFurther(): boolean {
    for (let from = 0; ; ) {
      const item = fingerprints.furtherItem(key, from);
      if (item === undefined) return false;
      from = behind(withdrawn, item);
      if (from === item && hasItem(item)) return true;
      if (from === item) from += 1;
    }
  }

  function isAnyOrder(): boolean {
    for (const further of fingerprints.furtherOrders(key)) if (hasOrder(further)) return true;
    return false;
  }
}
