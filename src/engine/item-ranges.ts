/**
 * A set of item numbers as ranges: ascending, apart from each other, found by halving. A set has thousands of ranges at
 * most (`limits.ts`), so that to put one in its place is cheap.
 */
import { BrokenInvariantError } from './apply/broken-invariant.ts';

export interface ItemRange {
  readonly firstItem: number;
  readonly count: number;
}

export class ItemRanges {
  readonly #ranges: ItemRange[] = [];

  get list(): readonly ItemRange[] {
    return this.#ranges;
  }

  /** One past the last number; 0 when there is none. */
  get end(): number {
    const last = this.#ranges.at(-1);
    return last === undefined ? 0 : endOf(last);
  }

  /** Numbers that are in it already may be among them. */
  add({ firstItem, count }: ItemRange): void {
    if (count === 0) return;
    const end = firstItem + count;
    // Those that it overlaps or touches become one with it.
    const from = this.#indexFrom(firstItem - 1);
    let to = from;
    let [first, last] = [firstItem, end];
    for (let range = this.#ranges[to]; range !== undefined && range.firstItem <= end; ) {
      first = Math.min(first, range.firstItem);
      last = Math.max(last, endOf(range));
      to += 1;
      range = this.#ranges[to];
    }
    this.#ranges.splice(from, to - from, { firstItem: first, count: last - first });
  }

  /** All of these numbers are in it. */
  remove({ firstItem, count }: ItemRange): void {
    if (count === 0) return;
    const end = firstItem + count;
    const index = this.#indexFrom(firstItem);
    const range = this.#ranges[index];
    if (range === undefined || range.firstItem > firstItem || endOf(range) < end) {
      throw new BrokenInvariantError(`items ${firstItem} to ${end - 1} are not in one range`);
    }
    const before = { firstItem: range.firstItem, count: firstItem - range.firstItem };
    const behind = { firstItem: end, count: endOf(range) - end };
    this.#ranges.splice(index, 1, ...[before, behind].filter((left) => left.count > 0));
  }

  /** The part of these numbers that is in the set, ascending. */
  within(firstItem: number, count: number): ItemRange[] {
    const end = firstItem + count;
    const found: ItemRange[] = [];
    for (let index = this.#indexFrom(firstItem); ; index += 1) {
      const range = this.#ranges[index];
      if (range === undefined || range.firstItem >= end) return found;
      const first = Math.max(range.firstItem, firstItem);
      found.push({ firstItem: first, count: Math.min(endOf(range), end) - first });
    }
  }

  /** The part of these numbers that isn't in the set, ascending. */
  outside({ firstItem, count }: ItemRange): ItemRange[] {
    return this.itemsBetween(firstItem, count - this.countIn(firstItem, firstItem + count));
  }

  /** The first range that ends behind `item`. */
  firstBehind(item: number): ItemRange | undefined {
    return this.#ranges[this.#indexFrom(item)];
  }

  /** The first number from `item` on that isn't in it. */
  endOf(item: number): number {
    const range = this.#ranges[this.#indexFrom(item)];
    return range !== undefined && range.firstItem <= item ? endOf(range) : item;
  }

  /** How many numbers from `from` to `to - 1` are in it. */
  countIn(from: number, to: number): number {
    let found = 0;
    for (let index = this.#indexFrom(from); ; index += 1) {
      const range = this.#ranges[index];
      if (range === undefined || range.firstItem >= to) return found;
      found += Math.min(endOf(range), to) - Math.max(range.firstItem, from);
    }
  }

  /** The first `count` numbers from `from` on that aren't in it. */
  itemsBetween(from: number, count: number): ItemRange[] {
    const found: ItemRange[] = [];
    let firstItem = from;
    let left = count;
    for (let index = this.#indexFrom(from); left > 0; index += 1) {
      const range = this.#ranges[index];
      const room = range === undefined ? left : Math.min(left, range.firstItem - firstItem);
      if (room > 0) {
        found.push({ firstItem, count: room });
        left -= room;
      }
      if (range !== undefined) firstItem = endOf(range);
    }
    return found;
  }

  /** The first range that ends behind `item`. */
  #indexFrom(item: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const range = this.#ranges[middle];
      if (range !== undefined && endOf(range) > item) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** The highest `limit` numbers below `before` that are in `ranges` and not in `others`, as ranges, descending. */
export function highestOf(
  ranges: readonly ItemRange[],
  others: readonly ItemRange[],
  before: number,
  limit: number,
): ItemRange[] {
  const found: ItemRange[] = [];
  let left = limit;
  let at = others.length - 1;
  for (let index = ranges.length - 1; index >= 0 && left > 0; index -= 1) {
    const range = ranges[index];
    if (range === undefined) break;
    let end = Math.min(endOf(range), before);
    while (end > range.firstItem && left > 0) {
      let other = others[at];
      while (other !== undefined && other.firstItem >= end) {
        at -= 1;
        other = others[at];
      }
      const otherEnd = other === undefined ? 0 : endOf(other);
      if (other !== undefined && otherEnd >= end) end = other.firstItem;
      else {
        const firstItem = Math.max(range.firstItem, otherEnd, end - left);
        found.push({ firstItem, count: end - firstItem });
        left -= end - firstItem;
        end = firstItem;
      }
    }
  }
  return found;
}

/** The numbers of `ranges` that are not in `others`; all three ascending, and apart from each other. */
export function rangesWithout(ranges: readonly ItemRange[], others: readonly ItemRange[]): ItemRange[] {
  const left: ItemRange[] = [];
  let at = 0;
  for (const range of ranges) {
    let from = range.firstItem;
    const end = endOf(range);
    while (from < end) {
      let other = others[at];
      while (other !== undefined && endOf(other) <= from) {
        at += 1;
        other = others[at];
      }
      const to = Math.min(end, Math.max(from, other?.firstItem ?? end));
      if (to > from) left.push({ firstItem: from, count: to - from });
      from = Math.max(to, other === undefined || other.firstItem >= end ? end : endOf(other));
    }
  }
  return left;
}

/** How many numbers they have together. */
export function countOf(ranges: readonly ItemRange[]): number {
  let count = 0;
  for (const range of ranges) count += range.count;
  return count;
}

function endOf({ firstItem, count }: ItemRange): number {
  return firstItem + count;
}
