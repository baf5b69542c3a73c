/**
 * The texts of all items, read on the purchase path and written by uploads, and those of single orders.
 *
 * What always holds: a text is read only below the end that the caller names, which is the end that a durable
 * fact gave the product; a block is kept in memory only up to that end. So nothing of an upload that came to
 * nothing is ever read, from the disk or from memory. Reads happen on the calling thread, all writing on one
 * other thread.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { MasterKey } from '../disk/master-key.ts';
import { WriteGate } from '../lmdb/write-gate.ts';
import { readOrderTexts } from './delivered/order-texts.ts';
import { type Claim, OrderTextsLink } from './delivered/order-texts-link.ts';
import type { TextsOfProduct } from './delivered/order-texts-writer.ts';
import { blockOf, ITEMS_PER_BLOCK, type ItemBlock } from './file/stock-block.ts';
import { BlockCache } from './file/stock-block-cache.ts';
import { openStockFile, readBlock, type StockFile } from './file/stock-file.ts';
import { StockIntake } from './intake/stock-intake.ts';
import type { IntakeStart } from './intake/stock-intake-writer.ts';
import { IntakeTurns, type LeaveTurn } from './intake/upload-queue.ts';
import type { ProductStock } from './product-stock.ts';
import { MissingItemError, StockClosedError } from './stock-errors.ts';
import type { IntakeRequest, StockAnswer, StockRequest, StockThreadData } from './stock-messages.ts';

/** Some fifteen blocks of the longest texts; of short ones, those of thousands of products. */
const CACHE_BYTES = 32 * 1024 * 1024;
/** An upload makes short-lived buffers only; by default they would take three times the room. */
const THREAD_YOUNG_GENERATION_MB = 8;

export interface StockStoreOptions {
  /** Path of `stock.mdb`; made when it isn't there. */
  readonly file: string;
  readonly masterKey: MasterKey;
  /** The writing thread has died: no upload will work any more, and the process should stop. */
  readonly onFatal: (error: unknown) => void;
}

export interface IntakeOptions {
  readonly productId: number;
  /** Adds lines that the product has or had already. */
  readonly allowDuplicates: boolean;
  /** Called when the upload's turn has come, because the product changes while it waits. */
  readonly readStock: () => Promise<ProductStock>;
  /** How long it may wait for uploads before it; without it, as long as they take. */
  readonly patienceMs?: number;
}

/** Throws what `openStockFile` throws. */
export async function openStockStore(options: StockStoreOptions): Promise<StockStore> {
  const file = openStockFile(options.file, options.masterKey);
  const gate = new WriteGate();
  const workerData: StockThreadData = {
    file: options.file,
    masterKey: options.masterKey,
    gate: gate.shared,
  };
  const worker = new Worker(new URL('./stock-worker.js', import.meta.url), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: THREAD_YOUNG_GENERATION_MB },
  });
  gate.guard(worker);
  try {
    await once(worker, 'message');
  } catch (error) {
    await file.environment.close();
    throw error;
  }
  return new StockStore(file, worker, options.onFatal);
}

export class StockStore {
  readonly #file: StockFile;
  readonly #worker: Worker;
  readonly #onFatal: (error: unknown) => void;
  readonly #cache = new BlockCache(CACHE_BYTES);
  readonly #turns = new IntakeTurns();
  readonly #intakes = new Map<number, StockIntake>();
  readonly #orders: OrderTextsLink;
  readonly #workerEnded: Promise<void>;
  #lastIntakeId = 0;
  #refusal: Error | undefined;
  #closing: Promise<void> | undefined;

