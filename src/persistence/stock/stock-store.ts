/**
 * The texts of all items, read on the purchase path and written by uploads, and those of single orders.
 *
 * Invariant: reads happen on the calling thread (`stock-blocks.ts`), all writing on one other thread. A call that
 * writes is answered when that is on disk, and in the folders of other nodes where they follow.
 */

import type { ItemRange } from '../../engine/item-ranges.ts';
import { ThreadEndedError, WorkerLink } from '../../threads/worker-link.ts';
import { whenRoom } from '../disk/disk-room.ts';
import type { DataKeys } from '../keys/data-keys.ts';
import { Compacting } from '../runs/compacting.ts';
import type { CompactionLimits } from '../runs/compaction.ts';
import { RowShipping, type Ship } from '../shipping/row-shipping.ts';
import { orderBlock } from './delivered/order-texts.ts';
import { OrderTextsStore } from './delivered/order-texts-store.ts';
import type { ItemBlock } from './file/stock-block.ts';
import { openStockFile, type StockFile } from './file/stock-file.ts';
import { type IntakeLink, StockIntake } from './intake/stock-intake.ts';
import type { IntakeStart } from './intake/stock-intake-writer.ts';
import type { StockTable } from './intake/table-items.ts';
import { type Upload, UploadQueue, type WantedUpload } from './intake/upload-queue.ts';
import { type ProductStock, sizeOf } from './product-stock.ts';
import { ShelfNews, type ShopEngine } from './shelf-news.ts';
import { StockBlocks } from './stock-blocks.ts';
import { STOCK_THREAD_ERRORS, StockError } from './stock-errors.ts';
import type { StockEvents, StockThread } from './stock-worker.ts';
import type { Copies, CopiesQuestion } from './text-copies.ts';
import { findText, type TextPlace, type TextSearch } from './text-search.ts';

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
  readonly #blocks: StockBlocks;
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
    this.#blocks = new StockBlocks(stockFile);
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
   * facts. Throws `damaged`.
   */
  readItems(productId: number, firstItem: number, count: number, end: number): string[] {
    return this.#blocks.readItems(productId, firstItem, count, end);
  }

  /** The texts of several ranges, each read when it is asked for. Otherwise like `readItems`. */
  itemsOf(productId: number, ranges: Iterable<ItemRange>, end: number): Generator<string> {
    return this.#blocks.itemsOf(productId, ranges, end);
  }

  /** Where a text is, of items below the product's end that `endOf` tells. Rejects as `findText` does. */
  async find(search: TextSearch, endOf: (productId: number) => number): Promise<TextPlace[]> {
    if (this.#closing !== undefined) throw new StockError('closed');
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

  /** Throws `damaged` unless the order has just so many. */
  orderBlock(orderId: number, count: number): ItemBlock {
    if (this.#closing !== undefined) throw new StockError('closed');
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
   * such a part. Waits for room on the disk. Rejects with `DamagedDataError` and `StockError`.
   */
  applyRows(part: Uint8Array): Promise<boolean> {
    return whenRoom(() => {
      if (this.#refusal !== undefined) throw this.#refusal;
      return this.#thread.call('applyRows', [part]);
    });
  }

  /** Rejects with `StockError`, or with what `readStock` does. Whoever has an intake must `close` it. */
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
    this.#blocks.close();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #startIntake(start: IntakeStart, recalledItems: number, upload: Upload): StockIntake {
    const { stock } = start;
    const { productId, end } = stock;
    this.#blocks.dropFrom(productId, end);
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
    this.#refuse(new StockError('closed'));
    clearInterval(this.#timer);
    await this.#compacting.stop();
    await this.#thread.stop();
    await this.#shipping?.close();
    await this.#file.environment.close();
  }
}
