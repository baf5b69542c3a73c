/**
 * How long a product's own stock lasts, if it goes as in the last day.
 *
 * What orders took from it counts, whoever placed them, new items for bad ones included. A supplier's sales leave own
 * stock as it is. Withdrawn and recalled items are no pace: nobody takes those again tomorrow, and a recall is often why
 * stock is low. Purchases pay nothing for it: the state knows how many items were ever taken, and that is noted here once
 * an hour, of products that are watched.
 *
 * In memory only: after a start the pace of a product is unknown for an hour, and then by what was seen since. Rejected:
 * to read a day's orders of a product when its stock is low, which for a product that sells well are many thousands; to
 * add what suppliers have and sell, which says nothing of when to upload.
 */
import type { State } from '../engine/state.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Note {
  readonly atMs: number;
  /** Items that had been taken, ever. */
  readonly taken: number;
}

export class SalesPace {
  readonly #engine: { readonly state: Pick<State, 'stock'> };
  /** By product, the oldest first. */
  readonly #notes = new Map<number, Note[]>();

  constructor(engine: { readonly state: Pick<State, 'stock'> }) {
    this.#engine = engine;
  }

  /** Call it at every look, for each product that is watched. `nowMs` never goes backwards. */
  note(nowMs: number, productId: number): void {
    let notes = this.#notes.get(productId);
    if (notes === undefined) {
      notes = [];
      this.#notes.set(productId, notes);
    }
    if (nowMs - (notes.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) < HOUR_MS) return;
    notes.push({ atMs: nowMs, taken: this.#engine.state.stock.taken(productId) });
    // The youngest that is a day old is the last that is needed: there are 25 or so.
    while (notes[1] !== undefined && nowMs - notes[1].atMs >= DAY_MS) notes.shift();
  }

  /** The product is not watched any more. */
  forget(productId: number): void {
    this.#notes.delete(productId);
  }

  /** With one digit after the point. Null when the product hasn't been watched for an hour, or nothing was taken. */
  hoursOfCover(nowMs: number, productId: number): number | null {
    const oldest = this.#notes.get(productId)?.[0];
    if (oldest === undefined) return null;
    const { stock } = this.#engine.state;
    const hours = (nowMs - oldest.atMs) / HOUR_MS;
    const taken = stock.taken(productId) - oldest.taken;
    if (hours < 1 || taken <= 0) return null;
    return Math.round((stock.available(productId) / taken) * hours * 10) / 10;
  }
}
