/** Lots as they are now, wherever they lie, and what became of their items. */
import type { Fact } from '../fact.ts';
import { type Lot, lotOfUpload } from '../lots.ts';
import type { State } from '../state.ts';
import type { History } from './history.ts';

/** Counts of a lot's items by what became of them. They sum up to `added`. */
export interface LotFigures {
  readonly added: number;
  readonly available: number;
  /** To recovered orders, too. */
  readonly sold: number;
  /** Recalled ones too. */
  readonly withdrawn: number;
  /** Set aside after a restore; absent when there are none. */
  readonly quarantined?: number;
}

/** The lot that a fact adds; undefined for most. */
export function lotAddedBy(fact: Fact): Lot | undefined {
  if (fact.kind === 'StockAdded') return lotOfUpload(fact);
  if (fact.kind === 'SupplierPurchaseReconciled')
    return fact.lot === undefined ? undefined : lotOfUpload({ ...fact, lot: fact.lot });
  if (fact.kind !== 'QuarantineEnded') return undefined;
  const { productId, atMs, released } = fact;
  if (released === null || released === 'inPlace') return undefined;
  return lotOfUpload({ ...released, productId, atMs });
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

/** The lot that an item came with; undefined when there is none. */
export function lotOfItem(state: State, history: History, productId: number, item: number): Lot | undefined {
  const [lot] = lotsOf(state, history, productId, item + 1, 1);
  return lot !== undefined && item < lot.firstItem + lot.count ? lot : undefined;
}

export function lotFigures({ stock }: State, { productId, firstItem, count: added }: Lot): LotFigures {
  const gone = stock.withdrawnIn(productId, firstItem, added);
  const lost = stock.lost(productId);
  const quarantined = lost?.quarantined.countIn(firstItem, firstItem + added) ?? 0;
  const recovered = lost?.recovered.countIn(firstItem, firstItem + added) ?? 0;
  const withdrawn = gone - quarantined - recovered;
  const { next } = stock.of(productId);
  const from = Math.min(Math.max(firstItem, next), firstItem + added);
  const left = firstItem + added - from;
  const available = left - stock.withdrawnIn(productId, from, left);
  const sold = added - available - withdrawn - quarantined;
  return { added, available, sold, withdrawn, ...(quarantined === 0 ? {} : { quarantined }) };
}
