/**
 * Finds what is for sale with the texts of a recalled lot. A product may have a text twice: on an operator's word, or
 * because it was withdrawn, and uploaded again, before its lot was recalled.
 *
 * What always holds: every item of a text has a row in the fingerprints, so none is missed; and no other comes once the
 * recall is durable, for uploads leave its texts out. It goes a piece at a time, so that uploads and deliveries of
 * suppliers have their turns in between. Rejected: a note of each text that a product has twice, which every upload would
 * have to keep for a question that comes with a recall only.
 */
import { ITEMS_PER_BLOCK, type ItemBlock } from './file/stock-block.ts';
import { blockWith, type StockFile } from './file/stock-file.ts';
import { type Fingerprints, orderOfHint } from './file/stock-fingerprints.ts';
import { behind, isIn, type ProductStock } from './product-stock.ts';
import type { StockTexts } from './stock-texts.ts';

/** Items whose texts are looked at in one piece: some ten milliseconds. */
const PIECE_ITEMS = 2_048;
/** More items are found by the next piece. Each may be in a block of its own. */
const MAX_FOUND = 512;

export interface CopiesQuestion {
  readonly stock: ProductStock;
  /** The product's items from here on have not left the shelf, unless they are withdrawn. */
  readonly next: number;
  /** Whose texts: these items up to `to`, which is not one of them. */
  readonly from: number;
  readonly to: number;
}

export interface Copies {
  /** Numbers of items for sale, ascending. */
  readonly items: readonly number[];
  /** From where to ask again, once these are withdrawn; `to` when there are no more. */
  readonly from: number;
}

/** Throws `DamagedRowError`. */
export function copiesForSale({ file, fingerprints }: StockTexts, question: CopiesQuestion): Copies {
  const { stock, from, to } = question;
  const { productId } = stock;
  // The library keeps a snapshot for a turn of the event loop.
  file.environment.resetReadTxn();
  const [ofLot, ofCopies] = [new Texts(file, productId), new Texts(file, productId)];
  const asked = new Set<string>();
  const items = new Set<number>();
  const end = Math.min(to, from + PIECE_ITEMS);
  for (let item = from; item < end; item += 1) {
    const text = ofLot.of(item);
    const key = fingerprints.keyOf(productId, text);
    const name = key.toString('latin1');
    if (asked.has(name)) continue;
    asked.add(name);
    for (const copy of itemsWith(fingerprints, key, question)) {
      if (!text.equals(ofCopies.of(copy))) continue;
      items.add(copy);
      if (items.size === MAX_FOUND) return { items: ascending(items), from: item };
    }
  }
  return { items: ascending(items), from: end };
}

/** What the rows of a fingerprint say is for sale. Their texts may be others. */
function* itemsWith(
  fingerprints: Fingerprints,
  key: Buffer,
  { stock: { withdrawn, end }, next }: CopiesQuestion,
): IterableIterator<number> {
  const named = fingerprints.get(key);
  if (named === undefined) return;
  const isItem = orderOfHint(named) === undefined;
  if (isItem && named >= next && named < end && !isIn(withdrawn, named)) yield named;
  for (let from = next; ; ) {
    const item = fingerprints.furtherItem(key, from);
    if (item === undefined || item >= end) return;
    from = behind(withdrawn, item);
    if (from > item) continue;
    yield item;
    from += 1;
  }
}

/** The texts of items, of which neighbours are asked for one after the other. */
class Texts {
  readonly #file: StockFile;
  readonly #productId: number;
  #block: ItemBlock | undefined;
  /** The first item of the block. */
  #first = 0;

  constructor(file: StockFile, productId: number) {
    this.#file = file;
    this.#productId = productId;
  }

  of(item: number): Buffer {
    let block = this.#block;
    const index = item % ITEMS_PER_BLOCK;
    if (block === undefined || item - index !== this.#first || index >= block.count) {
      block = blockWith(this.#file, this.#productId, item);
      this.#block = block;
      this.#first = item - index;
    }
    return block.bytesAt(index);
  }
}

function ascending(items: ReadonlySet<number>): number[] {
  return [...items].sort((a, b) => a - b);
}
