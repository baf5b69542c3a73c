/**
 * Tells the thread that writes texts what the other products of the shop have (`shop-shelves.ts`): the changes since it
 * was told last, before each call for which it counts.
 *
 * Invariant: ends are told as they are at that moment, because a text counts from when it is on disk. Withdrawals are
 * told when they are durable, because a full disk takes facts back, and the items that they withdrew are for sale
 * again. Rejected: all products with each call, which would be work for each delivery of a supplier.
 */
import type { Engine } from '../../engine/loop/engine.ts';
import type { State } from '../../engine/state.ts';
import type { Stock } from '../../engine/stock.ts';
import { type ProductStock, productStockOf } from './product-stock.ts';

export type ShopEngine = Pick<Engine, 'state' | 'whenDurable'>;

export interface ShelfThread {
  tellEnds(pairs: Float64Array): void;
  tellStocks(stocks: readonly ProductStock[], areAll: boolean): void;
}

/** The last news that the thread knows; nothing of a state that was left. */
interface Told {
  readonly stock: Stock;
  readonly textChanges: number;
}

export class ShelfNews {
  readonly #engine: ShopEngine;
  readonly #thread: ShelfThread;
  #ends: Told | undefined;
  #stocks: Told | undefined;
  #telling: Promise<void> | undefined;

  constructor(engine: ShopEngine, thread: ShelfThread) {
    this.#engine = engine;
    this.#thread = thread;
  }

  /** How many items of all products were recalled. */
  get recalledItems(): number {
    return this.#engine.state.stock.recalledItems;
  }

  /** Tells ends at once. */
  tellEnds(): void {
    const { state } = this.#engine;
    const { stock } = state;
    if (!this.#isNews(this.#ends)) return;
    const pairs: number[] = [];
    for (const productId of this.#changed(this.#ends)) pairs.push(productId, stock.of(productId).end);
    this.#thread.tellEnds(Float64Array.from(pairs));
    this.#ends = { stock, textChanges: stock.textChanges };
  }

  /** Resolves when the thread has been told all that was durable when it was called, and ends. */
  async tell(): Promise<void> {
    while (this.#isNews(this.#stocks)) {
      this.#telling ??= this.#tellStocks().finally(() => {
        this.#telling = undefined;
      });
      await this.#telling;
    }
    this.tellEnds();
  }

  async #tellStocks(): Promise<void> {
    const { state } = this.#engine;
    const { stock } = state;
    const { textChanges } = stock;
    const areAll = this.#stocks?.stock !== stock;
    const stocks: ProductStock[] = [];
    for (const productId of this.#changed(this.#stocks)) {
      if (!areAll || isOfNote(state, productId)) stocks.push(productStockOf(state, productId));
    }
    const isAnyGone = stocks.some(({ withdrawn, recalled }) => withdrawn.length + recalled.length > 0);
    const isDurable =
      !isAnyGone || (await new Promise<boolean>((resolve) => this.#engine.whenDurable(resolve)));
    if (!isDurable || this.#engine.state.stock !== stock) return;
    this.#thread.tellStocks(stocks, areAll);
    this.#stocks = { stock, textChanges };
  }

  /** Products that have changed since `told`; all when that was of another state. */
  #changed(told: Told | undefined): Iterable<number> {
    const { stock, products } = this.#engine.state;
    if (told?.stock === stock) return stock.withTextsChangedSince(told.textChanges);
    return Array.from(products.values(), ({ productId }) => productId);
  }

  #isNews(told: Told | undefined): boolean {
    const { stock } = this.#engine.state;
    return told?.stock !== stock || told.textChanges !== stock.textChanges;
  }
}

/** Whether there is more to say of a product than its end. */
function isOfNote({ products, stock }: State, productId: number): boolean {
  const isAlike = products.get(productId)?.profile.allowDuplicates === true;
  return isAlike || stock.withdrawn(productId).length > 0 || stock.recalled(productId).length > 0;
}
