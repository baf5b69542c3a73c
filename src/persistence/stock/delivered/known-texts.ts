/**
 * Whether a product had a text already: as an item that isn't withdrawn, sold or not, or as what an order of it was
 * delivered with. A fingerprint's row says where to look; the text that lies there decides.
 */

import { type Fingerprints, orderOfHint } from '../file/stock-fingerprints.ts';
import { isWithdrawn } from '../product-stock.ts';
import type { DeliveredTexts } from './delivered-texts.ts';

/** The items of a product that count, if they aren't withdrawn. */
export interface CountedItems {
  /** Of a `ProductStock`. */
  readonly withdrawn: Float64Array;
  /** Undefined for a number that is no item's, or of an upload that came to nothing. */
  textOf(item: number): Uint8Array | undefined;
}

export class KnownTexts {
  readonly #fingerprints: Fingerprints;
  readonly #deliveries: DeliveredTexts;
  readonly #items: CountedItems;
  readonly #exceptOrderId: number | undefined;

  /** What `exceptOrderId` has doesn't count: it is about to be written over. */
  constructor(
    fingerprints: Fingerprints,
    deliveries: DeliveredTexts,
    items: CountedItems,
    exceptOrderId?: number,
  ) {
    this.#fingerprints = fingerprints;
    this.#deliveries = deliveries;
    this.#items = items;
    this.#exceptOrderId = exceptOrderId;
  }

  /**
   * Who has it. `key` is the text's fingerprint. When it is an order, an item may have it as well, which no row names.
   * Throws `DamagedRowError` and `MissingItemError`.
   */
  holderOf(key: Buffer, text: Buffer): 'item' | 'order' | undefined {
    const hint = this.#fingerprints.get(key);
    if (hint === undefined) return undefined;
    const orderId = orderOfHint(hint);
    if (orderId === undefined && this.#hasItem(hint, text)) return 'item';
    if (orderId !== undefined && this.#hasOrder(orderId, text)) return 'order';
    for (const further of this.#fingerprints.furtherOrders(key)) {
      if (this.#hasOrder(further, text)) return 'order';
    }
    return undefined;
  }

  #hasOrder(orderId: number, text: Buffer): boolean {
    return orderId !== this.#exceptOrderId && this.#deliveries.has(orderId, text);
  }

  #hasItem(item: number, text: Buffer): boolean {
    if (isWithdrawn(this.#items.withdrawn, item)) return false;
    const had = this.#items.textOf(item);
    return had !== undefined && text.equals(had);
  }
}
