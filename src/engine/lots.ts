/**
 * Lots: each upload of items is one. Its items are consecutive numbers of one product.
 *
 * What became of its items follows from the product's stock, so a lot keeps no counts that sales would have to move. In
 * memory are those that came or changed since the last fold; all others are in the checkpoint (`History`).
 */
import type { FactOf } from './fact.ts';
import { Generations } from './generations.ts';
import type { History } from './history.ts';
import type { State } from './state.ts';

/** What the operator said of it; nothing is checked against anything. */
export interface LotLabel {
  /** Where the items are from. */
  readonly source?: string;
  /** What one item cost, in micro-USDT. */
  readonly costMicros?: number;
  /** The operator's own name for it, such as an invoice's number. */
  readonly reference?: string;
}

export interface Lot extends LotLabel {
  readonly lotId: number;
  readonly productId: number;
  readonly firstItem: number;
  readonly count: number;
  readonly addedAtMs: number;
  /** There once it was recalled. */
  readonly recall?: {
    readonly atMs: number;
    /** How many items it took off sale. */
    readonly withdrawn: number;
  };
}

/** The lot that an upload makes. */
export function lotOfUpload({ lot, productId, firstItem, count, atMs }: FactOf<'StockAdded'>): Lot {
  return { ...lot, productId, firstItem, count, addedAtMs: atMs };
}

/** What became of the items of a lot. They sum up to `added`. */
export interface LotFigures {
  readonly added: number;
  readonly available: number;
  readonly sold: number;
  /** Recalled ones too. */
  readonly withdrawn: number;
}

export class RecentLots extends Generations<Map<number, Lot>> {
  constructor() {
    super(() => new Map());
  }

  get(lotId: number): Lot | undefined {
    return this.current.get(lotId) ?? this.older.get(lotId);
  }

  /** A new one, or in place of how it was. */
  set(lot: Lot): void {
    this.current.set(lot.lotId, lot);
  }

  /** Those of a product, as they are now. */
  of(productId: number): Lot[] {
    const all = new Map([...this.older, ...this.current]);
    return [...all.values()].filter((lot) => lot.productId === productId);
  }
}

/** A lot as it is now, wherever it lies. */
export function lotOf(state: State, history: History, lotId: number): Lot | undefined {
  return state.lots.get(lotId) ?? history.lot(lotId);
}

/** At most `limit` lots of a product whose items come before `beforeItem`, the newest first, as they are now. */
export function lotsOf(
  state: State,
  history: History,
  productId: number,
  beforeItem: number,
  limit: number,
): Lot[] {
  const lots = new Map(history.lotsOf(productId, beforeItem, limit).map((lot) => [lot.lotId, lot]));
  for (const lot of state.lots.of(productId)) if (lot.firstItem < beforeItem) lots.set(lot.lotId, lot);
  return [...lots.values()].sort((a, b) => b.firstItem - a.firstItem).slice(0, limit);
}

/** The lot that an item came with; undefined when it came late from a supplier, and with none. */
export function lotOfItem(state: State, history: History, productId: number, item: number): Lot | undefined {
  const [lot] = lotsOf(state, history, productId, item + 1, 1);
  return lot !== undefined && item < lot.firstItem + lot.count ? lot : undefined;
}

export function lotFigures({ stock }: State, { productId, firstItem, count: added }: Lot): LotFigures {
  const withdrawn = stock.withdrawnIn(productId, firstItem, added);
  const { next } = stock.of(productId);
  const from = Math.min(Math.max(firstItem, next), firstItem + added);
  const left = firstItem + added - from;
  const available = left - stock.withdrawnIn(productId, from, left);
  return { added, available, sold: added - available - withdrawn, withdrawn };
}
