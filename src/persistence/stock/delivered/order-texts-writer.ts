/**
 * Texts of orders, as the thread sees them: checked, claimed, written with their fingerprints. Without a thread of its
 * own, so that tests can call it. The thread decides what is sold twice because it is the only one that writes.
 *
 * Invariant: when texts are written that were to be checked, nothing in the shop that counts had one of them, from the
 * check to the transaction; texts that several orders bring at once are decided one after the other. A check of ten
 * thousand texts takes about as long as a batch of an upload, so it isn't divided: then no other can come in between.
 */

import { ITEMS_PER_BLOCK, ItemBlock } from '../file/stock-block.ts';
import { blockWith } from '../file/stock-file.ts';
import type { ProductStock } from '../product-stock.ts';
import type { CountedTexts } from '../shop-shelves.ts';
import { isAnswered } from '../stock-errors.ts';
import type { StockTexts } from '../stock-texts.ts';
import { tryToWrite } from '../write-failure.ts';
import { claimantOf, lookUp } from './known-texts.ts';
import { MAX_ORDER_TEXTS } from './order-texts.ts';

/** The owner of the texts, when the product is one whose texts are remembered. */
export interface TextsOfProduct {
  readonly productId: number;
  /**
   * The stock that the texts are compared with, unless the supplier purchase has claimed them; without it, all are
   * written.
   */
  readonly stock?: ProductStock | undefined;
  /** The supplier purchase that delivers them, whose reservation ends with this. */
  readonly supplierPurchaseId?: number;
}

export interface OrderTexts {
  readonly orderId: number;
  /** The texts, as `encodeOrderTexts` made them. */
  readonly encoded: Uint8Array;
  readonly product: TextsOfProduct | undefined;
}

/** False: nothing was written, because the product had one of them already. */
export type TextsOutcome = boolean | Error;

export class OrderTextsWriter {
  readonly #texts: StockTexts;

  constructor(texts: StockTexts) {
    this.#texts = texts;
  }

  /**
   * Until they are written, or the reservation is dropped, nobody else takes these texts. False when the product had one of
   * them. Throws what `isAnswered` knows.
   */
  reservation(supplierPurchaseId: number, stock: ProductStock, encoded: Uint8Array): boolean {
    const { file, reservations } = this.#texts;
    // The library keeps a snapshot for a tick of the event loop.
    file.environment.resetReadTxn();
    return tryToWrite(file, () => {
      const texts = this.#textsIn(encoded);
      if (this.#isAnyHad(texts, stock, supplierPurchaseId)) return false;
      if (stock.isAlike !== true) reservations.add(supplierPurchaseId, stock.productId, texts);
      return true;
    });
  }

  /** Each is durable, or not written; in the order of `orders`. */
  write(orders: readonly OrderTexts[]): TextsOutcome[] {
    const { file, reservations, deliveries } = this.#texts;
    let outcomes: TextsOutcome[] = [];
    try {
      tryToWrite(file, () =>
        file.write(() => {
          outcomes = orders.map((order) => this.#write(order));
        }),
      );
    } catch (failure) {
      deliveries.forgetAll();
      if (!isAnswered(failure)) throw failure;
      outcomes = orders.map(() => failure);
    }
    for (const { product } of orders) {
      if (product?.supplierPurchaseId !== undefined) reservations.drop(product.supplierPurchaseId);
    }
    return outcomes;
  }

  /** The order has ended without its texts: they count no longer. Throws what `isAnswered` knows. */
  remove(orderId: number): void {
    const { file, deliveries } = this.#texts;
    file.environment.resetReadTxn();
    tryToWrite(file, () => {
      if (deliveries.isWritten(orderId)) file.write(() => deliveries.remove(orderId));
    });
  }

  /** Inside a write transaction. A fault of this order is found before anything of it is written. */
  #write({ orderId, encoded, product }: OrderTexts): TextsOutcome {
    const { reservations, deliveries, fingerprints } = this.#texts;
    let places: readonly Buffer[] = [];
    if (product !== undefined) {
      try {
        const { productId, supplierPurchaseId } = product;
        const texts = this.#textsIn(encoded);
        const isClaimed = supplierPurchaseId !== undefined && reservations.has(supplierPurchaseId);
        const stock = isClaimed ? undefined : product.stock;
        if (stock !== undefined && this.#isAnyHad(texts, stock, supplierPurchaseId, orderId)) return false;
        // Whoever else has them: he may lose them.
        places = texts.map((text) => fingerprints.placeOf(fingerprints.keyOf(text), productId, orderId));
      } catch (error) {
        if (isAnswered(error)) return error;
        throw error;
      }
    }
    deliveries.write(orderId, encoded);
    for (const place of places) fingerprints.putOrder(place, product?.productId ?? 0, orderId);
    return true;
  }

  #isAnyHad(
    texts: readonly Buffer[],
    stock: ProductStock,
    supplierPurchaseId?: number,
    exceptOrderId?: number,
  ): boolean {
    const counted = this.#counted(stock, exceptOrderId);
    return texts.some((text) => {
      const had = lookUp(this.#texts, counted, this.#texts.fingerprints.keyOf(text), text)?.had;
      const isHad = had !== undefined && !(had === 'alike' && stock.isAlike === true);
      return isHad || claimantOf(this.#texts, stock.productId, text, supplierPurchaseId) !== undefined;
    });
  }

  #textsIn(encoded: Uint8Array): Buffer[] {
    const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
    const block = ItemBlock.decode('the texts of an order', bytes, MAX_ORDER_TEXTS);
    return Array.from({ length: block.count }, (_, index) => block.bytesAt(index));
  }

  #counted({ end, ...stock }: ProductStock, exceptOrderId?: number): CountedTexts {
    const { productId } = stock;
    const textOf = (item: number) =>
      item < end
        ? blockWith(this.#texts.file, productId, item).bytesAt(item % ITEMS_PER_BLOCK)
        : this.#texts.shelves.uploadOf(productId)?.textOf(item);
    return { ...stock, textOf, exceptOrderId };
  }
}
