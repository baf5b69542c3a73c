/**
 * What suppliers say they have, asked for periodically: the approximate stock of the catalog (SPEC.md §2).
 *
 * Memory only: it is a hint, and never decides a purchase. A supplier that is down changes nothing of what is
 * known; the catalog keeps showing that, and of a product that was never answered for, own stock alone.
 */
import type { Engine } from '../engine/engine.ts';
import type { SupplySource } from '../engine/products.ts';

export type StockAnswer = number | 'unlimited';

/** How many a supplier has; undefined when it doesn't say. Never rejects, and settles within the time-out. */
export type AskStock = (source: SupplySource) => Promise<StockAnswer | undefined>;

export interface SupplierStockOptions {
  readonly engine: Engine;
  readonly ask: AskStock;
  readonly refreshMs: number;
}

/** Several products may wait for one dead supplier without keeping those of others waiting long. */
const MAX_ASKED_AT_ONCE = 16;

interface Known {
  readonly source: SupplySource;
  readonly available: StockAnswer;
}

export class SupplierStock {
  readonly #options: SupplierStockOptions;
  readonly #known = new Map<number, Known>();
  #queue: number[] = [];
  #asking = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SupplierStockOptions) {
    this.#options = options;
  }

  /** Asks for the first time at once, and waits for nobody. */
  start(): void {
    this.#timer = setInterval(() => this.#askAll(), this.#options.refreshMs);
    this.#askAll();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#queue = [];
  }

  /** Of a product with this source; 0 when nothing is known. */
  available(productId: number, { supplierId, sku }: SupplySource): StockAnswer {
    const known = this.#known.get(productId);
    return known?.source.supplierId === supplierId && known.source.sku === sku ? known.available : 0;
  }

  /** A round that takes longer than the interval is finished first. */
  #askAll(): void {
    if (this.#queue.length > 0 || this.#asking > 0) return;
    for (const { productId, profile } of this.#options.engine.state.products.values()) {
      if (profile.source != null && profile.active) this.#queue.push(productId);
    }
    this.#queue.reverse();
    while (this.#asking < MAX_ASKED_AT_ONCE && this.#queue.length > 0) {
      this.#asking += 1;
      void this.#askInTurn();
    }
  }

  async #askInTurn(): Promise<void> {
    for (let productId = this.#queue.pop(); productId !== undefined; productId = this.#queue.pop()) {
      const source = this.#options.engine.state.products.get(productId)?.profile.source;
      if (source == null) continue;
      const available = await this.#options.ask(source);
      if (available !== undefined) this.#known.set(productId, { source, available });
    }
    this.#asking -= 1;
  }
}
