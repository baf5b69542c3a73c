/**
 * Stock of a product is a first-in-first-out range of item numbers; the items' texts live on disk.
 *
 * What always holds: numbers below `next` have left the shelf (sold or withdrawn), `next` is for sale unless it is `end`,
 * and so are the numbers up to `end` but for those that were withdrawn; no number is ever used twice. Memory per product
 * is constant, and a range for each withdrawal or recall that doesn't touch another; whether it holds ten items or ten
 * million. Rejected: a list of items per product, which would cost memory by the item.
 *
 * Items leave in the order of their numbers, so below `next` nothing is withdrawn any more: which items an order took
 * follows for ever from its first one (`itemsFrom`).
 */
import type { ChangedRows } from './changed-rows.ts';
import { type ItemRange, ItemRanges } from './item-ranges.ts';
import type { Product } from './products.ts';

export interface StockRange {
  /** The number of the item that is sold next. */
  readonly next: number;
  /** One past the number of the last item. */
  readonly end: number;
  /** How many numbers from `next` on were withdrawn: mostly none, and then sales needn't look where. */
  readonly gone: number;
}

/** As the checkpoint has it. */
export interface StoredStock {
  readonly next: number;
  readonly end: number;
  readonly withdrawn: readonly ItemRange[];
  readonly recalled: readonly ItemRange[];
}

class Shelf implements StockRange {
  next = 0;
  end = 0;
  gone = 0;
  readonly withdrawn = new ItemRanges();
  readonly recalled = new ItemRanges();
}

export class Stock {
  /** By product id, which are given out in order. */
  readonly #byProduct: (Shelf | undefined)[] = [];
  /** Of products. */
  readonly #changed: ChangedRows;

  constructor(changed: ChangedRows) {
    this.#changed = changed;
  }

  /** The range of a product; one that never had stock has an empty range at 0. */
  of(productId: number): StockRange {
    return this.#byProduct[productId] ?? EMPTY;
  }

  available(productId: number): number {
    const { next, end, gone } = this.of(productId);
    return end - next - gone;
  }

  /** What was given back or recalled before it was sold, ascending; neighbours are one range. */
  withdrawn(productId: number): readonly ItemRange[] {
    return this.#byProduct[productId]?.withdrawn.list ?? [];
  }

  /** All items of the lots that were recalled, sold ones too: their texts never come again. Like `withdrawn`. */
  recalled(productId: number): readonly ItemRange[] {
    return this.#byProduct[productId]?.recalled.list ?? [];
  }

  /** How many of the items `firstItem` to `firstItem + count - 1` were withdrawn. */
  withdrawnIn(productId: number, firstItem: number, count: number): number {
    return this.#byProduct[productId]?.withdrawn.countIn(firstItem, firstItem + count) ?? 0;
  }

  /**
   * The first `count` items from `firstItem` on that were not withdrawn. These are the items of an order that took
   * `count` from `firstItem` on, now and for ever.
   */
  itemsFrom(productId: number, firstItem: number, count: number): ItemRange[] {
    const shelf = this.#byProduct[productId];
    return shelf === undefined ? [{ firstItem, count }] : shelf.withdrawn.itemsBetween(firstItem, count);
  }

  /** Whether nothing was withdrawn from `firstItem` on: then `itemsFrom` says what is plain. */
  isWholeFrom(productId: number, firstItem: number): boolean {
    const shelf = this.#byProduct[productId];
    return shelf === undefined || shelf.withdrawn.end <= firstItem;
  }

  /** What can still be sold of the items `firstItem` to `firstItem + count - 1`. */
  unsoldIn(productId: number, firstItem: number, count: number): ItemRange[] {
    const { next, end } = this.of(productId);
    const from = Math.max(firstItem, next);
    const to = Math.min(firstItem + count, end);
    const left = to - from - this.withdrawnIn(productId, from, to - from);
    return left > 0 ? this.itemsFrom(productId, from, left) : [];
  }

  /** Of items that came. */
  add(productId: number, count: number): void {
    this.#changed.note(productId);
    this.#shelf(productId).end += count;
  }

  /** The next `count` items are sold; there are so many. */
  take(productId: number, count: number): void {
    this.#changed.note(productId);
    const shelf = this.#shelf(productId);
    if (shelf.gone === 0) shelf.next += count;
    else takeAround(shelf, count);
  }

  /** These are for sale no longer; until now they were. */
  withdraw(productId: number, ranges: readonly ItemRange[]): void {
    this.#changed.note(productId);
    const shelf = this.#shelf(productId);
    for (const range of ranges) {
      shelf.withdrawn.add(range);
      shelf.gone += range.count;
    }
    settle(shelf);
  }

  /** The texts of these items never come again. */
  recall(productId: number, range: ItemRange): void {
    this.#changed.note(productId);
    this.#shelf(productId).recalled.add(range);
  }

  stored(productId: number): StoredStock {
    const { next, end } = this.of(productId);
    return { next, end, withdrawn: this.withdrawn(productId), recalled: this.recalled(productId) };
  }

  load(productId: number, { next, end, withdrawn, recalled }: StoredStock): void {
    const shelf = this.#shelf(productId);
    shelf.next = next;
    shelf.end = end;
    for (const range of withdrawn) shelf.withdrawn.add(range);
    for (const range of recalled) shelf.recalled.add(range);
    shelf.gone = shelf.withdrawn.countIn(next, end);
  }

  /** By product id; products that never had stock are left out. */
  *entries(): IterableIterator<[number, StockRange]> {
    for (const [productId, shelf] of this.#byProduct.entries()) {
      if (shelf !== undefined) yield [productId, shelf];
    }
  }

  #shelf(productId: number): Shelf {
    let shelf = this.#byProduct[productId];
    if (shelf === undefined) {
      shelf = new Shelf();
      this.#byProduct[productId] = shelf;
    }
    return shelf;
  }
}

/** What buyers are told is left: a number for own stock and a supplier's; files and manual products never run out. */
export function availableStock(
  stock: Stock,
  { productId, profile, suppliedStock }: Product,
): number | 'unlimited' {
  if (profile.type !== 'standard') return 'unlimited';
  const own = stock.available(productId);
  return suppliedStock === 'unlimited' ? 'unlimited' : Math.min(own + suppliedStock, Number.MAX_SAFE_INTEGER);
}

const EMPTY: StockRange = Object.freeze({ next: 0, end: 0, gone: 0 });

function takeAround(shelf: Shelf, count: number): void {
  const taken = shelf.withdrawn.itemsBetween(shelf.next, count).at(-1);
  if (taken === undefined) return;
  const next = taken.firstItem + taken.count;
  shelf.gone -= next - shelf.next - count;
  shelf.next = next;
  settle(shelf);
}

/** What comes next is for sale, or there is nothing. */
function settle(shelf: Shelf): void {
  const behind = shelf.withdrawn.endOf(shelf.next);
  shelf.gone -= behind - shelf.next;
  shelf.next = behind;
}
