/**
 * What a gap does to the items of one product: some have left the shelf for orders that were recovered, some are set aside
 * because they may have been sold.
 *
 * What always holds: all of these numbers are withdrawn, too, so that no sale takes them and `Stock.itemsFrom` passes over
 * them; a number is in one of the three at most. So a recovered order's items may lie anywhere on the shelf. Rejected: to
 * move the shelf's next item past them, which would give what lies between to nobody.
 */
import { type ItemRange, ItemRanges } from './item-ranges.ts';

/** As the checkpoint has it. */
export interface StoredLostItems {
  readonly quarantined: readonly ItemRange[];
  readonly recovered: readonly ItemRange[];
  readonly released: readonly ItemRange[];
}

export class LostItems {
  /** Off sale until a receipt claims them, or the operator decides. */
  readonly quarantined = new ItemRanges();
  /** Of recovered orders. */
  readonly recovered = new ItemRanges();
  /** For sale again, under other numbers. */
  readonly released = new ItemRanges();

  get stored(): StoredLostItems {
    const { quarantined, recovered, released } = this;
    return { quarantined: quarantined.list, recovered: recovered.list, released: released.list };
  }

  static load({ quarantined, recovered, released }: StoredLostItems): LostItems {
    const items = new LostItems();
    for (const range of quarantined) items.quarantined.add(range);
    for (const range of recovered) items.recovered.add(range);
    for (const range of released) items.released.add(range);
    return items;
  }

  /** Those of all three, as ranges that are apart. */
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
