/**
 * Finds items for sale with the texts of a recalled lot, in any product. A text may be there twice: on an operator's
 * word, or because it was withdrawn, and uploaded again, before its lot was recalled. Texts that look the same are the
 * same.
 *
 * Invariant: every item of a text has a row in the fingerprints, so none is missed; and no other comes once the recall
 * is durable, for uploads leave its texts out. The search goes a piece at a time, so that uploads and deliveries of
 * suppliers have their turns in between. Rejected: a note of each text that is there twice, which every upload would
 * have to keep for a question that comes with a recall only.
 */
import { ITEMS_PER_BLOCK, type ItemBlock } from './file/stock-block.ts';
import { blockWith, type StockFile } from './file/stock-file.ts';
import { type Fingerprints, type Holder, orderOfHint } from './file/stock-fingerprints.ts';
import { isSame, visibleForm } from './likeness.ts';
import { behind, isIn, type PackedRanges } from './product-stock.ts';
import type { StockTexts } from './stock-texts.ts';

/** Items whose texts are looked at in one piece: some ten milliseconds. */
const PIECE_ITEMS = 2_048;
/** More items are found by the next piece. Each may be in a block of its own. */
const MAX_FOUND = 512;
/** Numbers of a shelf: product, next, end. */
const SHELF_NUMBERS = 3;

export interface CopiesQuestion {
  readonly productId: number;
  /** The items with the texts: from this one up to `to`, which is not one of them. */
  readonly from: number;
  readonly to: number;
  /** Withdrawn ranges of the product. The thread knows those of other products. */
  readonly withdrawn: PackedRanges;
  /** Each product's number, the first item that has not left the shelf unless it is withdrawn, and its end; ascending. */
  readonly shelves: Float64Array;
}

export interface Copies {
  /** Items for sale: of each product ascending. */
  readonly items: readonly Holder[];
  /** The item from which to ask again, once these are withdrawn; `to` when there are no more. */
  readonly from: number;
}

/** Throws `damaged`. */
export function copiesForSale(texts: StockTexts, question: CopiesQuestion): Copies {
  const { file, fingerprints } = texts;
  const { productId, from, to } = question;
  // The library keeps a snapshot for a tick of the event loop.
  file.environment.resetReadTxn();
  const ofLot = new Texts(file, productId);
  const ofCopies = new Map<number, Texts>();
  const asked = new Set<string>();
  const items = new Map<string, Holder>();
  const end = Math.min(to, from + PIECE_ITEMS);
  for (let item = from; item < end; item += 1) {
    const text = ofLot.of(item);
    const form = visibleForm(text.toString());
    if (asked.has(form)) continue;
    asked.add(form);
    for (const copy of copiesOf(texts, fingerprints.keyOf(text), question)) {
      const copies = ofCopies.get(copy.productId) ?? new Texts(file, copy.productId);
      ofCopies.set(copy.productId, copies);
      if (!isSame(text, copies.of(copy.hint))) continue;
      items.set(`${copy.productId}:${copy.hint}`, copy);
      if (items.size === MAX_FOUND) return { items: ascending(items), from: item };
    }
  }
  return { items: ascending(items), from: end };
}

/** Items for sale, as the rows of a fingerprint say. Their texts may be others. */
function* copiesOf(
  { fingerprints, shelves }: StockTexts,
  key: Buffer,
  question: CopiesQuestion,
): IterableIterator<Holder> {
  const named = fingerprints.get(key);
  if (named === undefined) return;
  const gone = (productId: number) =>
    productId === question.productId ? question.withdrawn : shelves.countedOf(productId)?.withdrawn;
  const { next, end } = shelfOf(question.shelves, named.productId);
  const isItem = orderOfHint(named.hint) === undefined;
  const isThere = isItem && named.hint >= next && named.hint < end;
  if (isThere && !isIn(gone(named.productId) ?? NONE, named.hint)) yield named;
  for (let from = 0; ; ) {
    const productId = fingerprints.furtherProduct(key, from);
    if (productId === undefined) return;
    yield* furtherCopies(fingerprints, key, productId, gone(productId) ?? NONE, question.shelves);
    from = productId + 1;
  }
}

function* furtherCopies(
  fingerprints: Fingerprints,
  key: Buffer,
  productId: number,
  withdrawn: PackedRanges,
  shelves: Float64Array,
): IterableIterator<Holder> {
  const { next, end } = shelfOf(shelves, productId);
  for (let from = next; ; ) {
    const item = fingerprints.furtherItem(key, productId, from);
    if (item === undefined || item >= end) return;
    from = behind(withdrawn, item);
    if (from > item) continue;
    yield { productId, hint: item };
    from += 1;
  }
}

const NONE: PackedRanges = new Float64Array(0);

/** The shelf of a product; an empty one for a product without items. */
function shelfOf(shelves: Float64Array, productId: number): { readonly next: number; readonly end: number } {
  let low = 0;
  let high = shelves.length / SHELF_NUMBERS;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((shelves[middle * SHELF_NUMBERS] ?? 0) < productId) low = middle + 1;
    else high = middle;
  }
  const [found, next = 0, end = 0] = shelves.subarray(low * SHELF_NUMBERS, (low + 1) * SHELF_NUMBERS);
  return found === productId ? { next, end } : { next: 0, end: 0 };
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

function ascending(items: ReadonlyMap<string, Holder>): Holder[] {
  return [...items.values()].sort((a, b) => a.productId - b.productId || a.hint - b.hint);
}
