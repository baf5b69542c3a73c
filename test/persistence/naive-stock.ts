/**
 * What the stock of one product should be, in an array and a map: every item by number, and for each text the
 * item that stands for it when duplicates are looked for.
 */
import type { IntakeResult } from '../../src/persistence/stock/intake/stock-intake-writer.ts';

export class NaiveStock {
  readonly items: string[] = [];
  readonly withdrawn: { firstItem: number; count: number }[] = [];
  readonly #gone = new Set<number>();
  #next = 0;

  add(texts: readonly string[], allowDuplicates: boolean): IntakeResult {
    const firstItem = this.items.length;
    let duplicates = 0;
    for (const text of texts) {
      const isHeld = this.items.some((had, item) => had === text && !this.#gone.has(item));
      if (isHeld && !allowDuplicates) {
        duplicates += 1;
        continue;
      }
      this.items.push(text);
    }
    return { firstItem, added: this.items.length - firstItem, duplicates };
  }

  /** Both take the oldest items that are there. */
  sell(count: number): void {
    this.#next = Math.min(this.#next + count, this.items.length);
  }

  withdraw(count: number): void {
    const firstItem = this.#next;
    this.sell(count);
    for (let item = firstItem; item < this.#next; item += 1) this.#gone.add(item);
    if (this.#next > firstItem) this.withdrawn.push({ firstItem, count: this.#next - firstItem });
  }
}
