/**
 * Prices of products that somebody has of his own: a price list, or an account. By owner, then by product.
 *
 * A row is found by one number, of both ids, as the checkpoint has it. Rejected: one row an owner, for a change of one
 * price would write all of a list's.
 */
import type { ChangedRows } from '../apply/changed-rows.ts';
import type { Price } from './price.ts';

export interface PriceRow extends Price {
  readonly ownerId: number;
  readonly productId: number;
}

/** Ids of products are below this, and those of owners below 2^26. */
const PRODUCTS = 2 ** 27;

export class PriceRows {
  readonly #changed: ChangedRows;
  readonly #byOwner = new Map<number, Map<number, Price>>();
  #size = 0;

  constructor(changed: ChangedRows) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#size;
  }

  of(ownerId: number, productId: number): Price | undefined {
    return this.#byOwner.get(ownerId)?.get(productId);
  }

  has(ownerId: number, productId: number): boolean {
    return this.#byOwner.get(ownerId)?.has(productId) ?? false;
  }

  countOf(ownerId: number): number {
    return this.#byOwner.get(ownerId)?.size ?? 0;
  }

  /** An owner's prices, in the order in which they were first set. */
  pricesOf(ownerId: number): ReadonlyMap<number, Price> {
    return this.#byOwner.get(ownerId) ?? NONE;
  }

  owners(): IterableIterator<number> {
    return this.#byOwner.keys();
  }

  set(ownerId: number, productId: number, { priceMicros, priceTiers }: Price): void {
    let prices = this.#byOwner.get(ownerId);
    if (prices === undefined) {
      prices = new Map();
      this.#byOwner.set(ownerId, prices);
    }
    if (!prices.has(productId)) this.#size += 1;
    prices.set(productId, { priceMicros, priceTiers: priceTiers.length === 0 ? NO_TIERS : priceTiers });
    this.#changed.note(priceKey(ownerId, productId));
  }

  delete(ownerId: number, productId: number): void {
    const prices = this.#byOwner.get(ownerId);
    if (prices?.delete(productId) !== true) return;
    this.#size -= 1;
    if (prices.size === 0) this.#byOwner.delete(ownerId);
    this.#changed.note(priceKey(ownerId, productId));
  }

  deleteAll(ownerId: number): void {
    for (const productId of [...this.pricesOf(ownerId).keys()]) this.delete(ownerId, productId);
  }

  /** The row of the checkpoint with this number; undefined when there is none any more. */
  get(key: number): PriceRow | undefined {
    const { ownerId, productId } = priceIds(key);
    const price = this.of(ownerId, productId);
    return price === undefined ? undefined : { ownerId, productId, ...price };
  }

  /** By owner, then by product. */
  *values(): IterableIterator<PriceRow> {
    const owners = [...this.#byOwner.entries()].sort(([one], [other]) => one - other);
    for (const [ownerId, prices] of owners) {
      const sorted = [...prices.entries()].sort(([one], [other]) => one - other);
      for (const [productId, price] of sorted) yield { ownerId, productId, ...price };
    }
  }
}

const NONE: ReadonlyMap<number, Price> = new Map();
/** Most prices have none: they share one. */
const NO_TIERS: Price['priceTiers'] = [];

/** One number of both ids. */
export function priceKey(ownerId: number, productId: number): number {
  return ownerId * PRODUCTS + productId;
}

export function priceIds(key: number): { readonly ownerId: number; readonly productId: number } {
  const productId = key % PRODUCTS;
  return { ownerId: (key - productId) / PRODUCTS, productId };
}
