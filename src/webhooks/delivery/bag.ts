/**
 * Things that come and go by the thousand each second, in no order: an array, in which each of them knows its place.
 *
 * A Map or Set was rejected. V8 gives it a new table every so many changes, and the table before refers to the
 * new one. Once a table has grown old, the quick collections of garbage find all later ones referred to, dead or not,
 * and everything that was in them: it all becomes old, and costs several times the work.
 */

export interface Placed {
  /** The bag's own. */
  place: number;
}

export class Bag<Item extends Placed> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** An item can be in one bag at a time. */
  add(item: Item): void {
    item.place = this.#items.length;
    this.#items.push(item);
  }

  /** Of an item that is in it. */
  delete(item: Item): void {
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#items[item.place] = last;
    last.place = item.place;
  }

  /** Nothing may come or go meanwhile. */
  [Symbol.iterator](): Iterator<Item> {
    return this.#items.values();
  }
}
