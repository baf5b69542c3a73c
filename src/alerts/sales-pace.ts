/**
 * How long a product's stock lasts, if it sells as in the last day.
 *
 * Purchases pay nothing for it: how much of each product was sold since the start is counted for the metrics, whoever
 * delivers it, and is noted here once an hour, of products that are watched. What was withdrawn, or replaced something
 * else, is no sale.
 *
 * In memory only: after a start the pace of a product is unknown for an hour, and then by what was seen since. Rejected:
 * to read a day's orders of a product when its stock is low, which for a product that sells well are many thousands.
 */
import type { SuppliedStock } from '../engine/products.ts';
import type { SalesCounter } from '../metrics/sales-counter.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Note {
  readonly atMs: number;
  /** Units that had been sold since the start. */
  readonly sold: number;
}

export class SalesPace {
  readonly #sales: Pick<SalesCounter, 'of'>;
  /** By product, the oldest first. */
  readonly #notes = new Map<number, Note[]>();

  constructor(sales: Pick<SalesCounter, 'of'>) {
    this.#sales = sales;
  }

  /** Call it at every look, for each product that is watched. `nowMs` never goes backwards. */
  note(nowMs: number, productId: number): void {
    let notes = this.#notes.get(productId);
    if (notes === undefined) {
      notes = [];
      this.#notes.set(productId, notes);
    }
    if (nowMs - (notes.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) < HOUR_MS) return;
    notes.push({ atMs: nowMs, sold: this.#sales.of(productId).units });
    // The youngest that is a day old is the last that is needed: there are 25 or so.
    while (notes[1] !== undefined && nowMs - notes[1].atMs >= DAY_MS) notes.shift();
  }

  /** The product is not watched any more. */
  forget(productId: number): void {
    this.#notes.delete(productId);
  }

  /**
   * With one digit after the point. Null when the product hasn't been watched for an hour, when nothing was sold, or when
   * its supplier has no end of it.
   */
  hoursOfCover(nowMs: number, productId: number, available: SuppliedStock): number | null {
    const oldest = this.#notes.get(productId)?.[0];
    if (oldest === undefined || available === 'unlimited') return null;
    const hours = (nowMs - oldest.atMs) / HOUR_MS;
    const sold = this.#sales.of(productId).units - oldest.sold;
    if (hours < 1 || sold <= 0) return null;
    return Math.round((available / sold) * hours * 10) / 10;
  }
}
