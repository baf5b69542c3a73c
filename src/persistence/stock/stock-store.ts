/**
 * The texts of all items, read on the purchase path and written by uploads, and those of single orders.
 *
 * Invariant: a text is read only below the end that the caller names, which is the end that a durable fact gave the
 * product, or that of an upload which has the product to itself and whose fact comes next (`owedAmong`); a block is
 * kept in memory only up to that end, and the next upload drops it. So nobody is given a text of an upload that came to
 * nothing, from the disk or from memory. Reads happen on the calling thread, all writing on one other thread.
 */

import type { ItemRange } from '../../engine/item-ranges.ts';
import { ThreadEndedError, WorkerLink } from '../../threads/worker-link.ts';
import { whenRoom } from '../disk/disk-room.ts';
import type { DataKeys } from '../keys/data-keys.ts';
import { Compacting } from '../runs/compacting.ts';
import type { CompactionLimits } from '../runs/compaction.ts';
import { RowShipping, type Ship } from '../shipping/row-shipping.ts';
import { ByteCache } from './byte-cache.ts';
import { orderBlock } from './delivered/order-texts.ts';
import { OrderTextsStore } from './delivered/order-texts-store.ts';
import { blockOf, ITEMS_PER_BLOCK, type ItemBlock, placeOf } from './file/stock-block.ts';
import { blockWith, openStockFile, type StockFile } from './file/stock-file.ts';
import { type IntakeLink, StockIntake } from './intake/stock-intake.ts';
import type { IntakeStart } from './intake/stock-intake-writer.ts';
import type { StockTable } from './intake/table-items.ts';
import { type Upload, UploadQueue, type WantedUpload } from './intake/upload-queue.ts';
import { type ProductStock, sizeOf } from './product-stock.ts';
import { ShelfNews, type ShopEngine } from './shelf-news.ts';
import { missingItem, STOCK_THREAD_ERRORS, StockClosedError } from './stock-errors.ts';
import type { StockEvents, StockThread } from './stock-worker.ts';
import type { Copies, CopiesQuestion } from './text-copies.ts';
import { findText, type TextPlace, type TextSearch } from './text-search.ts';

/** Some fifteen blocks of the longest texts; of short ones, those of thousands of products. */
const CACHE_BYTES = 32 * 1024 * 1024;
/** An upload makes short-lived buffers only; by default they would take three times the room. */
const THREAD_YOUNG_GENERATION_MB = 8;
/** How often it looks whether old rows are to be moved. */
const COMPACTION_INTERVAL_MS = 1_000;

export interface StockStoreOptions {
  /** Path of `stock.mdb`; made when it isn't there. */
  readonly file: string;
  readonly keys: DataKeys;
  /** The writing thread has died: no upload will work any more, and the process should stop. */
  readonly onFatal: (error: unknown) => void;
  /** A run file is damaged: told once for its table. Default: it is fatal. */
  readonly onDamage?: ((damage: string) => void) | undefined;
  readonly compaction?: Partial<CompactionLimits> | undefined;
  /**
   * Takes what is written here to the folders of other nodes. The call that wrote it is answered when this has
   * resolved, and never when it rejects: the process is about to end then.
   */
  readonly ship?: Ship | undefined;
}

export interface IntakeOptions extends WantedUpload {
  /** Whether to add lines that somebody has or had already. Default: as the product does. */
  readonly allowDuplicates?: boolean | undefined;
  /** Whether it only tells what would come of it: its items must not be put on sale. */
  readonly isDry?: boolean;
  readonly leavesOutBadLines?: boolean;
  /** The table that is written, in place of lines. */
  readonly table?: StockTable | undefined;
  /** Called when the upload may begin, because the product changes while it waits. */
  readonly readStock: () => Promise<ProductStock>;
}

/** Throws what `openStockFile` throws, and `DamagedFileError` for a run file that can't be opened. */
export async function openStockStore(options: StockStoreOptions): Promise<StockStore> {
  const file = openStockFile(options.file, options.keys);
  const store = new StockStore(file, options);
  try {
    file.tiers.runs.follow();
    await store.start();
  } catch (error) {
    await file.environment.close();
    throw error;
  }
  return store;
}

export class StockStore {
  /** Writes the texts of orders. */
  readonly orderTexts: OrderTextsStore;
  readonly #file: StockFile;
  readonly #thread: StockThread;
  readonly #shipping: RowShipping | undefined;
  readonly #onFatal: (error: unknown) => void;
  readonly #compacting: Compacting;
  #shelfNews: ShelfNews | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Blocks in memory, by their place. */
  readonly #blocks = new ByteCache<ItemBlock>(CACHE_BYTES);
  readonly #uploads = new UploadQueue();
  readonly #intakes = new Map<number, StockIntake>();
  #lastIntakeId = 0;
  #refusal: Error | undefined;
  #closing: Promise<void> | undefined;

