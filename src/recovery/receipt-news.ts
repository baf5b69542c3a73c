/**
 * News in a receipt about an order that is there: items that took the places of those that the order shows, and items
 * that others took the places of.
 *
 * In a gap an order only loses items to others that take their places, and a receipt names those that went. So the receipt is
 * the later one at a place exactly when what the order shows there is among them; no clock is asked. Where it isn't, the
 * operator has put something else there since: the buyer had the receipt's item all the same, so it is the order's, too.
 */
import { itemHash } from '../persistence/stock/item-hash.ts';
import { numbersOf, type ReceiptClaims } from '../receipts/receipt-claims.ts';
import { Slices } from '../shared/slices.ts';
import type { FormerWanted } from './item-search.ts';

export interface ReceiptNews {
  /** Where the receipt has a later item. */
  readonly places: readonly number[];
  /** The items that went and that the order doesn't show. */
  readonly former: readonly FormerWanted[];
}

/**
 * `shown` are the texts that the order shows, by place; `had` those that others took the places of, as far as is known. Each
 * is opened when it is asked for, in slices.
 */
export async function laterThan(
  shown: Iterable<string>,
  had: Iterable<string>,
  claims: ReceiptClaims,
): Promise<ReceiptNews> {
  const { salt, itemHashes, formerItems = [] } = claims;
  const bytes = Buffer.from(salt, 'base64url');
  const now = await hashesOf(shown, bytes);
  const isShown = new Set(now);
  const isHad = new Set(await hashesOf(had, bytes));
  const went = new Set(formerItems.map(({ hash }) => hash));
  const isSame = now.length === itemHashes.length;
  const places = isSame
    ? [...now.keys()].filter((place) => isLater(now[place], itemHashes[place], went))
    : [];
  const later = new Set(places);
  const numbers = numbersOf(claims);
  const overtaken = [...itemHashes.entries()]
    .filter(([place, hash]) => !later.has(place) && !isShown.has(hash) && !isHad.has(hash))
    .map(([place, hash]) => ({ item: numbers.get(place), hash, isOvertaken: true }));
  return { places, former: [...formerItems.filter(({ hash }) => !isShown.has(hash)), ...overtaken] };
}

async function hashesOf(texts: Iterable<string>, salt: Uint8Array): Promise<string[]> {
  const slices = new Slices();
  const hashes: string[] = [];
  for (const text of texts) {
    hashes.push(itemHash(salt, text));
    if (slices.isFull) await slices.rest();
  }
  return hashes;
}

function isLater(now = '', said = '', went: ReadonlySet<string>): boolean {
  return now !== said && went.has(now);
}
