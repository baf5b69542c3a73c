/**
 * The items of all products of the shop, as the thread that writes texts knows them: the main thread tells it of what
 * has changed before each call for which it counts (`shelf-news.ts`).
 *
 * Invariant: an item is known here from before its upload is over, so that between the upload and this nobody overlooks
 * it. Nothing of a withdrawal is known before it is durable.
 */
import { ByteCache } from './byte-cache.ts';
import { blockOf, ITEMS_PER_BLOCK, type ItemBlock, placeOf } from './file/stock-block.ts';
import { blockWith, type StockFile } from './file/stock-file.ts';
import { type PackedRanges, type ProductStock, productStock } from './product-stock.ts';

const CACHE_BYTES = 8 * 1024 * 1024;

/** The texts of a product that count. */
export interface CountedTexts {
  readonly productId: number;
  /** Ranges of items, as in `ProductStock`: the withdrawn ones don't count, … */
  readonly withdrawn: PackedRanges;
  /** … and the recalled ones do whatever happens. */
  readonly recalled: PackedRanges;
  readonly isAlike?: true | undefined;
  /** Undefined for a number that is no item's, or of an upload that came to nothing; and for all that are higher. */
  readonly textOf: (item: number) => Buffer | undefined;
  /** The order whose texts don't count: they are about to be written over. */
  readonly exceptOrderId?: number | undefined;
}

/** An upload that may be about to put items on sale beyond the product's end. */
export interface UploadUnderWay {
  textOf(item: number): Buffer | undefined;
}

export class ShopShelves {
  /** Uploads under way, by product; set by their owner. */
  uploadOf: (productId: number) => UploadUnderWay | undefined = () => undefined;
  readonly #file: StockFile;
  readonly #ends = new Map<number, number>();
  /** Products of which something is withdrawn or recalled, or whose goods are alike. */
  readonly #stocks = new Map<number, ProductStock>();
  readonly #blocks = new ByteCache<ItemBlock>(CACHE_BYTES);
  #recalled = 0;
  #isKnown = false;

  constructor(file: StockFile) {
    this.#file = file;
  }

  /** Else every product counts for itself. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Whether any product has recalled items. */
  get hasRecalled(): boolean {
    return this.#recalled > 0;
  }

  /** Products' numbers and ends, in pairs. */
  tellEnds(pairs: Float64Array): void {
    this.#isKnown = true;
    for (let at = 0; at < pairs.length; at += 2) {
      const [productId = 0, end = 0] = pairs.subarray(at, at + 2);
      // What was taken back is written over.
      if (end < (this.#ends.get(productId) ?? 0)) this.#blocks.clear();
      this.#ends.set(productId, end);
    }
  }

  /** `areAll`: others have nothing of the kind. */
  tellStocks(stocks: readonly ProductStock[], areAll: boolean): void {
    if (areAll) this.#stocks.clear();
    for (const stock of stocks) this.#stocks.set(stock.productId, stock);
    this.#recalled = 0;
    for (const { recalled } of this.#stocks.values()) this.#recalled += recalled.length;
  }

  /** Undefined for all, as long as nothing was told. */
  countedOf(productId: number): CountedTexts | undefined {
    if (!this.#isKnown) return undefined;
    const { withdrawn, recalled, isAlike } = this.#stocks.get(productId) ?? productStock(productId, 0);
    return { productId, withdrawn, recalled, isAlike, textOf: (item) => this.#textOf(productId, item) };
  }

  #textOf(productId: number, item: number): Buffer | undefined {
    const end = this.#ends.get(productId) ?? 0;
    if (item >= end) return this.uploadOf(productId)?.textOf(item);
    const number = blockOf(item);
    const place = placeOf(productId, number);
    let block = this.#blocks.get(place);
    if (block === undefined) {
      block = blockWith(this.#file, productId, item);
      // One that isn't full is written again.
      if ((number + 1) * ITEMS_PER_BLOCK <= end) this.#blocks.set(place, block);
    }
    return block.bytesAt(item % ITEMS_PER_BLOCK);
  }
}
