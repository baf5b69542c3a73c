/**
 * Products whose stock is below their `lowStock`: each told once when it falls below, and again only after it was over.
 *
 * All products are gone through at each look, in slices, so purchases pay nothing. The stock that counts is the one
 * buyers see as `availableStock`, a supplier's part included; a product that isn't on sale, or never had an item, is
 * not watched. How fast each sells is noted on the way, and which last least. Suppliers' numbers go up and down, so the
 * alert ends when there is a tenth more than `lowStock`, or one more below ten; below ten also when there has been
 * enough for a minute.
 */

import { isOnSale, type Product } from '../engine/products.ts';
import type { State } from '../engine/state.ts';
import { availableStock } from '../engine/stock.ts';
import { ownTick } from '../shared/event-loop.ts';
import type { Watcher } from './alert-watch.ts';
import type { SalesPace } from './sales-pace.ts';
import type { ShortestCover } from './shortest-cover.ts';
import type { Say, StandingAlerts } from './standing-alerts.ts';

/** Gone through before purchases have their turn. */
const PRODUCTS_PER_SLICE = 2_048;
/** Told at one look; the others at the next ones. So a thousand of them leave room for other alerts. */
const TOLD_PER_LOOK = 10;
/** From here on a tenth is a margin. */
const TENTHS_FROM = 10;
const ENOUGH_FOR_MS = 60_000;

export interface StockWatchOptions {
  readonly standing: StandingAlerts;
  readonly engine: { readonly state: State };
  readonly pace: SalesPace;
  readonly shortest: ShortestCover;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
}

export class StockWatch implements Watcher {
  readonly #options: StockWatchOptions;

  constructor(options: StockWatchOptions) {
    this.#options = options;
  }

  async look(stopped: AbortSignal): Promise<void> {
    const { standing, engine, pace, shortest, monotonicMs } = this.#options;
    pace.begin(monotonicMs());
    shortest.begin();
    for (let productId = 1; productId < engine.state.products.nextId; productId += 1) {
      const product = engine.state.products.get(productId);
      if (product !== undefined) this.#lookAt(product);
      if (productId % PRODUCTS_PER_SLICE !== 0) continue;
      await ownTick();
      if (stopped.aborted) return;
    }
    shortest.end();
    standing.tellNext(TOLD_PER_LOOK);
  }

  #lookAt(product: Product): void {
    const { standing, engine, pace, shortest, monotonicMs } = this.#options;
    const { productId, profile } = product;
    const nowMs = monotonicMs();
    pace.note(nowMs, productId);
    if (profile.type === 'standard' && isOnSale(product)) shortest.look(nowMs, productId);
    const lowStock = profile.lowStock ?? null;
    const isFiring = standing.isFiring('STOCK_LOW', productId);
    if (lowStock === null && !isFiring) return;
    const stock = availableStock(engine.state.stock, product);
    const left = stock === 'unlimited' ? Number.POSITIVE_INFINITY : stock;
    const isWatched = lowStock !== null && isOnSale(product) && this.#hasBegun(product);
    const say = this.#say(product, lowStock);
    if (isWatched && left < lowStock) standing.begin('STOCK_LOW', productId, say, left);
    else if (!isWatched || left >= lowStock + Math.max(1, Math.floor(lowStock / 10)))
      standing.end('STOCK_LOW', productId, say);
    else if (lowStock < TENTHS_FROM) standing.end('STOCK_LOW', productId, say, ENOUGH_FOR_MS);
  }

  /** A product that is new has no stock yet, and that is no news. */
  #hasBegun({ productId, profile }: Product): boolean {
    return (profile.sources ?? []).length > 0 || this.#options.engine.state.stock.of(productId).end > 0;
  }

  #say(product: Product, lowStock: number | null): Say<'STOCK_LOW'> {
    const { engine, pace, monotonicMs } = this.#options;
    const { productId } = product;
    return () => {
      const stock = availableStock(engine.state.stock, product);
      const hoursOfCover = pace.hoursOfCover(monotonicMs(), productId);
      const cover =
        hoursOfCover === null ? '' : ` At the pace of the last day own stock lasts ${hoursOfCover} hours.`;
      const level = lowStock === null ? 'it has no lowStock' : `its lowStock is ${lowStock}`;
      const message = `Product ${productId} has ${stock} left, ${level}.${cover}`;
      return { message, fields: { productId, availableStock: stock, lowStock, hoursOfCover } };
    };
  }
}
