/** Acknowledged orders to fetch again afterwards: all of them up to a bound, beyond it an even random sample. */
import { Random } from '../../test/support/random.ts';

export interface KeptOrder {
  /** Index in the benchmark's list of accounts. */
  readonly account: number;
  readonly orderId: number;
  /** The answer's body. */
  readonly text: string;
}

export class OrderSample {
  readonly #capacity: number;
  readonly #random: Random;
  readonly #orders: KeptOrder[] = [];
  #offered = 0;

  constructor(capacity: number, seed: number) {
    this.#capacity = capacity;
    this.#random = new Random(seed);
  }

  get orders(): readonly KeptOrder[] {
    return this.#orders;
  }

  /** Every order offered so far is kept with the same probability. */
  offer(order: KeptOrder): void {
    this.#offered += 1;
    if (this.#orders.length < this.#capacity) {
      this.#orders.push(order);
      return;
    }
    const place = this.#random.between(0, this.#offered - 1);
    if (place < this.#capacity) this.#orders[place] = order;
  }
}
