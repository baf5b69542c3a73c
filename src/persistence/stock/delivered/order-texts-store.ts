/**
 * The texts of orders, as the main thread has them claimed and written by the thread that writes.
 *
 * Invariant: a reservation has its room from before it is asked for until it is written, refused or dropped.
 */
import { strict as assert } from 'node:assert';
import { type GiveBack, Semaphore } from '../../../shared/semaphore.ts';
import type { ProductStock } from '../product-stock.ts';
import type { ShelfNews } from '../shelf-news.ts';
import type { StockThread } from '../stock-worker.ts';
import { encodeOrderTexts } from './order-texts.ts';
import type { TextsOfProduct } from './order-texts-writer.ts';

/**
 * How many may be claimed at once: a supplier's thousand late answers come in the same moment, and each may have ten
 * thousand texts. All fingerprints together are some ten megabytes. Ten orders of the greatest size, or any number of
 * small ones.
 */
const MAX_CLAIMED_TEXTS = 100_000;

/** Texts that a supplier delivers, to be claimed. */
export interface Reservation {
  readonly supplierPurchaseId: number;
  readonly texts: readonly string[];
  /** Called when there is room for the reservation, because the product changes while it waits. */
  readonly readStock: () => Promise<ProductStock>;
}

/** The product whose texts an order gets. */
export interface DeliveredProduct {
  readonly productId: number;
  /** The supplier purchase that delivers them, whose reservation ends with this. */
  readonly supplierPurchaseId?: number;
  /**
   * Has the texts compared with the product's stock. Called last, in the tick in which the thread is asked: an upload
   * may end while the texts are encoded. Without it, all are written.
   */
  readonly readStock?: () => Promise<ProductStock>;
}

export class OrderTextsStore {
  readonly #thread: StockThread;
  readonly #shelfNews: () => ShelfNews | undefined;
  readonly #room = new Semaphore(MAX_CLAIMED_TEXTS);
  /** The room of each supplier purchase that has claimed texts, or is about to. */
  readonly #claimed = new Map<number, GiveBack>();
  readonly #written = new Set<number>();
  #refusal: Error | undefined;

  /** `shelfNews`: of the shop, once it is known. */
  constructor(thread: StockThread, shelfNews: () => ShelfNews | undefined) {
    this.#thread = thread;
    this.#shelfNews = shelfNews;
  }

  /**
   * Resolves with false when the product had one of the texts. Else nobody else can take them, until they are written
   * for their order or `dropReservation` is called, or the process ends. Rejects with `StockError`.
   */
  async reservation({ supplierPurchaseId, texts, readStock }: Reservation): Promise<boolean> {
    this.#checkOpen();
    assert(
      !this.#claimed.has(supplierPurchaseId),
      `supplier purchase ${supplierPurchaseId} reservations twice`,
    );
    const encoded = await encodeOrderTexts(texts);
    const giveBack = await this.#room.take({ amount: texts.length });
    assert(giveBack !== undefined, 'there is no limit to how many wait');
    this.#claimed.set(supplierPurchaseId, giveBack);
    let isClaimed = false;
    try {
      const stock = await this.#told(readStock);
      isClaimed = await this.#ask('reservation', [supplierPurchaseId, stock, encoded]);
      return isClaimed;
    } finally {
      if (!isClaimed) this.#giveBack(supplierPurchaseId);
    }
  }

  /** The reservation comes to nothing. May be called for a supplier purchase that has no reservation. */
  dropReservation(supplierPurchaseId: number): void {
    if (!this.#claimed.has(supplierPurchaseId)) return;
    this.#thread.tell('dropReservation', [supplierPurchaseId]);
    this.#giveBack(supplierPurchaseId);
  }

  /**
   * Resolves when an order's texts are durable, in place of what was there: never call it for an order that is
   * completed, nor again before it has resolved. Resolves with false, and nothing written, when they were to be checked
   * and the product had one of them. Rejects with `StockError`.
   */
  async write(orderId: number, texts: readonly string[], of?: DeliveredProduct): Promise<boolean> {
    this.#checkOpen();
    assert(!this.#written.has(orderId), `two deliveries of order ${orderId} at a time`);
    this.#written.add(orderId);
    try {
      const encoded = await encodeOrderTexts(texts);
      const product = of && (await this.#compared(of));
      try {
        return await this.#ask('writeTexts', [{ orderId, encoded, product }]);
      } finally {
        // The thread has dropped it, whatever became of the texts.
        if (of?.supplierPurchaseId !== undefined) this.#giveBack(of.supplierPurchaseId);
      }
    } finally {
      this.#written.delete(orderId);
    }
  }

  async #compared({ readStock, ...product }: DeliveredProduct): Promise<TextsOfProduct> {
    return readStock === undefined ? product : { ...product, stock: await this.#told(readStock) };
  }

  /** The product's stock, when the thread knows those of the other products. */
  async #told(readStock: () => Promise<ProductStock>): Promise<ProductStock> {
    await this.#shelfNews()?.tell();
    return await readStock();
  }

  /** Removes the texts of an order that has ended without them: texts that an attempt left there count no longer. */
  async remove(orderId: number): Promise<void> {
    await this.#ask('removeTexts', [orderId]);
  }

  /** For the stock store: nothing more is written. */
  refuse(error: Error): void {
    this.#refusal = error;
    this.#room.refuseAll(error);
  }

  /** Calls that still wait when the store closes are refused, too: their next steps come too late. */
  readonly #ask: StockThread['call'] = async (name, args) => {
    this.#checkOpen();
    this.#shelfNews()?.tellEnds();
    const answer = await this.#thread.call(name, args);
    this.#checkOpen();
    return answer;
  };

  #checkOpen(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  #giveBack(supplierPurchaseId: number): void {
    this.#claimed.get(supplierPurchaseId)?.();
    this.#claimed.delete(supplierPurchaseId);
  }
}
