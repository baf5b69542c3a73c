/**
 * Orders by the items that they have of a product's own stock.
 *
 * Items are taken in the order of facts, so the one who has item n is the last who began to take at n or before, if he
 * took so many. Items that were withdrawn are nobody's: an order that takes passes over them; but those of recovered
 * orders have a list of their own (`recovered-orders.ts`). Have the checkpoint reach all that is durable first
 * (`Checkpointer.reach`). Every error is a `DamagedDataError`.
 */
import type { Stock } from '../../engine/stock.ts';
import type { Table } from '../lmdb/lmdb-environment.ts';
import { LISTS } from './order-entries.ts';
import { type PackedRow, rowAt, rowsFrom } from './packed-lists.ts';
import { isEmpty, recoveredItemsIn, recoveredItemsWith } from './recovered-orders.ts';

/** Items that an order took at once: the first `count` from `firstItem` on that aren't withdrawn, or were recovered. */
export interface ItemsTaken {
  readonly firstItem: number;
  readonly count: number;
  readonly orderId: number;
}

/** `stock` is at least as new as the lists: what was withdrawn among sold items is so for ever. */
export interface ItemSources {
  readonly orderLists: Table;
  readonly recoveredOrders: Table;
  readonly stock: Stock;
}

/** Undefined when the item wasn't sold: it is for sale, or was withdrawn, or never was. */
export function orderOfItem(sources: ItemSources, productId: number, item: number): number | undefined {
  const row = rowAt(sources.orderLists, LISTS.items, productId, item);
  const taken = row && takenAt(row, indexAtOrBelow(row, item));
  if (taken !== undefined && hasOneOf(sources, productId, taken, item, item)) return taken.orderId;
  return recoveredItemsWith(sources.recoveredOrders, productId, item)?.orderId;
}

/**
 * Takings of items from `firstItem` to `lastItem`, in the order of items. An order that had items replaced comes again.
 */
export function itemsTaken(
  sources: ItemSources,
  productId: number,
  firstItem: number,
  lastItem: number,
): IterableIterator<ItemsTaken> {
  const sold = itemsSold(sources, productId, firstItem, lastItem);
  const { recoveredOrders } = sources;
  if (isEmpty(recoveredOrders)) return sold;
  return merged(sold, recoveredItemsIn(recoveredOrders, productId, firstItem, lastItem));
}

/** Both ascend by item. */
function* merged(
  sold: Iterator<ItemsTaken>,
  recovered: Iterable<{ readonly number: number; readonly count: number; readonly orderId: number }>,
): IterableIterator<ItemsTaken> {
  let next = sold.next();
  for (const { number, count, orderId } of recovered) {
    for (; next.done !== true && next.value.firstItem < number; next = sold.next()) yield next.value;
    yield { firstItem: number, count, orderId };
  }
  for (; next.done !== true; next = sold.next()) yield next.value;
}

function* itemsSold(
  sources: ItemSources,
  productId: number,
  firstItem: number,
  lastItem: number,
): IterableIterator<ItemsTaken> {
  for (const row of rowsFrom(sources.orderLists, LISTS.items, productId, firstItem)) {
    const count = row.entries.length / LISTS.items.columns;
    for (let index = Math.max(0, indexAtOrBelow(row, firstItem)); index < count; index += 1) {
      const taken = takenAt(row, index);
      if (taken.firstItem > lastItem) return;
      if (taken.firstItem >= firstItem || hasOneOf(sources, productId, taken, firstItem, lastItem))
        yield taken;
    }
  }
}

/** The last entry that begins at `item` or before; -1 when there is none. */
function indexAtOrBelow({ entries }: PackedRow, item: number): number {
  const { columns } = LISTS.items;
  let low = 0;
  let high = entries.length / columns;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle * columns] ?? 0) <= item) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function takenAt({ entries }: PackedRow, index: number): ItemsTaken {
  const at = index * LISTS.items.columns;
  return { firstItem: entries[at] ?? 0, count: entries[at + 1] ?? 0, orderId: entries[at + 2] ?? 0 };
}

/**
 * Whether the order has an item from `firstItem` to `lastItem`. One that began to take before may have passed over all
 * of them.
 */
function hasOneOf(
  { stock }: ItemSources,
  productId: number,
  taken: ItemsTaken,
  firstItem: number,
  lastItem: number,
): boolean {
  return stock
    .itemsFrom(productId, taken.firstItem, taken.count)
    .some((range) => range.firstItem <= lastItem && firstItem < range.firstItem + range.count);
}
