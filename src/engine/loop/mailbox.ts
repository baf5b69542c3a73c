/**
 * A bounded first-in-first-out queue: what one account, or one product, has yet to be done.
 *
 * A ring that doubles up to its capacity; taking and putting cost the same however long it is.
 */
export class Mailbox<Item> {
  readonly capacity: number;
  #ring: (Item | undefined)[] = new Array<Item | undefined>(8);
  #head = 0;
  #size = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size >= this.capacity;
  }

  /** False, and nothing is kept, when the mailbox is full. */
  put(item: Item): boolean {
    if (this.isFull) return false;
    if (this.#size === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#size) & (this.#ring.length - 1)] = item;
    this.#size += 1;
    return true;
  }

  peek(): Item | undefined {
    return this.#size === 0 ? undefined : this.#ring[this.#head];
  }

  take(): Item | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#size -= 1;
    return item;
  }

  #grow(): void {
    const ring = new Array<Item | undefined>(this.#ring.length * 2);
    for (let index = 0; index < this.#size; index += 1) {
      ring[index] = this.#ring[(this.#head + index) & (this.#ring.length - 1)];
    }
    this.#ring = ring;
    this.#head = 0;
  }
}