  /** Use `openStockStore`. */
  constructor(
    stockFile: StockFile,
    { file, keys, onFatal, onDamage = onFatal, compaction = {}, ship }: StockStoreOptions,
  ) {
    this.#file = stockFile;
    this.#onFatal = onFatal;
    const shipping = ship && new RowShipping(ship, (id) => this.#thread.tell('shipped', [id]));
    this.#shipping = shipping;
    this.#thread = new WorkerLink({
      program: new URL('./stock-worker.js', import.meta.url),
      name: 'the thread that takes in items',
      data: { file, keys: keys.shared, isShipped: shipping !== undefined, compaction },
      youngGenerationMb: THREAD_YOUNG_GENERATION_MB,
      errors: STOCK_THREAD_ERRORS,
      ...(shipping !== undefined && { events: { rows: shipping.add } satisfies StockEvents }),
      onDeath: (error) => this.#died(error),
    });
    this.orderTexts = new OrderTextsStore(this.#thread, () => this.#shelfNews);
    const part = () => this.#thread.call('compact', []);
    this.#compacting = new Compacting({
      part,
      onEnd: () => this.#letGo(),
      onDamage,
      onFatal: (error) => this.#compactionFailed(error),
    });
  }

  /** Has texts compared with those of all products from now on; before, only with those of their own. */
  knowShop(engine: ShopEngine): void {
    const thread = this.#thread;
    this.#shelfNews = new ShelfNews(engine, {
      tellEnds: (pairs) => thread.tell('tellEnds', [pairs]),
      tellStocks: (stocks, areAll) => thread.tell('tellStocks', [stocks, areAll]),
    });
  }

  async #tellShop(): Promise<void> {
    await this.#shelfNews?.tell();
  }

  async start(): Promise<void> {
    await this.#thread.start();
    this.#timer = setInterval(() => this.#compacting.begin(), COMPACTION_INTERVAL_MS);
    this.#timer.unref();
  }

  /**
   * The texts of items `firstItem` to `firstItem + count - 1`, all below `end`, the product's end by durable
   * facts. Throws `DamagedRowError`.
   */
  readItems(productId: number, firstItem: number, count: number, end: number): string[] {
    const texts = new Array<string>(count);
    for (let item = firstItem; item < firstItem + count; item += 1) {
      texts[item - firstItem] = this.#blockOf(productId, item, end).textAt(item % ITEMS_PER_BLOCK);
    }
    return texts;
  }

  /** The texts of several ranges, each read when it is asked for. Otherwise like `readItems`. */
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

  /** Where a text is, of items below the product's end that `endOf` tells. Rejects as `findText` does. */
  async find(search: TextSearch, endOf: (productId: number) => number): Promise<TextPlace[]> {
    if (this.#closing !== undefined) throw new StockClosedError();
    const textOf = (productId: number, item: number) => {
      const end = endOf(productId);
      return item < end ? this.readItems(productId, item, 1, end)[0] : undefined;
    };
    return findText({ file: this.#file, textOf }, search);
  }

  /** Items for sale with the texts of these items. Rejects as `copiesForSale` throws. */
  async copiesForSale(question: CopiesQuestion): Promise<Copies> {
    await this.#tellShop();
    return await this.#thread.call('copiesForSale', [question]);
  }

  /** Throws `DamagedRowError` unless the order has just so many. */
  orderBlock(orderId: number, count: number): ItemBlock {
    if (this.#closing !== undefined) throw new StockClosedError();
    this.#file.environment.resetReadTxn();
    return orderBlock(this.#file, orderId, count);
  }

  /** All of them; otherwise like `orderBlock`. */
  readOrderTexts(orderId: number, count: number): string[] {
    return this.orderBlock(orderId, count).texts();
  }

  /**
   * Whether rows are on their way to other nodes: the log may end in the middle of a set. Meanwhile nobody may write
   * down how far the folder has come with the log.
   */
  get isShipping(): boolean {
    return this.#shipping?.isShipping ?? false;
  }

  /**
   * Applies a part of what another node has shipped, in the order of the log; may be given again, with all behind it.
   * Resolves with whether the part ended its set, which is durable then: a reader that begins anew must begin behind
   * such a part. Waits for room on the disk. Rejects with `DamagedDataError` or `DamagedRowError`, and with
   * `StockClosedError`.
   */
  applyRows(part: Uint8Array): Promise<boolean> {
    return whenRoom(() => {
      if (this.#refusal !== undefined) throw this.#refusal;
      return this.#thread.call('applyRows', [part]);
    });
  }

  /**
   * Rejects with `IntakeQueueFullError`, with `StockClosedError`, or with what `readStock` does. Whoever has
   * an intake must `close` it.
   */
  async beginIntake(options: IntakeOptions): Promise<StockIntake> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const upload = await this.#uploads.begin(options);
    try {
      // What is recalled from here on may not be known to the thread.
      const recalledItems = this.#shelfNews?.recalledItems;
      await this.#tellShop();
      const { isAlike, ...own } = await options.readStock();
      if (this.#refusal !== undefined) throw this.#refusal;
      const { allowDuplicates, isDry = false, leavesOutBadLines = false, table } = options;
      const stock = allowDuplicates === undefined && isAlike ? { ...own, isAlike } : own;
      const start = { stock, allowDuplicates: allowDuplicates ?? false, isDry, leavesOutBadLines, table };
      return this.#startIntake(start, recalledItems ?? sizeOf(stock.recalled), upload);
    } catch (error) {
      upload.giveBack();
      throw error;
    }
  }

  /** Aborts the uploads under way, ends the thread, closes the file. May be called again. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #startIntake(start: IntakeStart, recalledItems: number, upload: Upload): StockIntake {
    const { stock } = start;
    const { productId, end } = stock;
    // An end that was read but never became durable would have left texts here that are now written over.
    const first = placeOf(productId, blockOf(end));
    const afterLast = placeOf(productId + 1, 0);
    for (const place of this.#blocks.keys()) {
      if (place >= first && place < afterLast) this.#blocks.delete(place);
    }
    this.#lastIntakeId += 1;
    const intakeId = this.#lastIntakeId;
    const thread = this.#thread;
    const link: IntakeLink = {
      begun: thread.call('beginIntake', [intakeId, start]),
      add: (parcel, transfer) => {
        this.#shelfNews?.tellEnds();
        return thread.call('addToIntake', [intakeId, parcel], transfer);
      },
      finish: () => {
        this.#shelfNews?.tellEnds();
        return thread.call('finishIntake', [intakeId]);
      },
      close: () => {
        this.#shelfNews?.tellEnds();
        thread.tell('closeIntake', [intakeId]);
        this.#intakes.delete(intakeId);
        upload.giveBack();
      },
    };
    const intake = new StockIntake(link, recalledItems, upload.isAlone);
    this.#intakes.set(intakeId, intake);
    return intake;
  }

  #blockOf(productId: number, item: number, end: number): ItemBlock {
    if (item >= end) throw missingItem(productId, item);
    const cached = this.#blocks.get(placeOf(productId, blockOf(item)));
    return cached !== undefined && item % ITEMS_PER_BLOCK < cached.count
      ? cached
      : this.#read(productId, item, end);
  }

  #read(productId: number, item: number, end: number): ItemBlock {
    if (this.#closing !== undefined) throw new StockClosedError();
    const number = blockOf(item);
    const limit = Math.min(ITEMS_PER_BLOCK, end - number * ITEMS_PER_BLOCK);
    // The library keeps a snapshot for a turn of the event loop, and the other thread may have written since.
    this.#file.environment.resetReadTxn();
    const block = blockWith(this.#file, productId, item, limit);
    this.#blocks.set(placeOf(productId, number), block);
    return block;
  }

  #refuse(error: Error): void {
    this.#refusal = error;
    this.#uploads.refuseAll(error);
    for (const intake of [...this.#intakes.values()]) intake.fail(error);
    this.orderTexts.refuse(error);
  }

  #died(error: Error): void {
    this.#refuse(error);
    this.#onFatal(new Error('the stock could not be written', { cause: error }));
  }

  /** Files that were merged take room for as long as they are open. */
  #letGo(): void {
    this.#file.environment.resetReadTxn();
    this.#file.tiers.runs.letGo();
  }

  /** A thread that has died has said so. */
  #compactionFailed(error: unknown): void {
    if (!(error instanceof ThreadEndedError)) this.#onFatal(error);
  }

  async #close(): Promise<void> {
    this.#refuse(new StockClosedError());
    clearInterval(this.#timer);
    await this.#compacting.stop();
    await this.#thread.stop();
    await this.#shipping?.close();
    await this.#file.environment.close();
  }
}
