/**
 * Whether the shop had a text already: as an item of any product that isn't withdrawn, sold or not, or as a text that
 * an order was delivered with; or as an item that was recalled, and then it never comes again. A fingerprint's rows say
 * where to look; the text that lies there decides. Texts that look the same are the same (`../likeness.ts`); of a text
 * that only has the likeness, it is told where it is.
 *
 * Invariant: a text of a product whose goods are not alike is nobody else's. Products with goods that are alike may
 * have one another's.
 */

import { type Holder, hintOfOrder, orderOfHint } from '../file/stock-fingerprints.ts';
import { isAlike, isSame } from '../likeness.ts';
import { behind, isIn, nextIn } from '../product-stock.ts';
import type { CountedTexts } from '../shop-shelves.ts';
import type { StockTexts } from '../stock-texts.ts';

/**
 * Rows of one likeness that are followed: goods that are alike may have millions. Beyond, a text counts as had, by what was
 * found.
 */
const MAX_FOLLOWED = 1_000;

/** `alike`: by a product whose goods are alike; `item` and `order`: by another. */
export type Had = 'item' | 'order' | 'alike' | 'recalled';

/** The holder of a text; and the text there, when it is not the same to the byte. */
export interface TextHolder extends Holder {
  readonly text?: Buffer;
}

export interface KnownText {
  /** Undefined when nobody has it that counts. */
  readonly had?: Had;
  /** The holder of the text; or when nobody has it, the holder of one that only has the likeness. */
  readonly holder?: TextHolder | undefined;
  /** The holder that the fingerprint's row names besides, which must not be lost when another takes its place. */
  readonly kept?: Holder | undefined;
}

interface Found {
  readonly had: Had;
  readonly holder: TextHolder;
}

/** Undefined when nobody ever had it. `key` is the text's fingerprint. Throws `damaged`. */
export function lookUp(
  texts: StockTexts,
  own: CountedTexts,
  key: Buffer,
  text: Buffer,
): KnownText | undefined {
  const named = texts.fingerprints.get(key);
  return named && new LookUp(texts, own, key, text).from(named);
}

/** The product for which a supplier purchase, another than this one, has reserved a text. */
export function claimantOf(
  { reservations, shelves }: StockTexts,
  productId: number,
  text: Buffer,
  exceptSupplierPurchaseId?: number,
): number | undefined {
  const claimant = reservations.claimantOf(text, exceptSupplierPurchaseId);
  return claimant === productId || shelves.isKnown ? claimant : undefined;
}

class LookUp {
  readonly #texts: StockTexts;
  readonly #own: CountedTexts;
  readonly #key: Buffer;
  readonly #text: Buffer;
  #found: Found | undefined;
  #alike: TextHolder | undefined;
  #followed = 0;

  constructor(texts: StockTexts, own: CountedTexts, key: Buffer, text: Buffer) {
    this.#texts = texts;
    this.#own = own;
    this.#key = key;
    this.#text = text;
  }

  from(named: Holder): KnownText {
    const counted = this.#countedOf(named.productId);
    const isKept = counted === undefined || this.#compare(counted, named.hint) !== undefined;
    const kept = isKept ? named : undefined;
    if (!this.#isDecided) this.#follow();
    if (this.#found !== undefined) return { ...this.#found, kept };
    // Who knows what comes behind so many.
    if (this.#isTired) return { had: 'item', holder: this.#alike ?? named, kept };
    return { holder: this.#alike, kept };
  }

  get #isDecided(): boolean {
    const had = this.#found?.had;
    if (had === 'recalled') return true;
    const { recalled } = this.#own;
    const isAnyRecalled = recalled.length > 0 || this.#texts.shelves.hasRecalled;
    return (had === 'item' || had === 'order') && !isAnyRecalled;
  }

  get #isTired(): boolean {
    return this.#followed >= MAX_FOLLOWED;
  }

  #follow(): void {
    const { fingerprints } = this.#texts;
    for (let from = 0; !this.#isTired; ) {
      const productId = fingerprints.furtherProduct(this.#key, from);
      if (productId === undefined) return;
      this.#followed += 1;
      const counted = this.#countedOf(productId);
      if (counted !== undefined) this.#followProduct(counted);
      if (this.#isDecided) return;
      from = productId + 1;
    }
  }

  /** Follows a product: recalled items first; then the others, until one has the text, and only then the orders. */
  #followProduct(counted: CountedTexts): void {
    const { withdrawn, recalled, productId } = counted;
    this.#followItems(counted, (item) => nextIn(recalled, item));
    if (this.#found?.had === 'recalled') return;
    if (this.#followItems(counted, (item) => behind(withdrawn, item))) return;
    for (const orderId of this.#texts.fingerprints.furtherOrders(this.#key, productId)) {
      this.#followed += 1;
      if (this.#compare(counted, hintOfOrder(orderId)) === 'same' || this.#isTired) return;
    }
  }

  /** Looks at items that count: `next` is the first of them from a number on. Whether one has the text. */
  #followItems(counted: CountedTexts, next: (item: number) => number | undefined): boolean {
    const { productId } = counted;
    for (let from = next(0); from !== undefined && !this.#isTired; ) {
      const item = this.#texts.fingerprints.furtherItem(this.#key, productId, from);
      if (item === undefined || counted.textOf(item) === undefined) return false;
      this.#followed += 1;
      const isCounted = next(item) === item;
      if (isCounted && this.#compare(counted, item) === 'same') return true;
      from = next(isCounted ? item + 1 : item);
    }
    return false;
  }

  /** How the text there compares, which is noted; undefined when it hasn't even the likeness. */
  #compare(counted: CountedTexts, hint: number): 'same' | 'alike' | undefined {
    const { productId } = counted;
    const there = this.#textAt(counted, hint);
    if (there === undefined) return undefined;
    const isEqual = this.#text.equals(there);
    const holder = { productId, hint, ...(isEqual ? {} : { text: Buffer.from(there) }) };
    if (isEqual || isSame(this.#text, there)) {
      this.#note(hadBy(counted, hint), holder);
      return 'same';
    }
    if (!isAlike(this.#text, there)) return undefined;
    this.#alike ??= holder;
    return 'alike';
  }

  #textAt(counted: CountedTexts, hint: number): Buffer | undefined {
    const orderId = orderOfHint(hint);
    if (orderId === undefined) return counted.textOf(hint);
    if (orderId === counted.exceptOrderId) return undefined;
    return this.#texts.deliveries.find(orderId, this.#text);
  }

  /** A recalled text counts most, one that is alike least. */
  #note(had: Had | undefined, holder: TextHolder): void {
    const before = this.#found?.had;
    const isMore = before === undefined || before === 'alike' || had === 'recalled';
    if (had !== undefined && isMore) this.#found = { had, holder };
  }

  #countedOf(productId: number): CountedTexts | undefined {
    const own = this.#own;
    return productId === own.productId ? own : this.#texts.shelves.countedOf(productId);
  }
}

/** Undefined for a withdrawn item. */
function hadBy({ withdrawn, recalled, isAlike }: CountedTexts, hint: number): Had | undefined {
  const isItem = orderOfHint(hint) === undefined;
  if (isItem && isIn(recalled, hint)) return 'recalled';
  if (isItem && isIn(withdrawn, hint)) return undefined;
  if (isAlike === true) return 'alike';
  return isItem ? 'item' : 'order';
}
