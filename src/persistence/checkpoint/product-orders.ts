/**
 * Which order has which item of a product's own stock.
 *
 * Items are taken in the order of facts, so the one who has item n is the last who began to take at n or before, if he
 * took so many. Items that were withdrawn are nobody's: who takes passes over them. Have the checkpoint reach what is
 * durable first (`Checkpointer.reach`). What throws is a `DamagedDataError`.
 */
import type { ItemRange } from '../../engine/item-ranges.ts';
import { numberKey } from '../lmdb/lmdb-environment.ts';
import { decodeJson, readRow } from './checkpoint-rows.ts';
import type { CheckpointTables } from './checkpoint-tables.ts';
import { LISTS } from './order-entries.ts';
import { type PackedRow, rowAt, rowsFrom } from './packed-lists.ts';

/** Items that an order took at once: the first `count` from `firstItem` on that aren't withdrawn. */
export interface ItemsTaken {
  readonly firstItem: number;
  readonly count: number;
  readonly orderId: number;
}

type Tables = Pick<CheckpointTables, 'orderLists' | 'products'>;

/** Undefined when the item wasn't sold: it is for sale, or was withdrawn, or never was. */
export function orderOfItem(tables: Tables, productId: number, item: number): number | undefined {
  const row = rowAt(tables.orderLists, LISTS.items, productId, item);
  const taken = row && takenAt(row, indexAtOrBelow(row, item));
  if (taken === undefined || !hasItem(taken, item, withdrawnOf(tables, productId))) return undefined;
  return taken.orderId;
}

/** Those that have items from `firstItem` to `lastItem`, in the order of items. One that had items replaced comes again. */
export function* ordersOfItems(
  tables: Tables,
  productId: number,
  firstItem: number,
  lastItem: number,
): IterableIterator<number> {
  for (const { orderId } of itemsTaken(tables, productId, firstItem, lastItem)) yield orderId;
}

/** The same, with the items that were taken at once. */
export function* itemsTaken(
  tables: Tables,
  productId: number,
  firstItem: number,
  lastItem: number,
): IterableIterator<ItemsTaken> {
  const withdrawn = withdrawnOf(tables, productId);
  for (const row of rowsFrom(tables.orderLists, LISTS.items, productId, firstItem)) {
    const count = row.entries.length / LISTS.items.columns;
    for (let index = Math.max(0, indexAtOrBelow(row, firstItem)); index < count; index += 1) {
      const taken = takenAt(row, index);
      if (taken.firstItem > lastItem) return;
      if (taken.firstItem >= firstItem || hasOneOf(taken, firstItem, lastItem, withdrawn)) yield taken;
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

function hasItem(taken: ItemsTaken, item: number, withdrawn: readonly ItemRange[]): boolean {
  const isWithdrawn = withdrawn.some(
    (range) => item >= range.firstItem && item < range.firstItem + range.count,
  );
  return !isWithdrawn && item <= lastItemOf(taken, withdrawn);
}

/** Who began to take before `firstItem` may have passed over all that is from there to `lastItem`. */
function hasOneOf(
  taken: ItemsTaken,
  firstItem: number,
  lastItem: number,
  withdrawn: readonly ItemRange[],
): boolean {
  let item = firstItem;
  for (const range of withdrawn) {
    if (range.firstItem > item) break;
    item = Math.max(item, range.firstItem + range.count);
  }
  return item <= Math.min(lastItem, lastItemOf(taken, withdrawn));
}

/** Whatever was withdrawn among what it took was so before. */
function lastItemOf({ firstItem, count }: ItemsTaken, withdrawn: readonly ItemRange[]): number {
  let last = firstItem + count - 1;
  for (const range of withdrawn) {
    if (range.firstItem > last) break;
    if (range.firstItem >= firstItem) last += range.count;
  }
  return last;
}

function withdrawnOf({ products }: Tables, productId: number): readonly ItemRange[] {
  const decode = decodeJson<{ readonly withdrawn: readonly ItemRange[] }>;
  return readRow('products', products, numberKey(productId), decode)?.withdrawn ?? [];
}
