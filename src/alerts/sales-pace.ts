/**
 * How fast products sell: what was sold of each in the last day, and how long its own stock lasts if it goes on so.
 *
 * For stock, what orders took from it counts, whoever placed them, new items for bad ones included. A supplier's sales
 * leave own stock as it is. Withdrawn and recalled items are no pace: nobody takes those again tomorrow, and a recall is
 * often why stock is low. Purchases pay nothing for it: the state knows how many items were ever taken, and that is noted
 * here once an hour, in a column of numbers for all products.
 *
 * In memory only: after a start the pace of a product is unknown for an hour, and then by what was seen since. Rejected:
 * to read a day's orders of a product, which for one that sells well are many thousands; to add what suppliers have and
 * sell, which says nothing of when to upload; a list of notes for each product, which for all of them is five times the
 * memory.
 */
import type { State } from '../engine/state.ts';
import type { SalesCounter } from '../metrics/sales-counter.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Room in a column for products that come before the next one. Products beyond are noted by the next. */
const SPARE_PRODUCTS = 1_024;
/** A look takes less, so what is seen later wasn't there. */
const LOOK_MS = 60_000;

/** Sold units and taken items of all products up to one time. */
interface Column {
  readonly atMs: number;
  /** Products from this id on came later: nothing of them had been sold or taken. */
  readonly firstNewId: number;
  /** Items that had been taken, ever, and one more; 0 for a product that wasn't looked at. */
  readonly taken: Uint32Array;
  /** Units that had been sold since the process started. */
  readonly sold: Uint32Array;
}

export interface SalesPaceSources {
  readonly engine: { readonly state: Pick<State, 'stock' | 'products'> };
  readonly sales: Pick<SalesCounter, 'of'>;
}

export class SalesPace {
  readonly #sources: SalesPaceSources;
  /** The oldest first: 26 at most. */
  readonly #columns: Column[] = [];
  /** When products were seen first that the newest column was too early for. */
  readonly #seenMs = new Map<number, number>();

  /** When the process had its first look. */
  #startedMs: number | undefined;

  constructor(sources: SalesPaceSources) {
    this.#sources = sources;
  }

  /** Call it before each look at the products. `nowMs` never goes backwards. */
  begin(nowMs: number): void {
    const newest = this.#columns.at(-1);
    if (newest !== undefined && nowMs - newest.atMs < HOUR_MS) return;
    const firstNewId = this.#sources.engine.state.products.nextId;
    const room = firstNewId + SPARE_PRODUCTS;
    this.#columns.push({
      ...{ atMs: nowMs, firstNewId },
      ...{ taken: new Uint32Array(room), sold: new Uint32Array(room) },
    });
    this.#startedMs ??= nowMs;
    // The youngest that is a day old is the last that is needed.
    while (this.#columns[1] !== undefined && nowMs - this.#columns[1].atMs >= DAY_MS) this.#columns.shift();
    for (const [productId, seenMs] of this.#seenMs) {
      if (nowMs - seenMs >= DAY_MS + HOUR_MS) this.#seenMs.delete(productId);
    }
  }

  /** Call it in each look, for each product. */
  note(nowMs: number, productId: number): void {
    const newest = this.#columns.at(-1);
    if (newest === undefined || productId >= newest.taken.length || newest.taken[productId] !== 0) return;
    const { engine, sales } = this.#sources;
    const isNew = productId >= newest.firstNewId;
    newest.taken[productId] = isNew ? 1 : engine.state.stock.taken(productId) + 1;
    // What was sold before the first look was sold since the start.
    newest.sold[productId] = isNew || newest.atMs === this.#startedMs ? 0 : sales.of(productId).units;
    if (nowMs - newest.atMs > LOOK_MS) this.#seenMs.set(productId, nowMs);
  }

  /** Units, whoever delivered them; since the process started, if that was within the day. */
  soldLastDay(productId: number): number {
    // What came after the oldest column had sold nothing then.
    const before = this.#columns[0]?.sold[productId] ?? 0;
    return (this.#sources.sales.of(productId).units - before) >>> 0;
  }

  /** With one digit after the point. Null when the product hasn't been watched for an hour, or nothing was taken. */
  hoursOfCover(nowMs: number, productId: number): number | null {
    const oldest = this.#columns.find(({ taken }) => (taken[productId] ?? 0) > 0);
    if (oldest === undefined) return null;
    const { stock } = this.#sources.engine.state;
    const hours = (nowMs - Math.max(oldest.atMs, this.#seenMs.get(productId) ?? 0)) / HOUR_MS;
    const taken = stock.taken(productId) + 1 - (oldest.taken[productId] ?? 0);
    if (hours < 1 || taken <= 0) return null;
    return Math.round((stock.available(productId) / taken) * hours * 10) / 10;
  }
}
