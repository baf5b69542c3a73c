/**
 * What suppliers say they have, asked for periodically: the approximate stock of the catalog (SPEC.md §2).
 *
 * Memory only: it is a hint, and never decides a purchase. A supplier that is down changes nothing of what is
 * known; the catalog keeps showing that, and of a product that was never answered for, own stock alone.
 */
import type { Engine } from '../engine/engine.ts';
import type { Product, SupplySource } from '../engine/products.ts';
import type { SupplierProfile } from '../engine/suppliers.ts';

export type StockAnswer = number | 'unlimited';

/** How many a supplier has; undefined when it doesn't say. Never rejects, and settles within the time-out. */
export type AskStock = (source: SupplySource) => Promise<StockAnswer | undefined>;

export interface SupplierStockOptions {
  readonly engine: Engine;
  readonly ask: AskStock;
  readonly refreshMs: number;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
}

/** How soon a new product, or one whose supplier has changed, is asked for. */
const LOOK_MS = 1_000;
/** Several products may wait for one dead supplier without keeping those of others waiting long. */
const MAX_ASKED_AT_ONCE = 16;

interface Known {
  readonly source: SupplySource;
  readonly available: StockAnswer;
}

/** What a question rested on; when one of it changes, it is asked again. */
interface Asked {
  readonly atMs: number;
  readonly source: SupplySource;
  readonly supplier: SupplierProfile | undefined;
}

export class SupplierStock {
  readonly #options: SupplierStockOptions;
  readonly #known = new Map<number, Known>();
  readonly #asked = new Map<number, Asked>();
  #queue: number[] = [];
  #asking = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SupplierStockOptions) {
    this.#options = options;
  }

  /** Asks for the first time at once, and waits for nobody. */
  start(): void {
    this.#timer = setInterval(() => this.#askDue(), Math.min(this.#options.refreshMs, LOOK_MS));
    this.#askDue();
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
  #askDue(): void {
    if (this.#queue.length > 0 || this.#asking > 0) return;
    for (const product of this.#options.engine.state.products.values()) {
      if (this.#isDue(product)) this.#queue.push(product.productId);
    }
    this.#queue.reverse();
    while (this.#asking < MAX_ASKED_AT_ONCE && this.#queue.length > 0) {
      this.#asking += 1;
      void this.#askInTurn();
    }
  }

  #isDue({ productId, profile: { source, active } }: Product): boolean {
    if (source == null || !active) return false;
    const { engine, refreshMs, monotonicMs } = this.#options;
    const asked = this.#asked.get(productId);
    return (
      asked === undefined ||
      monotonicMs() - asked.atMs >= refreshMs ||
      asked.source !== source ||
      asked.supplier !== engine.state.suppliers.get(source.supplierId)?.profile
    );
  }

  async #askInTurn(): Promise<void> {
    for (let productId = this.#queue.pop(); productId !== undefined; productId = this.#queue.pop()) {
      const { engine, monotonicMs } = this.#options;
      const source = engine.state.products.get(productId)?.profile.source;
      if (source == null) continue;
      const supplier = engine.state.suppliers.get(source.supplierId)?.profile;
      this.#asked.set(productId, { atMs: monotonicMs(), source, supplier });
      const available = await this.#options.ask(source);
      if (available !== undefined) this.#known.set(productId, { source, available });
    }
    this.#asking -= 1;
  }
}
