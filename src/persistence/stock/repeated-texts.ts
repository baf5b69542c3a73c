/**
 * Texts that two products have, for `purser verify`. That is no damage: an operator may have said so for an upload, and
 * texts of products whose goods are alike are passed over here. But whoever said nothing of the kind wants to know.
 *
 * Texts that came more than once have further rows in the fingerprints. These are gathered, within bounds, while the file's
 * rows are checked anyway, so a folder that has none is verified as fast as before. Rejected: to walk through all
 * fingerprints in their order, which takes longer than all the rest; and to look for the further rows of each text, which
 * are a search in every run file.
 */
import type { State } from '../../engine/state.ts';
import { ByteCache } from './byte-cache.ts';
import { orderTexts } from './delivered/order-texts.ts';
import { blockOf, ITEMS_PER_BLOCK, type ItemBlock, placeOf } from './file/stock-block.ts';
import { blockWith, type StockFile } from './file/stock-file.ts';
import { Fingerprints, fingerprintOfFurther, type Holder, orderOfHint } from './file/stock-fingerprints.ts';
import { visibleForm } from './likeness.ts';
import { isIn, type ProductStock, productStockOf } from './product-stock.ts';

/** The most repeated texts that are gathered; others may be overlooked, and that is said. */
export const MAX_REPEATED_TEXTS = 50_000;
/** The most holders of one text that are gathered: goods that are alike may have millions. */
const MAX_HOLDERS = 16;
const MAX_HOLDERS_OF_PRODUCT = 4;
const LISTED_TEXTS = 5;
const CACHE_BYTES = 16 * 1024 * 1024;

export class RepeatedTexts {
  readonly #limit: number;
  /** Holders that the further rows of a fingerprint name, by fingerprint. */
  readonly #holders = new Map<string, Holder[]>();
  #areMore = false;

  constructor(limit = MAX_REPEATED_TEXTS) {
    this.#limit = limit;
  }

  /** A row of the fingerprints, in the database or in a run file; one that was replaced or removed since, too. */
  readonly add = (key: Uint8Array, holder: Holder): void => {
    const fingerprint = fingerprintOfFurther(key)?.toString('latin1');
    if (fingerprint === undefined) return;
    const holders = this.#holders.get(fingerprint);
    if (holders !== undefined) {
      const ofProduct = holders.filter(({ productId }) => productId === holder.productId).length;
      if (holders.length < MAX_HOLDERS && ofProduct < MAX_HOLDERS_OF_PRODUCT) holders.push(holder);
    } else if (this.#holders.size < this.#limit) this.#holders.set(fingerprint, [holder]);
    else this.#areMore = true;
  };

  /** The findings, in one line. Throws `damaged`. */
  report(file: StockFile, state: State): string {
    const fingerprints = new Fingerprints(file);
    const shop = new ShopTexts(file, state, fingerprints);
    const listed: string[] = [];
    let count = 0;
    for (const [fingerprint, further] of this.#holders) {
      const key = Buffer.from(fingerprint, 'latin1');
      const named = fingerprints.get(key);
      for (const places of shop.shared(key, named === undefined ? further : [named, ...further])) {
        count += 1;
        if (listed.length < LISTED_TEXTS) listed.push(places.map(placeText).join(' and '));
      }
    }
    const limit = this.#areMore ? ` of the first ${this.#limit} that came more than once` : '';
    if (count === 0) return `texts: none${limit} is in two products`;
    const more = count > listed.length ? '; …' : '';
    return `texts: ${count}${limit} in two products or more, which an operator's word alone allows: ${listed.join('; ')}${more}`;
  }
}

class ShopTexts {
  readonly #file: StockFile;
  readonly #state: State;
  readonly #fingerprints: Fingerprints;
  readonly #stocks = new Map<number, ProductStock>();
  readonly #blocks = new ByteCache<ItemBlock>(CACHE_BYTES);

  constructor(file: StockFile, state: State, fingerprints: Fingerprints) {
    this.#file = file;
    this.#state = state;
    this.#fingerprints = fingerprints;
  }

  /** Places of each text of a fingerprint that several products have, one place a product. */
  shared(key: Buffer, holders: readonly Holder[]): Holder[][] {
    if (new Set(holders.map(({ productId }) => productId)).size < 2) return [];
    const byForm = new Map<string, Map<number, Holder>>();
    for (const holder of holders)
      for (const text of this.#textsAt(holder)) {
        if (!this.#fingerprints.keyOf(text).equals(key)) continue;
        const form = visibleForm(text.toString());
        const places = byForm.get(form) ?? new Map<number, Holder>();
        byForm.set(form, places.set(holder.productId, places.get(holder.productId) ?? holder));
      }
    return Array.from(byForm.values(), byProduct).filter(
      (places) => places.length > 1 && places.some(({ productId }) => !this.#stockOf(productId).isAlike),
    );
  }

  /** Rows are hints: there may be another text, or nothing that counts. */
  #textsAt({ productId, hint }: Holder): Buffer[] {
    const orderId = orderOfHint(hint);
    if (orderId !== undefined)
      return (orderTexts(this.#file, orderId)?.texts() ?? []).map((text) => Buffer.from(text));
    const { end, withdrawn } = this.#stockOf(productId);
    return hint < end && !isIn(withdrawn, hint) ? [this.#textOf(productId, hint, end)] : [];
  }

  #textOf(productId: number, item: number, end: number): Buffer {
    const number = blockOf(item);
    const place = placeOf(productId, number);
    const last = Math.min(end, (number + 1) * ITEMS_PER_BLOCK) - 1;
    const block = this.#blocks.get(place) ?? blockWith(this.#file, productId, last);
    this.#blocks.set(place, block);
    return block.bytesAt(item % ITEMS_PER_BLOCK);
  }

  #stockOf(productId: number): ProductStock {
    const stock = this.#stocks.get(productId) ?? productStockOf(this.#state, productId);
    this.#stocks.set(productId, stock);
    return stock;
  }
}

function byProduct(places: ReadonlyMap<number, Holder>): Holder[] {
  return [...places.values()].sort((a, b) => a.productId - b.productId);
}

function placeText({ productId, hint }: Holder): string {
  const orderId = orderOfHint(hint);
  return `${orderId === undefined ? `item ${hint}` : `order ${orderId}`} of product ${productId}`;
}
