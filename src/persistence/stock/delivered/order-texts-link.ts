/**
 * The texts of orders, as the main thread holds them: requests to the thread that writes, and who waits for them.
 *
 * What always holds: a claim has its room from before it is asked for until it is written, refused or dropped.
 */
import { strict as assert } from 'node:assert';
import type { ProductStock } from '../product-stock.ts';
import { unpackError } from '../stock-errors.ts';
import type { StockRequest } from '../stock-messages.ts';
import { ClaimRoom } from './claim-room.ts';
import { encodeOrderTexts } from './order-texts.ts';
import type { TextsOfProduct, TextsOutcome } from './order-texts-writer.ts';

/** Texts that a supplier delivers, to be claimed. */
export interface Claim {
  readonly supplierPurchaseId: number;
  readonly texts: readonly string[];
  /** Called when there is room for the claim, because the product changes while it waits. */
  readonly readStock: () => Promise<ProductStock>;
}

interface Waiter {
  readonly resolve: (isDone: boolean) => void;
  readonly reject: (error: Error) => void;
}

export class OrderTextsLink {
  readonly #send: (message: StockRequest) => void;
  readonly #room = new ClaimRoom();
  /** How many texts each supplier purchase has claimed, or is about to. */
  readonly #claimed = new Map<number, number>();
  readonly #waiters = new Map<number, Waiter>();
  readonly #written = new Set<number>();
  #lastRequestId = 0;
  #refusal: Error | undefined;

  constructor(send: (message: StockRequest) => void) {
    this.#send = send;
  }

  /** False when the product had one of them; else they are claimed until they are written or `dropClaim`. */
  async claim({ supplierPurchaseId, texts, readStock }: Claim): Promise<boolean> {
    if (this.#refusal !== undefined) throw this.#refusal;
    assert(!this.#claimed.has(supplierPurchaseId), `supplierPurchase ${supplierPurchaseId} claims twice`);
    const encoded = encodeOrderTexts(texts);
    await this.#room.take(texts.length);
    this.#claimed.set(supplierPurchaseId, texts.length);
    try {
      const stock = await readStock();
      const isClaimed = await this.#ask((requestId) => ({
        kind: 'claim',
        requestId,
        supplierPurchaseId,
        stock,
        encoded,
      }));
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
    this.#send({ kind: 'drop claim', supplierPurchaseId });
    this.#giveBack(supplierPurchaseId);
  }

  /** False when nothing was written, because the product had one of them. */
  async write(orderId: number, texts: readonly string[], product?: TextsOfProduct): Promise<boolean> {
    if (this.#refusal !== undefined) throw this.#refusal;
    assert(!this.#written.has(orderId), `two deliveries of order ${orderId} at a time`);
    const encoded = encodeOrderTexts(texts);
    this.#written.add(orderId);
    try {
      const order = { orderId, encoded, product };
      return await this.#ask((requestId) => ({ kind: 'texts', requestId, order }));
    } finally {
      this.#written.delete(orderId);
      // The thread has dropped it, whatever became of the texts.
      if (product?.supplierPurchaseId !== undefined) this.#giveBack(product.supplierPurchaseId);
    }
  }

  async remove(orderId: number): Promise<void> {
    await this.#ask((requestId) => ({ kind: 'remove texts', requestId, orderId }));
  }

  /** For the store: what the thread says. */
  hear(requestId: number, outcome: TextsOutcome): void {
    const waiter = this.#waiters.get(requestId);
    this.#waiters.delete(requestId);
    if (typeof outcome === 'object') waiter?.reject(unpackError(outcome.failure));
    else waiter?.resolve(outcome === 'done');
  }

  /** For the store: nothing is written any more. */
  refuse(error: Error): void {
    this.#refusal = error;
    this.#room.refuseAll(error);
    for (const waiter of this.#waiters.values()) waiter.reject(error);
    this.#waiters.clear();
  }

  #ask(requestOf: (requestId: number) => StockRequest): Promise<boolean> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    this.#lastRequestId += 1;
    const requestId = this.#lastRequestId;
    return new Promise((resolve, reject) => {
      this.#waiters.set(requestId, { resolve, reject });
      this.#send(requestOf(requestId));
    });
  }

  #giveBack(supplierPurchaseId: number): void {
    const texts = this.#claimed.get(supplierPurchaseId);
    if (texts === undefined) return;
    this.#claimed.delete(supplierPurchaseId);
    this.#room.giveBack(texts);
  }
}
