/**
 * Stock of all products: a shelf for each one that ever had items (`shelf.ts`), and what has changed of them.
 *
 * Invariant: whatever changes a shelf is noted for the checkpoint, and for those who compare texts when it changes which
 * texts a product had, or what may come again of them. Sales change nothing of that. Items of a gap are on one shelf
 * with all others: recovered, in quarantine, or for sale again, they are found by their numbers.
 */
import type { ChangedRows } from './apply/changed-rows.ts';
import { countOf, type ItemRange, rangesWithout } from './item-ranges.ts';
import { type Product, suppliedStock } from './products.ts';
import { LostItems } from './recovery/lost-items.ts';
import type { OutstandingItems } from './recovery/outstanding-items.ts';
import { NO_SHELF, Shelf, type StockRange, type StoredStock } from './shelf.ts';

export class Stock {
  /** By product id, which are given out in order. */
  readonly #byProduct: (Shelf | undefined)[] = [];
  /** Products whose shelves have changed. */
  readonly #changed: ChangedRows;
  /** By product id: which change of `textChanges` was its last. */
  readonly #changedTexts: number[] = [];
  #textChanges = 0;
  #recalledItems = 0;

  constructor(changed: ChangedRows) {
    this.#changed = changed;
  }

  /** The range of a product; one that never had stock has an empty range at 0. */
  of(productId: number): StockRange {
    return this.#shelfOf(productId);
  }

  available(productId: number): number {
    const { next, end, gone } = this.of(productId);
    return end - next - gone;
  }

  /** How many items orders have taken, ever, as sales or for others that were replaced; what was withdrawn is not in it. */
  taken(productId: number): number {
    const { next } = this.of(productId);
    return next - this.withdrawnIn(productId, 0, next);
  }

  /** Items that were given back or recalled before they were sold, ascending; neighbours are one range. */
  withdrawn(productId: number): readonly ItemRange[] {
    return this.#byProduct[productId]?.withdrawn.list ?? [];
  }

  /** All items of the lots that were recalled, sold ones too: their texts never come again. Like `withdrawn`. */
  recalled(productId: number): readonly ItemRange[] {
    return this.#byProduct[productId]?.recalled.list ?? [];
  }

  /** How many items of all products were recalled. */
  get recalledItems(): number {
    return this.#recalledItems;
  }

  /** How often it has changed which texts a product had, or what may come again of them. Sales change nothing of it. */
  get textChanges(): number {
    return this.#textChanges;
  }

