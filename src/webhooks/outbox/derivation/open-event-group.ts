/**
 * The group that is open: which products have changed, in the catalog or in stock, since its first change; and how long
 * groups last, as the journal says. None is open while it has no products.
 */
import type { EventGroupRow } from '../../../persistence/webhooks/outbox-rows.ts';

/** A group closes behind the fact that makes it this many products of one type: a body of some 60 KB. */
const MAX_PRODUCTS = 10_000;

export class OpenEventGroup {
  readonly #catalog: Set<number>;
  readonly #stock: Set<number>;
  /** How long groups last. */
  windowMs: number;
  /** The epoch of the fact that was added last. */
  epoch: number;
  /** The time of the fact that opened the group, Unix milliseconds. */
  #openedAtMs: number;
  /** Groups that were opened, so that each has a number here. */
  #groups = 1;

  constructor({ catalog, stock, openedAtMs, windowMs, epoch }: EventGroupRow) {
    this.#catalog = new Set(catalog);
    this.#stock = new Set(stock);
    this.#openedAtMs = openedAtMs;
    this.windowMs = windowMs;
    this.epoch = epoch;
  }

  get row(): EventGroupRow {
    const [catalog, stock] = [[...this.#catalog], [...this.#stock]];
    return { catalog, stock, openedAtMs: this.#openedAtMs, windowMs: this.windowMs, epoch: this.epoch };
  }

  /** Another number for each group; undefined while none is open. */
  get openEventGroup(): number | undefined {
    return this.isEmpty ? undefined : this.#groups;
  }

  get isEmpty(): boolean {
    return this.#catalog.size === 0 && this.#stock.size === 0;
  }

  /** Whether the group closes behind the fact that was added last. */
  get isFull(): boolean {
    return Math.max(this.#catalog.size, this.#stock.size) >= MAX_PRODUCTS || this.windowMs === 0;
  }

  /**
   * Whether a window has passed by `atMs`; also when the wall clock was set back: nobody knows when it will be a window
   * later again.
   */
  isOver(atMs: number): boolean {
    const passedMs = atMs - this.#openedAtMs;
    return passedMs >= this.windowMs || passedMs < 0;
  }

  /** Products are in the order of their latest change. */
  add(what: 'catalog' | 'stock', productId: number, atMs: number): void {
    if (this.isEmpty) {
      this.#openedAtMs = atMs;
      this.#groups += 1;
    }
    const products = what === 'catalog' ? this.#catalog : this.#stock;
    products.delete(productId);
    products.add(productId);
  }

  clear(): void {
    this.#catalog.clear();
    this.#stock.clear();
  }
}
