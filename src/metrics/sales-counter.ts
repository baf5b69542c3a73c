/**
 * Orders, units and money that were sold since the process started, in all and by product. Refunds take nothing away.
 *
 * Counted when a sale is durable, so it is in the journal for sure. Kept in memory: a start begins at 0, which Prometheus
 * takes for a restart. Rejected: sums in the state, which every purchase would write into the checkpoint.
 */
import type { Fact } from '../engine/fact.ts';
import type { Order } from '../engine/orders.ts';

export interface Sales {
  readonly orders: number;
  readonly units: number;
  /** In micro-USDT: whole numbers, so that sums are exact. */
  readonly micros: number;
}

const NO_SALES: Sales = { orders: 0, units: 0, micros: 0 };

export class SalesCounter {
  readonly #total = { orders: 0, units: 0, micros: 0 };
  /** A row for each product that was sold. */
  readonly #byProduct = new Map<number, { -readonly [Field in keyof Sales]: number }>();

  get total(): Sales {
    return this.#total;
  }

  of(productId: number): Sales {
    return this.#byProduct.get(productId) ?? NO_SALES;
  }

  /** Called for every group. Sales are those of `addChange` in `money-change.ts`. */
  count(facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.kind === 'OrderPlaced' || fact.kind === 'OrderPaid' || fact.kind === 'HoldCaptured') {
        this.#add(fact.order);
      }
    }
  }

  #add({ productId, quantity, totalMicros }: Order): void {
    let sales = this.#byProduct.get(productId);
    if (sales === undefined) {
      sales = { orders: 0, units: 0, micros: 0 };
      this.#byProduct.set(productId, sales);
    }
    sales.orders += 1;
    sales.units += quantity;
    sales.micros += totalMicros;
    this.#total.orders += 1;
    this.#total.units += quantity;
    this.#total.micros += totalMicros;
  }
}
