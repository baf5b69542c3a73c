/**
 * The naive shop with a memory of how it came to be, so that it can forget what a crash took back: everything that
 * was done is kept with the position of the journal after it, and done again from the start.
 */
import type { NaiveShop } from '../engine/naive-shop.ts';

interface Step {
  readonly position: number;
  readonly perform: (shop: NaiveShop) => unknown;
}

export class ModelLog {
  shop: NaiveShop;
  readonly #begin: () => NaiveShop;
  #steps: Step[] = [];

  constructor(begin: () => NaiveShop) {
    this.#begin = begin;
    this.shop = begin();
  }

  /** `perform` was done, and this was the journal's position, counting what isn't durable yet, right after. */
  add(position: number, perform: (shop: NaiveShop) => unknown): void {
    this.#steps.push({ position, perform });
  }

  /** Facts after this position never happened. */
  rollBack(position: number): void {
    this.#steps = this.#steps.filter((step) => step.position <= position);
    this.shop = this.#begin();
    for (const { perform } of this.#steps) perform(this.shop);
  }

  /** The answer of another shop with the same history; this one's stays as it is. */
  foretold<Answer>(perform: (shop: NaiveShop) => Answer): Answer {
    const shop = this.#begin();
    for (const step of this.#steps) step.perform(shop);
    return perform(shop);
  }
}
