/**
 * What a receipt says later than an order shows: items that took the places of those that the order has.
 *
 * An order only ever loses items to others that take their places, and a receipt names those that went. So the receipt is
 * the later one at a place exactly when what the order shows there is among them; no clock is asked.
 */
import { itemHash } from '../persistence/stock/owed-texts.ts';
import type { FormerItem, ReceiptClaims } from './receipt-claims.ts';

export interface ReceiptNews {
  /** Where the receipt has a later item. */
  readonly places: readonly number[];
  /** Those of the items that went which the order doesn't show. */
  readonly former: readonly FormerItem[];
}

/** `texts` are what the order shows, by place. */
export function laterThan(
  texts: readonly string[],
  { salt, itemHashes, formerItems = [] }: ReceiptClaims,
): ReceiptNews {
  if (texts.length !== itemHashes.length) return { places: [], former: [] };
  const bytes = Buffer.from(salt, 'base64url');
  const shown = texts.map((text) => itemHash(bytes, text));
  const went = new Set(formerItems.map(({ hash }) => hash));
  const places = [...shown.keys()].filter((place) => {
    const now = shown[place] ?? '';
    return now !== itemHashes[place] && went.has(now);
  });
  const isShown = new Set(shown);
  return { places, former: formerItems.filter(({ hash }) => !isShown.has(hash)) };
}
