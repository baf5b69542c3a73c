/**
 * The shelf of a product: a first-in-first-out range of item numbers; the items' texts live on disk.
 *
 * Invariant: numbers below `next` have left the shelf (sold or withdrawn), `next` is for sale unless it is `end`, and
 * so are the numbers up to `end` but for those that were withdrawn; no number is ever used twice. Memory per product is
 * constant, and a range for each withdrawal or recall that doesn't touch another; whether it holds ten items or ten
 * million. Rejected: a list of items per product, which would cost memory by the item.
 *
 * Items leave in the order of their numbers, so below `next` nothing is withdrawn any more: which items an order took
 * follows for ever from its first one (`Stock.itemsFrom`). For the same reason `next` goes back only over what no order
 * took.
 */
import { type ItemRange, ItemRanges } from './item-ranges.ts';
import { LostItems, type StoredLostItems } from './recovery/lost-items.ts';

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
  /** Absent for a product of which no gap had an item. */
  readonly lost?: StoredLostItems;
}

export class Shelf implements StockRange {
  next = 0;
  end = 0;
  gone = 0;
  readonly withdrawn = new ItemRanges();
  readonly recalled = new ItemRanges();
  /** The items that a gap concerns; undefined when there are none. */
  lost: LostItems | undefined = undefined;

  /** The next `count` items are sold; there are so many. */
  take(count: number): void {
    if (this.gone === 0) this.next += count;
    else this.#takeAround(count);
  }

  #takeAround(count: number): void {
    const taken = this.withdrawn.itemsBetween(this.next, count).at(-1);
    if (taken === undefined) return;
    const next = taken.firstItem + taken.count;
    this.gone -= next - this.next - count;
    this.next = next;
    this.settle();
  }

  /** The item at `next` is for sale from now on, or the shelf is empty. */
  settle(): void {
    const behind = this.withdrawn.endOf(this.next);
    this.gone -= behind - this.next;
    this.next = behind;
  }

  /** Whether a recovered order can have had these items: nobody else has, and they aren't for sale under other numbers. */
  isRecoverable(range: ItemRange): boolean {
    const { firstItem, count } = range;
    if (firstItem < 0 || firstItem + count > this.end || this.lost?.hasGone(range) === true) return false;
    const left = Math.max(0, Math.min(firstItem + count, this.next) - firstItem);
    return this.withdrawn.countIn(firstItem, firstItem + left) === left;
  }

  /** The first numbers from `item` on, side by side, that are all `isRecoverable`; undefined when there are none. */
  recoverableFrom(item: number): ItemRange | undefined {
    const { next, end, withdrawn } = this;
    const gone = [this.lost?.recovered, this.lost?.released];
    for (let from = item; from < end; ) {
      const range = from < next ? withdrawn.firstBehind(from) : undefined;
      from = Math.max(from, Math.min(next, range?.firstItem ?? next));
      let to = from < next && range !== undefined ? range.firstItem + range.count : end;
      const behind = Math.max(...gone.map((ranges) => ranges?.endOf(from) ?? from));
      for (const ranges of gone) to = Math.min(to, ranges?.firstBehind(from)?.firstItem ?? to);
      if (behind === from && to > from) return { firstItem: from, count: to - from };
      from = Math.max(behind, to);
    }
    return undefined;
  }

  get stored(): StoredStock {
    const { next, end, withdrawn, recalled, lost } = this;
    const lists = { withdrawn: withdrawn.list, recalled: recalled.list };
    return { next, end, ...lists, ...(lost === undefined ? {} : { lost: lost.stored }) };
  }

  load({ next, end, withdrawn, recalled, lost }: StoredStock): void {
    this.next = next;
    this.end = end;
    for (const range of withdrawn) this.withdrawn.add(range);
    for (const range of recalled) this.recalled.add(range);
    this.gone = this.withdrawn.countIn(next, end);
    if (lost !== undefined) this.lost = LostItems.load(lost);
  }
}

/** An empty shelf of the same form as all others, which makes it as fast to read. Nothing can be taken from it. */
export const NO_SHELF = new Shelf();
