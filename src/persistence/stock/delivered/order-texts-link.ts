/**
 * The texts of orders, as the main thread holds them, in front of the thread that writes.
 *
 * What always holds: a claim has its room from before it is asked for until it is written, refused or dropped.
 */
import { strict as assert } from 'node:assert';
import type { ProductStock } from '../product-stock.ts';
import type { StockThread } from '../stock-worker.ts';
import { ClaimRoom } from './claim-room.ts';
import { encodeOrderTexts } from './order-texts.ts';
import type { TextsOfProduct } from './order-texts-writer.ts';

/** Texts that a supplier delivers, to be claimed. */
export interface Claim {
  readonly supplierPurchaseId: number;
  readonly texts: readonly string[];
  /** Called when there is room for the claim, because the product changes while it waits. */
  readonly readStock: () => Promise<ProductStock>;
}

export class OrderTextsLink {
  readonly #thread: StockThread;
  readonly #room = new ClaimRoom();
  /** How many texts each supplier purchase has claimed, or is about to. */
  readonly #claimed = new Map<number, number>();
  readonly #written = new Set<number>();
  #refusal: Error | undefined;

  constructor(thread: StockThread) {
    this.#thread = thread;
  }

  /** False when the product had one of them; else they are claimed until they are written or `dropClaim`. */
  async claim({ supplierPurchaseId, texts, readStock }: Claim): Promise<boolean> {
    this.#checkOpen();
    assert(!this.#claimed.has(supplierPurchaseId), `supplier purchase ${supplierPurchaseId} claims twice`);
    const encoded = encodeOrderTexts(texts);
    await this.#room.take(texts.length);
    this.#claimed.set(supplierPurchaseId, texts.length);
    try {
      const stock = await readStock();
      const isClaimed = await this.#ask('claim', [supplierPurchaseId, stock, encoded]);
      if (!isClaimed) this.#giveBack(supplierPurchaseId);
      return isClaimed;
    } catch (error) {
      this.#giveBack(supplierPurchaseId);
      throw error;
    }
  }

  /** May be called for a supplier purchase that has none. */
  dropClaim(supplierPurchaseId: number): void {
    if (!this.#claimed.has(supplierPurchaseId)) return;
    this.#thread.tell('dropClaim', [supplierPurchaseId]);
    this.#giveBack(supplierPurchaseId);
  }

  /** False when nothing was written, because the product had one of them. */
  async write(orderId: number, texts: readonly string[], product?: TextsOfProduct): Promise<boolean> {
    this.#checkOpen();
    assert(!this.#written.has(orderId), `two deliveries of order ${orderId} at a time`);
    const encoded = encodeOrderTexts(texts);
    this.#written.add(orderId);
    try {
      return await this.#ask('writeTexts', [{ orderId, encoded, product }]);
    } finally {
      this.#written.delete(orderId);
      // The thread has dropped it, whatever became of the texts.
      if (product?.supplierPurchaseId !== undefined) this.#giveBack(product.supplierPurchaseId);
    }
  }

  async remove(orderId: number): Promise<void> {
    await this.#ask('removeTexts', [orderId]);
  }

  /** For the store: nothing more is written. */
  refuse(error: Error): void {
    this.#refusal = error;
    this.#room.refuseAll(error);
  }

  /** Who is still waiting when the store closes is refused, too: what it would do next comes too late. */
  readonly #ask: StockThread['call'] = async (name, args) => {
    this.#checkOpen();
    const answer = await this.#thread.call(name, args);
    this.#checkOpen();
    return answer;
  };

  #checkOpen(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  #giveBack(supplierPurchaseId: number): void {
    const texts = this.#claimed.get(supplierPurchaseId);
    if (texts === undefined) return;
    this.#claimed.delete(supplierPurchaseId);
    this.#room.giveBack(texts);
  }
}
