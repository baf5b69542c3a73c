/**
 * Orders by the items that they have of a product's own stock.
 *
 * Items are taken in the order of facts, so the one who has item n is the last who began to take at n or before, if he
 * took so many. Items that were withdrawn are nobody's: an order that takes passes over them; but recovered orders have
 * a table of theirs. Have the checkpoint reach all that is decided first (`Checkpointer.reachDecided`). Reading throws
 * `DamagedDataError` and `DamagedFileError`.
 */
import type { State } from '../../engine/state.ts';
import { ByteReader } from '../codec/byte-reader.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { TABLES } from './tables.ts';

/** Items that an order took at once: the first `count` from `firstItem` on that aren't withdrawn, or were recovered. */
export interface ItemsTaken {
  readonly firstItem: number;
  readonly count: number;
  readonly orderId: number;
}

type ItemTable = typeof TABLES.items | typeof TABLES.recoveredItems;

export class ItemOrders {
  readonly #engine: { readonly state: State };
  readonly #store: StoreReader;

  constructor(engine: { readonly state: State }, store: StoreReader) {
    this.#engine = engine;
    this.#store = store;
  }

  /** Undefined when the item wasn't sold: it is for sale, or was withdrawn, or never was. */
  orderOf(productId: number, item: number): number | undefined {
    const taken = this.#atOrBelow(TABLES.items, productId, item);
    if (taken !== undefined && this.#hasOneOf(productId, taken, item, item)) return taken.orderId;
    return this.#recoveredWith(productId, item)?.orderId;
  }

  /**
   * Takings of items from `firstItem` to `lastItem`, in the order of items, at most `limit`. An order that had items
   * replaced comes again.
   */
  taken(productId: number, firstItem: number, lastItem: number, limit: number): ItemsTaken[] {
    const found: ItemsTaken[] = [];
    const sold = this.#sold(productId, firstItem, lastItem);
    let next = sold.next();
    const takeBelow = (item: number): void => {
      for (; next.done !== true && next.value.firstItem < item && found.length < limit; next = sold.next())
        found.push(next.value);
    };
    for (const recovered of this.#recovered(productId, firstItem, lastItem)) {
      takeBelow(recovered.firstItem);
      if (found.length === limit) return found;
      found.push(recovered);
    }
    takeBelow(Number.POSITIVE_INFINITY);
    return found;
  }

  *#sold(productId: number, firstItem: number, lastItem: number): Generator<ItemsTaken, undefined> {
    const first = this.#atOrBelow(TABLES.items, productId, firstItem)?.firstItem ?? firstItem;
    for (const taken of this.#range(TABLES.items, productId, first, lastItem)) {
      if (taken.firstItem >= firstItem || this.#hasOneOf(productId, taken, firstItem, lastItem)) yield taken;
    }
    return undefined;
  }

  #recovered(productId: number, firstItem: number, lastItem: number): Iterable<ItemsTaken> {
    const first = this.#recoveredWith(productId, firstItem)?.firstItem ?? firstItem;
    return this.#range(TABLES.recoveredItems, productId, first, lastItem);
  }

  #recoveredWith(productId: number, item: number): ItemsTaken | undefined {
    const found = this.#atOrBelow(TABLES.recoveredItems, productId, item);
    return found !== undefined && item < found.firstItem + found.count ? found : undefined;
  }

  #atOrBelow(table: ItemTable, productId: number, item: number): ItemsTaken | undefined {
    const range = { fromA: productId, fromB: item, toA: productId, toB: -1, reverse: true };
    for (const { b, value } of this.#store.range(table, range)) return takenAt(b, value);
    return undefined;
  }

  *#range(
    table: ItemTable,
    productId: number,
    firstItem: number,
    lastItem: number,
  ): IterableIterator<ItemsTaken> {
    const range = { fromA: productId, fromB: firstItem, toA: productId, toB: lastItem + 1 };
    for (const { b, value } of this.#store.range(table, range)) yield takenAt(b, value);
  }

  /**
   * Whether the order has an item from `firstItem` to `lastItem`. One that began to take before may have passed over all
   * of them. The stock is at least as new as the table: what was withdrawn among sold items is so for ever.
   */
  #hasOneOf(productId: number, taken: ItemsTaken, firstItem: number, lastItem: number): boolean {
    return this.#engine.state.stock
      .itemsFrom(productId, taken.firstItem, taken.count)
      .some((range) => range.firstItem <= lastItem && firstItem < range.firstItem + range.count);
  }
}

function takenAt(firstItem: number, value: Uint8Array): ItemsTaken {
  const input = new ByteReader(value);
  return { firstItem, count: input.varint(), orderId: input.varint() };
}
