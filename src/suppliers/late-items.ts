/**
 * Late items: those of a purchase that nobody was charged for and that the supplier delivered after all. They enter own
 * stock, except those that can't be sold or that the product had before.
 *
 * Invariant: the product is closed to all other uploads until the end of the purchase is known, which is one fact with
 * the items' place; without that fact they never were there. A text counts as had before only when that is durable.
 */
import { Rejection } from '../engine/decide/rejection.ts';
import type { Engine } from '../engine/loop/engine.ts';
import type { SupplierPurchase } from '../engine/supplying/supplier-purchases.ts';
import type { OrderFulfilment } from '../fulfilment/order-fulfilment.ts';
import { itemBytes } from '../persistence/stock/intake/stock-lines.ts';
import { type OutstandingAmong, outstandingAmong } from '../persistence/stock/outstanding-texts.ts';
import { durableStockOf } from '../persistence/stock/product-stock.ts';
import { StockError } from '../persistence/stock/stock-errors.ts';
import type { StockStore } from '../persistence/stock/stock-store.ts';
import { Slices } from '../shared/slices.ts';

/** Wait for an operator's upload to the same product. Late items can come later; other purchases must be asked about. */
const UPLOAD_PATIENCE_MS = 500;

/** Counts of the items of an unresolved purchase that was delivered after all. */
export interface LateItems {
  readonly delivered: number;
  readonly intoStock: number;
  readonly duplicates: number;
  /** Blank, too long, or with characters that no item may have. */
  readonly unsellable: number;
}

export const NO_LATE_ITEMS: LateItems = { delivered: 0, intoStock: 0, duplicates: 0, unsellable: 0 };
export const NO_PLACE: LatePlace = { firstItem: 0 };

/** Where late items are in own stock, what they were compared with, and the hash of all that were delivered. */
export interface LatePlace extends Partial<OutstandingAmong> {
  readonly firstItem: number;
  readonly recalledItems?: number;
  readonly itemsMac?: string;
}

export interface LateIntake {
  readonly engine: Engine;
  readonly stock: StockStore;
  readonly fulfilment: OrderFulfilment;
}

/** Ends the purchase with these items. Resolves with whether it has ended. */
type End = (items: LateItems, place: LatePlace) => Promise<boolean>;

/**
 * Resolves with whether the purchase has ended. When it hasn't, the supplier is asked for the items again later: an
 * operator's upload is in progress, or it isn't known yet what the product has.
 */
export async function intoOwnStock(
  intake: LateIntake,
  purchase: SupplierPurchase,
  all: readonly string[],
  end: End,
): Promise<boolean> {
  try {
    return await takenIn(intake, purchase, all, end);
  } catch (error) {
    if (StockError.is(error, 'queue')) return false;
    throw error;
  }
}

async function takenIn(
  options: LateIntake,
  purchase: SupplierPurchase,
  all: readonly string[],
  end: End,
): Promise<boolean> {
  const items = await sellableOf(all);
  const late = { ...NO_LATE_ITEMS, delivered: all.length, unsellable: all.length - items.length };
  const { engine, stock, fulfilment } = options;
  const itemsMac = await fulfilment.macOf(purchase, all);
  if (items.length === 0) return end(late, { ...NO_PLACE, itemsMac });
  const { productId } = purchase;
  const intake = await stock.beginIntake({
    productId,
    patienceMs: UPLOAD_PATIENCE_MS,
    comesAgain: true,
    readStock: () => durableStockOf(engine, productId),
  });
  try {
    await intake.writeItems(items);
    const { firstItem, added: intoStock, duplicates } = await intake.finish();
    // An upload that had the texts may have come to nothing, by its sender or by a full disk.
    if (duplicates > 0 && !(intake.isAlone() && (await isAllDurable(engine)))) return false;
    const range = { firstItem, count: intoStock };
    const outstanding = await outstandingAmong(options, productId, [range], firstItem + intoStock);
    if (outstanding instanceof Rejection) return false;
    const place = { firstItem, recalledItems: intake.recalledItems, itemsMac, ...outstanding };
    return await end({ ...late, intoStock, duplicates }, place);
  } finally {
    intake.close();
  }
}

function isAllDurable(engine: Engine): Promise<boolean> {
  return new Promise((resolve) => engine.whenDurable(resolve));
}

async function sellableOf(items: readonly string[]): Promise<string[]> {
  const slices = new Slices();
  const sellable: string[] = [];
  for (const item of items) {
    if (slices.isFull) await slices.rest();
    if (isSellable(item)) sellable.push(item);
  }
  return sellable;
}

function isSellable(item: string): boolean {
  try {
    itemBytes(item, 1);
    return true;
  } catch (error) {
    if (StockError.is(error, 'bad-item')) return false;
    throw error;
  }
}
