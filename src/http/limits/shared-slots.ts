/**
 * How many of something may be under way at one moment. Each sharer has a smaller share, so that one can't keep all
 * others out: an account with slow readers, or an address that sends bodies and never ends them.
 */
export class SharedSlots<Sharer> {
  readonly #most: number;
  readonly #mostEach: number;
  /** The sharers with something under way and the slots of each, so there are at most as many as slots. */
  readonly #taken = new Map<Sharer, number>();
  #takenByAll = 0;

  constructor(most: number, mostEach: number) {
    this.#most = most;
    this.#mostEach = mostEach;
  }

  /** False when there is none left; otherwise `leave` must follow, once. */
  take(sharer: Sharer): boolean {
    const taken = this.#taken.get(sharer) ?? 0;
    if (this.#takenByAll >= this.#most || taken >= this.#mostEach) return false;
    this.#takenByAll += 1;
    this.#taken.set(sharer, taken + 1);
    return true;
  }

  leave(sharer: Sharer): void {
    const left = (this.#taken.get(sharer) ?? 0) - 1;
    this.#takenByAll -= 1;
    if (left > 0) this.#taken.set(sharer, left);
    else this.#taken.delete(sharer);
  }
}
