/**
 * How long a product's stock lasts, if it sells as in the last day.
 *
 * Purchases pay nothing for it: own stock leaves the shelf in the order of its numbers, so how much has left so far is
 * in the state, and is noted here once an hour, of products that are watched. What was withdrawn is no sale.
 *
 * In memory only: after a start the pace of a product is unknown for an hour, and then by what was seen since. Rejected:
 * to read a day's orders of a product when its stock is low, which for a product that sells well are many thousands.
 */
import type { Product } from '../engine/products.ts';
import type { State } from '../engine/state.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Note {
  readonly atMs: number;
  /** Items that had left the shelf. */
  readonly left: number;
}

export class SalesPace {
  /** By product, the oldest first. */
  readonly #notes = new Map<number, Note[]>();

  /** Call it at every look, for each product that is watched. `nowMs` never goes backwards. */
  note(nowMs: number, state: State, productId: number): void {
    let notes = this.#notes.get(productId);
    if (notes === undefined) {
      notes = [];
      this.#notes.set(productId, notes);
    }
    if (nowMs - (notes.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) < HOUR_MS) return;
    notes.push({ atMs: nowMs, left: leftTheShelf(state, productId) });
    // The youngest that is a day old is the last that is needed: there are 25 or so.
    while (notes[1] !== undefined && nowMs - notes[1].atMs >= DAY_MS) notes.shift();
  }

  /** The product is not watched any more. */
  forget(productId: number): void {
    this.#notes.delete(productId);
  }

  /**
   * With one digit after the point. Null when the product hasn't been watched for an hour, when nothing was sold, or when
   * a supplier sells it, too, whose sales are not in these figures.
   */
  hoursOfCover(nowMs: number, state: State, product: Product): number | null {
    const { productId, profile } = product;
    const oldest = this.#notes.get(productId)?.[0];
    if (oldest === undefined || profile.source != null) return null;
    const hours = (nowMs - oldest.atMs) / HOUR_MS;
    const sold = leftTheShelf(state, productId) - oldest.left;
    if (hours < 1 || sold <= 0) return null;
    return Math.round((state.stock.available(productId) / sold) * hours * 10) / 10;
  }
}

function leftTheShelf({ stock }: State, productId: number): number {
  const { next } = stock.of(productId);
  return next - stock.withdrawnIn(productId, 0, next);
}
