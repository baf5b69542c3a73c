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
/** Products of one supplier. */
const MAX_ASKED_AT_ONCE = 4;

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
  /** Suppliers that are being asked: one that is silent keeps those of nobody else waiting. */
  readonly #asking = new Set<number>();
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
  }

  /** Of a product with this source; 0 when nothing is known. */
  available(productId: number, { supplierId, sku }: SupplySource): StockAnswer {
    const known = this.#known.get(productId);
    return known?.source.supplierId === supplierId && known.source.sku === sku ? known.available : 0;
  }

  /** A supplier's round that takes longer than the interval is finished first. */
  #askDue(): void {
    const due = new Map<number, number[]>();
    for (const product of this.#options.engine.state.products.values()) {
      const supplierId = product.profile.source?.supplierId;
      if (supplierId === undefined || this.#asking.has(supplierId) || !this.#isDue(product)) continue;
      const queue = due.get(supplierId);
      if (queue === undefined) due.set(supplierId, [product.productId]);
      else queue.push(product.productId);
    }
    for (const [supplierId, queue] of due) void this.#askRound(supplierId, queue.reverse());
  }

  async #askRound(supplierId: number, queue: number[]): Promise<void> {
    this.#asking.add(supplierId);
    await Promise.all(Array.from({ length: MAX_ASKED_AT_ONCE }, () => this.#askInTurn(queue)));
    this.#asking.delete(supplierId);
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

  async #askInTurn(queue: number[]): Promise<void> {
    for (let productId = queue.pop(); productId !== undefined; productId = queue.pop()) {
      if (this.#timer === undefined) return;
      const { engine, monotonicMs } = this.#options;
      const source = engine.state.products.get(productId)?.profile.source;
      if (source == null) continue;
      const supplier = engine.state.suppliers.get(source.supplierId)?.profile;
      this.#asked.set(productId, { atMs: monotonicMs(), source, supplier });
      const available = await this.#options.ask(source);
      if (available !== undefined) this.#known.set(productId, { source, available });
    }
  }
}
