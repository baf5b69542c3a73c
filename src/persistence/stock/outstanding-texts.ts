/**
 * Texts that orders of a gap were delivered with, known by their salted hashes (`OutstandingItems`): whether a text is one of
 * them.
 *
 * Invariant: new items are looked at before they are for sale, when their texts are on disk; a text that an order lacks
 * is told as often as it lacks it, for goods may be alike. The look costs a hash for each item and order, in slices and
 * up to a limit, and nothing where nothing is outstanding.
 */

import { Rejection } from '../../engine/decide/rejection.ts';
import { countOf, type ItemRange, ItemRanges } from '../../engine/item-ranges.ts';
import type { Engine } from '../../engine/loop/engine.ts';
import type { OutstandingItems } from '../../engine/recovery/outstanding-items.ts';
import { Slices } from '../../shared/slices.ts';
import { itemHash } from './item-hash.ts';
import type { StockStore } from './stock-store.ts';

/** Takes minutes. A supplier's late delivery is never too large: 10,000 items for as many orders. */
const MAX_HASHES = 100_000_000;

/** The part of a command that adds items about those that are outstanding. */
export interface OutstandingAmong {
  readonly aside: readonly ItemRange[];
  /** `LostItems.outstandingChange` of that moment: a receipt that comes before the command is told by another number. */
  readonly outstandingChange: number;
}

/** The place of the first of these texts that isn't what the order was delivered with there; -1 when all are. */
export async function firstOtherText(
  { salt, itemHashes }: OutstandingItems,
  texts: readonly string[],
): Promise<number> {
  const bytes = Buffer.from(salt, 'base64url');
  const slices = new Slices();
  for (const [place, text] of texts.entries()) {
    if (slices.isFull) await slices.rest();
    if (itemHashes[place] !== itemHash(bytes, text)) return place;
  }
  return -1;
}

/**
 * Which of these items an order of a gap had; their texts are on disk, below `end`. Resolves with a rejection when these
 * are too many to compare. Rejects with `StockError`.
 */
export async function outstandingAmong(
  { engine, stock }: { readonly engine: Engine; readonly stock: StockStore },
  productId: number,
  ranges: readonly ItemRange[],
  end: number,
): Promise<OutstandingAmong | Rejection> {
  const lost = engine.state.stock.lost(productId);
  const outstandingChange = lost?.outstandingChange ?? 0;
  let lacking = Array.from(lost?.outstanding ?? [], (outstanding) => new LackingTexts(outstanding));
  if (countOf(ranges) * lacking.length > MAX_HASHES) return tooManyHashes(productId, lacking.length);
  const aside = new ItemRanges();
  const slices = new Slices();
  for (const { firstItem, count } of ranges) {
    for (let item = firstItem; item < firstItem + count && lacking.length > 0; item += 1) {
      const [text = ''] = stock.readItems(productId, item, 1, end);
      const isOutstanding = lacking.some((order) => order.take(text));
      if (isOutstanding) {
        aside.add({ firstItem: item, count: 1 });
        lacking = lacking.filter((order) => !order.isEmpty);
      }
      if (slices.isFull) await slices.rest();
    }
  }
  return { aside: aside.list, outstandingChange };
}

function tooManyHashes(productId: number, orders: number): Rejection {
  const most = Math.floor(MAX_HASHES / orders);
  return new Rejection(
    'BAD_REQUEST',
    `${orders} orders of a gap lack items of product ${productId}, and each new item is compared with each of them: send at most ${most} items at once.`,
  );
}

/** The lacking texts of one order: each as often as it isn't there. */
class LackingTexts {
  readonly #salt: Buffer;
  readonly #left = new Map<string, number>();

  constructor({ salt, itemHashes, missing, former }: OutstandingItems) {
    this.#salt = Buffer.from(salt, 'base64url');
    for (const lacks of [...missing.map((place) => itemHashes[place] ?? ''), ...former]) {
      this.#left.set(lacks, (this.#left.get(lacks) ?? 0) + 1);
    }
  }

  get isEmpty(): boolean {
    return this.#left.size === 0;
  }

  /** False when the order doesn't lack it, or not any more. */
  take(text: string): boolean {
    const hashed = itemHash(this.#salt, text);
    const left = this.#left.get(hashed);
    if (left === undefined) return false;
    if (left === 1) this.#left.delete(hashed);
    else this.#left.set(hashed, left - 1);
    return true;
  }
}