  /** Use `openStockStore`. */
  constructor(file: StockFile, worker: Worker, onFatal: (error: unknown) => void) {
    this.#file = file;
    this.#worker = worker;
    this.#onFatal = onFatal;
    this.#orders = new OrderTextsLink((message) => worker.postMessage(message));
    worker.on('message', (message: StockAnswer) => {
      if (message.kind === 'intake') this.#intakes.get(message.intakeId)?.hear(message.answer);
      else if (message.kind === 'texts') this.#orders.hear(message.requestId, message.outcome);
    });
    worker.on('error', (error) => this.#died(error));
    this.#workerEnded = new Promise((resolve) => {
      worker.on('exit', () => {
        this.#died(new Error('the thread that takes in items has ended'));
        resolve();
      });
    });
  }

  /**
   * The texts of items `firstItem` to `firstItem + count - 1`, all below `end`, the product's end by durable
   * facts. Throws `MissingItemError` and `DamagedRowError`.
   */
  readItems(productId: number, firstItem: number, count: number, end: number): string[] {
    const texts = new Array<string>(count);
    for (let item = firstItem; item < firstItem + count; item += 1) {
      if (item >= end) throw new MissingItemError(productId, item);
      const index = item % ITEMS_PER_BLOCK;
      const cached = this.#cache.get(productId, blockOf(item));
      const block = cached !== undefined && index < cached.count ? cached : this.#read(productId, item, end);
      texts[item - firstItem] = block.textAt(index);
    }
    return texts;
  }

  /**
   * Resolves with false when the product had one of the texts. Else nobody else can take them, until they are written
   * for their order or `dropClaim` is called, or the process ends. Rejects with `BadItemError`, `TooManyTextsError`,
   * `DamagedRowError`, `MissingItemError` and `StockClosedError`.
   */
  claimTexts(claim: Claim): Promise<boolean> {
    return this.#orders.claim(claim);
  }

  /** What was claimed comes to nothing. May be called for a supplier purchase that has no claim. */
  dropClaim(supplierPurchaseId: number): void {
    this.#orders.dropClaim(supplierPurchaseId);
  }

  /**
   * Resolves when an order's texts are durable, in place of what was there: never call it for an order that is
   * completed, nor again before it has settled. Resolves with false, and nothing written, when they were to be checked
   * and the product had one of them. Rejects with `BadItemError`, `TooManyTextsError`, `StockFullError`,
   * `StockWriteError`, `DamagedRowError`, `MissingItemError` and `StockClosedError`.
   */
  writeOrderTexts(orderId: number, texts: readonly string[], of?: TextsOfProduct): Promise<boolean> {
    return this.#orders.write(orderId, texts, of);
  }

  /** Of an order that has ended without texts: what an attempt left there counts no longer. */
  removeOrderTexts(orderId: number): Promise<void> {
    return this.#orders.remove(orderId);
  }

  /** Throws `DamagedRowError` unless the order has just so many. */
  readOrderTexts(orderId: number, count: number): string[] {
    if (this.#closing !== undefined) throw new StockClosedError();
    this.#file.environment.resetReadTxn();
    return readOrderTexts(this.#file, orderId, count);
  }

  /**
   * Rejects with `IntakeQueueFullError`, with `StockClosedError`, or with what `readStock` does. Whoever has
   * an intake must end it: by `release` after `finish`, or by `abort`.
   */
  async beginIntake(options: IntakeOptions): Promise<StockIntake> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const leave = await this.#turns.take(options.productId, options.patienceMs);
    try {
      const stock = await options.readStock();
      if (this.#refusal !== undefined) throw this.#refusal;
      return this.#startIntake({ stock, allowDuplicates: options.allowDuplicates }, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Aborts the uploads under way, ends the thread, closes the file. May be called again. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #startIntake(start: IntakeStart, leave: LeaveTurn): StockIntake {
    const { productId, end } = start.stock;
    // An end that was read but never became durable would have left texts here that are now written over.
    this.#cache.forgetFrom(productId, end);
    this.#lastIntakeId += 1;
    const intakeId = this.#lastIntakeId;
    const intake = new StockIntake({
      send: (request, transfer) => this.#send(intakeId, request, transfer),
      leave: () => {
        this.#intakes.delete(intakeId);
        leave();
      },
    });
    this.#intakes.set(intakeId, intake);
    this.#send(intakeId, { kind: 'begin', start });
    return intake;
  }

  #send(intakeId: number, request: IntakeRequest, transfer?: ArrayBuffer[]): void {
    const message: StockRequest = { kind: 'intake', intakeId, request };
    this.#worker.postMessage(message, transfer);
  }

  #read(productId: number, item: number, end: number): ItemBlock {
    if (this.#closing !== undefined) throw new StockClosedError();
    const number = blockOf(item);
    const limit = Math.min(ITEMS_PER_BLOCK, end - number * ITEMS_PER_BLOCK);
    // The library keeps a snapshot for a turn of the event loop, and the other thread may have written since.
    this.#file.environment.resetReadTxn();
    const block = readBlock(this.#file, productId, number, limit);
    if (block === undefined || block.count <= item % ITEMS_PER_BLOCK) {
      throw new MissingItemError(productId, item);
    }
    this.#cache.set(productId, number, block);
    return block;
  }

  #refuse(error: Error): void {
    this.#refusal = error;
    this.#turns.refuseAll(error);
    for (const intake of [...this.#intakes.values()]) intake.fail(error);
    this.#orders.refuse(error);
  }

  #died(error: Error): void {
    if (this.#refusal !== undefined) return;
    this.#refuse(error);
    this.#onFatal(new Error('the stock could not be written', { cause: error }));
  }

  async #close(): Promise<void> {
    this.#refuse(new StockClosedError());
    const message: StockRequest = { kind: 'close' };
    this.#worker.postMessage(message);
    await this.#workerEnded;
    await this.#file.environment.close();
  }
}
