/**
 * Items of one product that a gap concerns: some have left the shelf for orders that were recovered, some are set aside
 * because they may have been sold, and of some there are only hashes in receipts.
 *
 * Invariant: all of these numbers are withdrawn, too, so that no sale takes them and `Stock.itemsFrom` passes over
 * them; a number is quarantined, recovered or released, and only one of these. So a recovered order's items may lie
 * anywhere on the shelf. Rejected: to move the shelf's next item past them, which would give what lies between to
 * nobody.
 */
import { type ItemRange, ItemRanges } from '../item-ranges.ts';
import { MAX_OUTSTANDING_HASHES } from '../limits.ts';
import { hashCountOf, type OutstandingItems, withoutItems } from './outstanding-items.ts';

/** As the checkpoint has it. */
export interface StoredLostItems {
  readonly quarantined: readonly ItemRange[];
  readonly recovered: readonly ItemRange[];
  readonly released: readonly ItemRange[];
  /** Absent when there are none. */
  readonly outstanding?: readonly OutstandingItems[];
}

export class LostItems {
  /** Off sale until a receipt claims them, or the operator decides. */
  readonly quarantined = new ItemRanges();
  /** Items of recovered orders. */
  readonly recovered = new ItemRanges();
  /** For sale again, under other numbers. */
  readonly released = new ItemRanges();
  /** Missing items of the product's orders, by order. */
  readonly #outstanding = new Map<number, OutstandingItems>();
  #outstandingHashes = 0;
  /** The last number of all products: so no number comes twice, not even when the state is read from the disk again. */
  static #lastChange = 0;
  #outstandingChange = 0;

  get stored(): StoredLostItems {
    const { quarantined, recovered, released } = this;
    const outstanding = Array.from(this.#outstanding.values()).sort((a, b) => a.orderId - b.orderId);
    const lists = { quarantined: quarantined.list, recovered: recovered.list, released: released.list };
    return outstanding.length === 0 ? lists : { ...lists, outstanding };
  }

  static load({ quarantined, recovered, released, outstanding = [] }: StoredLostItems): LostItems {
    const items = new LostItems();
    for (const one of outstanding) items.setOutstanding(one.orderId, one);
    for (const range of quarantined) items.quarantined.add(range);
    for (const range of recovered) items.recovered.add(range);
    for (const range of released) items.released.add(range);
    return items;
  }

  get outstanding(): Iterable<OutstandingItems> {
    return this.#outstanding.values();
  }

  /** How many hashes are kept, of all orders. */
  get outstandingHashes(): number {
    return this.#outstandingHashes;
  }

  /**
   * Another number whenever something else is outstanding than before, 0 before anything was. The number is in no fact: a
   * command with compared items says which one was seen.
   */
  get outstandingChange(): number {
    return this.#outstandingChange;
  }

  /** Whether this can be kept in place of what was outstanding for its order before. One order's always can. */
  hasRoomFor(outstanding: OutstandingItems): boolean {
    const before = this.#outstanding.get(outstanding.orderId);
    const others = this.#outstandingHashes - (before === undefined ? 0 : hashCountOf(before));
    return others === 0 || others + hashCountOf(outstanding) <= MAX_OUTSTANDING_HASHES;
  }

  outstandingOf(orderId: number): OutstandingItems | undefined {
    return this.#outstanding.get(orderId);
  }

  /** In place of what was outstanding for the order before; nothing any more when it is undefined. */
  setOutstanding(orderId: number, outstanding: OutstandingItems | undefined): void {
    LostItems.#lastChange += 1;
    this.#outstandingChange = LostItems.#lastChange;
    this.#keep(orderId, outstanding);
  }

  /** The order was delivered again, so it lacks less; what was compared with more is well compared. */
  deliver(orderId: number): void {
    const outstanding = this.#outstanding.get(orderId);
    if (outstanding !== undefined) this.#keep(orderId, withoutItems(outstanding));
  }

  #keep(orderId: number, outstanding: OutstandingItems | undefined): void {
    const before = this.#outstanding.get(orderId);
    if (before !== undefined) this.#outstandingHashes -= hashCountOf(before);
    this.#outstanding.delete(orderId);
    if (outstanding === undefined) return;
    this.#outstanding.set(orderId, outstanding);
    this.#outstandingHashes += hashCountOf(outstanding);
  }

  /** Quarantined, recovered and released ones, as ranges that are apart. */
  get all(): readonly ItemRange[] {
    const all = new ItemRanges();
    for (const { list } of [this.quarantined, this.recovered, this.released]) {
      for (const range of list) all.add(range);
    }
    return all.list;
  }

  /** Whether one of these numbers is of a recovered order already, or for sale under another one. */
  hasGone({ firstItem, count }: ItemRange): boolean {
    const end = firstItem + count;
    return this.recovered.countIn(firstItem, end) > 0 || this.released.countIn(firstItem, end) > 0;
  }
}