  /** The products of which that has changed since there were so many changes. */
  *withTextsChangedSince(textChanges: number): IterableIterator<number> {
    if (textChanges === this.#textChanges) return;
    for (const [productId, last] of this.#changedTexts.entries()) if (last > textChanges) yield productId;
  }

  noteTexts(productId: number): void {
    this.#textChanges += 1;
    while (this.#changedTexts.length < productId) this.#changedTexts.push(0);
    this.#changedTexts[productId] = this.#textChanges;
  }

  /**
   * Withdrawn items that may be uploaded again: all but those that are in quarantine, or that a recovered order has.
   */
  returnable(productId: number): readonly ItemRange[] {
    const withdrawn = this.withdrawn(productId);
    const lost = this.lost(productId);
    if (lost === undefined) return withdrawn;
    return rangesWithout(rangesWithout(withdrawn, lost.quarantined.list), lost.recovered.list);
  }

  /** Withdrawn items that are the operator's: those that are `returnable`, and not for sale under other numbers. */
  givenBack(productId: number): readonly ItemRange[] {
    return rangesWithout(this.returnable(productId), this.lost(productId)?.released.list ?? []);
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

  /** The part of the items `firstItem` to `firstItem + count - 1` that can still be sold. */
  unsoldIn(productId: number, firstItem: number, count: number): ItemRange[] {
    const { next, end } = this.of(productId);
    const from = Math.max(firstItem, next);
    const to = Math.min(firstItem + count, end);
    const left = to - from - this.withdrawnIn(productId, from, to - from);
    return left > 0 ? this.itemsFrom(productId, from, left) : [];
  }

  /** Puts `count` new items at the end of the shelf. */
  add(productId: number, count: number): void {
    this.#changed.note(productId);
    this.noteTexts(productId);
    this.#shelf(productId).end += count;
  }

  /** The next `count` items are sold; there are so many. */
  take(productId: number, count: number): void {
    this.#changed.note(productId);
    this.#shelfOf(productId).take(count);
  }

  /** Items that were for sale until now are for sale no longer. */
  withdraw(productId: number, ranges: readonly ItemRange[]): void {
    this.#changed.note(productId);
    this.noteTexts(productId);
    const shelf = this.#shelf(productId);
    for (const range of ranges) {
      shelf.withdrawn.add(range);
      shelf.gone += range.count;
    }
    shelf.settle();
  }

  /** The texts of these items never come again. */
  recall(productId: number, range: ItemRange): void {
    this.#changed.note(productId);
    this.noteTexts(productId);
    const { recalled } = this.#shelf(productId);
    this.#recalledItems += range.count - recalled.countIn(range.firstItem, range.firstItem + range.count);
    recalled.add(range);
  }

  /** The product's items that a gap concerns; undefined when there are none. */
  lost(productId: number): LostItems | undefined {
    return this.#byProduct[productId]?.lost;
  }

  /** Whether a recovered order can have had these items: nobody else has, and they aren't for sale under other numbers. */
  isRecoverable(productId: number, range: ItemRange): boolean {
    return this.#shelfOf(productId).isRecoverable(range);
  }

  /** The first numbers from `item` on, side by side, that are all `isRecoverable`; undefined when there are none. */
  recoverableFrom(productId: number, item: number): ItemRange | undefined {
    return this.#shelfOf(productId).recoverableFrom(item);
  }

  /** Items that were for sale until now are off sale until it is known whether they were sold. */
  quarantine(productId: number, ranges: readonly ItemRange[]): void {
    this.withdraw(productId, ranges);
    const { quarantined } = this.#lostOf(productId);
    this.noteTexts(productId);
    for (const range of ranges) quarantined.add(range);
  }

  /** Items leave the quarantine: they are withdrawn for good, or for sale under other numbers from now on. */
  endQuarantine(productId: number, ranges: readonly ItemRange[], areReleased: boolean): void {
    this.#changed.note(productId);
    this.noteTexts(productId);
    const { quarantined, released } = this.#lostOf(productId);
    for (const range of ranges) {
      quarantined.remove(range);
      if (areReleased) released.add(range);
    }
  }

  /** The first number from which on no order has taken anything. */
  untakenFrom(productId: number): number {
    const { next } = this.of(productId);
    const last = this.#byProduct[productId]?.withdrawn.firstBehind(next - 1);
    return Math.min(next, last?.firstItem ?? next);
  }

  /** Items of the quarantine are for sale again where they were: all are `untakenFrom` there on. */
  putBack(productId: number, ranges: readonly ItemRange[]): void {
    this.#changed.note(productId);
    const shelf = this.#shelf(productId);
    const { quarantined } = this.#lostOf(productId);
    for (const range of ranges) {
      quarantined.remove(range);
      shelf.withdrawn.remove(range);
      shelf.next = Math.min(shelf.next, range.firstItem);
    }
    shelf.gone = shelf.withdrawn.countIn(shelf.next, shelf.end);
  }

  /** A recovered order has them, wherever they were: all are `isRecoverable`. */
  recover(productId: number, ranges: readonly ItemRange[]): void {
    const { quarantined, recovered } = this.#lostOf(productId);
    this.noteTexts(productId);
    for (const { firstItem, count } of ranges) {
      this.withdraw(productId, this.unsoldIn(productId, firstItem, count));
      for (const range of quarantined.within(firstItem, count)) quarantined.remove(range);
      recovered.add({ firstItem, count });
    }
  }

  /** Sets the missing items of an order; undefined when nothing is missing any more. */
  setOutstanding(productId: number, orderId: number, outstanding: OutstandingItems | undefined): void {
    if (outstanding === undefined && this.lost(productId)?.outstandingOf(orderId) === undefined) return;
    this.#changed.note(productId);
    this.#lostOf(productId).setOutstanding(orderId, outstanding);
  }

  /** The order was delivered again, with texts. */
  deliverOutstanding(productId: number, orderId: number): void {
    const lost = this.lost(productId);
    if (lost?.outstandingOf(orderId) === undefined) return;
    this.#changed.note(productId);
    lost.deliver(orderId);
  }

  stored(productId: number): StoredStock {
    return this.#shelfOf(productId).stored;
  }

  load(productId: number, stored: StoredStock): void {
    this.#shelf(productId).load(stored);
    this.#recalledItems += countOf(stored.recalled);
  }

  /** By product id; products that never had stock are left out. */
  *entries(): IterableIterator<[number, StockRange]> {
    for (const [productId, shelf] of this.#byProduct.entries()) {
      if (shelf !== undefined) yield [productId, shelf];
    }
  }

  #shelfOf(productId: number): Shelf {
    return this.#byProduct[productId] ?? NO_SHELF;
  }

  #shelf(productId: number): Shelf {
    let shelf = this.#byProduct[productId];
    if (shelf === undefined) {
      shelf = new Shelf();
      // A place that is far behind the last would make the array a slow one.
      while (this.#byProduct.length < productId) this.#byProduct.push(undefined);
      this.#byProduct[productId] = shelf;
    }
    return shelf;
  }

  #lostOf(productId: number): LostItems {
    const shelf = this.#shelf(productId);
    shelf.lost ??= new LostItems();
    return shelf.lost;
  }
}

/** The stock that buyers are told: a number for own stock and its sources'; files and manual products never run out. */
export function availableStock(stock: Stock, product: Product): number | 'unlimited' {
  if (product.profile.type !== 'standard') return 'unlimited';
  const own = stock.available(product.productId);
  const supplied = suppliedStock(product);
  return supplied === 'unlimited' ? supplied : Math.min(own + supplied, Number.MAX_SAFE_INTEGER);
}
