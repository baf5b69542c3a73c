/**
 * Every item that was put in stock, by serial number, and whether it has been delivered.
 *
 * An item's text says which product and which serial it is, so an item that came from nowhere, went out for
 * the wrong product or went out twice is told apart exactly, in one bit an item.
 */
import { SeenNumbers } from './seen-numbers.ts';

export type Delivery = 'first' | 'again' | 'of another product' | 'never in stock';

const itemPattern = /^item-(\d{5})-(\d{10})$/;

export class ItemLedger {
  readonly #delivered = new SeenNumbers();
  #issued = 0;

  /** The text of `count` new items of a product, one a line. */
  issue(product: number, count: number): string {
    const lines = Array.from({ length: count }, (_, index) => itemText(product, this.#issued + index));
    this.#issued += count;
    return lines.join('\n');
  }

  /** Serials of items that somebody else makes, by `itemText`. Returns the first. */
  reserve(count: number): number {
    const first = this.#issued;
    this.#issued += count;
    return first;
  }

  deliver(text: string, product: number): Delivery {
    const [, productText, serialText] = itemPattern.exec(text) ?? [];
    const serial = Number(serialText);
    if (productText === undefined || serial >= this.#issued) return 'never in stock';
    if (Number(productText) !== product) return 'of another product';
    return this.#delivered.add(serial) ? 'first' : 'again';
  }
}

export function itemText(product: number, serial: number): string {
  return `item-${String(product).padStart(5, '0')}-${String(serial).padStart(10, '0')}`;
}
