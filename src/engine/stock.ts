/**
 * Stock of a product is a first-in-first-out range of item numbers; the items' texts live on disk.
 *
 * What always holds: numbers below `next` have left the shelf (sold or withdrawn), numbers from `next` up to
 * `end` are for sale, and no number is ever used twice. Memory per product is two numbers, whether it holds
 * ten items or ten million. Rejected: a list of items per product, which would cost memory by the item.
 * Withdrawn ranges are remembered, because their items may come back; neighbours are one range.
 */
import type { ChangedRows } from './changed-rows.ts';
import type { Product } from './products.ts';

export interface StockRange {
  /** The number of the item that is sold next. */
  next: number;
  /** One past the number of the last item. */
  end: number;
}

export interface WithdrawnRange {
  readonly firstItem: number;
  readonly count: number;
}

export class Stock {
  /** By product id, which are given out in order. */
  readonly #byProduct: (StockRange | undefined)[] = [];
  readonly #withdrawn = new Map<number, WithdrawnRange[]>();
  /** Of products. */
  readonly #changed: ChangedRows;

  constructor(changed: ChangedRows) {
    this.#changed = changed;
  }

  /** The range of a product; one that never had stock has an empty range at 0. */
  of(productId: number): Readonly<StockRange> {
    return this.#byProduct[productId] ?? EMPTY_RANGE;
  }

  available(productId: number): number {
    const range = this.of(productId);
    return range.end - range.next;
  }

  set(productId: number, next: number, end: number): void {
    this.#changed.note(productId);
    const range = this.#byProduct[productId];
    if (range === undefined) {
      this.#byProduct[productId] = { next, end };
    } else {
      range.next = next;
      range.end = end;
    }
  }

  /** Oldest first. */
  withdrawn(productId: number): readonly WithdrawnRange[] {
    return this.#withdrawn.get(productId) ?? [];
  }

  addWithdrawn(productId: number, range: WithdrawnRange): void {
    if (range.count === 0) return;
    this.#changed.note(productId);
    const ranges = this.#withdrawn.get(productId);
    if (ranges === undefined) {
      this.#withdrawn.set(productId, [range]);
      return;
    }
    const last = ranges.at(-1);
    if (last !== undefined && last.firstItem + last.count === range.firstItem) {
      ranges[ranges.length - 1] = { firstItem: last.firstItem, count: last.count + range.count };
    } else {
      ranges.push(range);
    }
  }

  /** By product id; products that never had stock are left out. */
  *entries(): IterableIterator<[number, Readonly<StockRange>]> {
    for (const [productId, range] of this.#byProduct.entries()) {
      if (range !== undefined) yield [productId, range];
    }
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

const EMPTY_RANGE: Readonly<StockRange> = Object.freeze({ next: 0, end: 0 });
