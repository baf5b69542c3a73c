/**
 * Blocks of items' texts as they are read, on the purchase path: from memory, else from the disk.
 *
 * Invariant: a text is read only below the end that the caller names, which is the end that a durable fact gave the
 * product, or that of an upload which has the product to itself and whose fact comes next (`outstandingAmong`); a block is
 * kept in memory only up to that end, and the next upload drops it. So nobody is given a text of an upload that came to
 * nothing, from the disk or from memory.
 */
import type { ItemRange } from '../../engine/item-ranges.ts';
import { ByteCache } from './byte-cache.ts';
import { blockOf, ITEMS_PER_BLOCK, type ItemBlock, placeOf } from './file/stock-block.ts';
import { blockWith, type StockFile } from './file/stock-file.ts';
import { missingItem, StockError } from './stock-errors.ts';

/** Some fifteen blocks of the longest texts; of short ones, those of thousands of products. */
const CACHE_BYTES = 32 * 1024 * 1024;

export class StockBlocks {
  readonly #file: StockFile;
  /** By their place. */
  readonly #cache = new ByteCache<ItemBlock>(CACHE_BYTES);
  #isClosed = false;

  constructor(file: StockFile) {
    this.#file = file;
  }

  /** See `StockStore.readItems`. */
  readItems(productId: number, firstItem: number, count: number, end: number): string[] {
    const texts = new Array<string>(count);
    for (let item = firstItem; item < firstItem + count; item += 1) {
      texts[item - firstItem] = this.#blockOf(productId, item, end).textAt(item % ITEMS_PER_BLOCK);
    }
    return texts;
  }

  /** See `StockStore.itemsOf`. */
  *itemsOf(productId: number, ranges: Iterable<ItemRange>, end: number): Generator<string> {
    let block: ItemBlock | undefined;
    let number = -1;
    for (const { firstItem, count } of ranges) {
      for (let item = firstItem; item < firstItem + count; item += 1) {
        if (block === undefined || blockOf(item) !== number) {
          number = blockOf(item);
          block = this.#blockOf(productId, item, end);
        }
        yield block.textAt(item % ITEMS_PER_BLOCK);
      }
    }
  }

  /** An upload begins, whose items go behind `end`. */
  dropFrom(productId: number, end: number): void {
    // An end that was read but never became durable would have left texts here that are now written over.
    const first = placeOf(productId, blockOf(end));
    const afterLast = placeOf(productId + 1, 0);
    for (const place of this.#cache.keys()) {
      if (place >= first && place < afterLast) this.#cache.delete(place);
    }
  }

  /** Blocks that are not in memory can't be read any more. */
  close(): void {
    this.#isClosed = true;
  }

  #blockOf(productId: number, item: number, end: number): ItemBlock {
    if (item >= end) throw missingItem(productId, item);
    const cached = this.#cache.get(placeOf(productId, blockOf(item)));
    return cached !== undefined && item % ITEMS_PER_BLOCK < cached.count
      ? cached
      : this.#read(productId, item, end);
  }

  #read(productId: number, item: number, end: number): ItemBlock {
    if (this.#isClosed) throw new StockError('closed');
    const number = blockOf(item);
    const limit = Math.min(ITEMS_PER_BLOCK, end - number * ITEMS_PER_BLOCK);
    // The library keeps a snapshot for a tick of the event loop, and the other thread may have written since.
    this.#file.environment.resetReadTxn();
    const block = blockWith(this.#file, productId, item, limit);
    this.#cache.set(placeOf(productId, number), block);
    return block;
  }
}
