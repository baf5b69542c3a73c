/**
 * How much may be under way at one moment. Work that finds no room is refused, or waits, first come, first served.
 *
 * Each sharer may have a smaller share, so that one can't keep all others out: an account with slow readers, an address
 * that sends bodies and never ends them. Work that waits for its sharer's share lets others pass, and of work that waits
 * for all of the room, none overtakes.
 */

export interface SemaphoreLimits {
  /** The most that one sharer has; default: all. */
  readonly each?: number;
  /** The most that wait, and that wait of one sharer; default: no limit. */
  readonly waiting?: number;
  readonly waitingEach?: number;
}

export interface Wanted<Sharer> {
  readonly sharer?: Sharer;
  /** The room that the work takes; at most all that there is. Default: 1. */
  readonly amount?: number;
  /** How long it waits; default: for ever. */
  readonly patienceMs?: number | undefined;
  /** Whether nobody wants it any more: then it is passed over. */
  readonly isGone?: () => boolean;
}

/** May be called again, to no effect. */
export type GiveBack = () => void;

interface Waiting<Sharer> extends Wanted<Sharer> {
  readonly settle: (giveBack: GiveBack | undefined) => void;
  readonly refuse: (error: Error) => void;
  patience?: NodeJS.Timeout;
}

export class Semaphore<Sharer = never> {
  readonly #room: number;
  readonly #limits: SemaphoreLimits;
  #free: number;
  /** Sharers that have something, so there are at most as many as room. */
  readonly #taken = new Map<Sharer, number>();
  /** The oldest first. */
  readonly #waiting = new Set<Waiting<Sharer>>();

  constructor(room: number, limits: SemaphoreLimits = {}) {
    this.#room = room;
    this.#free = room;
    this.#limits = limits;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Undefined when there is no room now. For a semaphore at which nobody waits. */
  tryTake(wanted: Wanted<Sharer> = {}): GiveBack | undefined {
    return this.#hasRoom(wanted) && this.#hasShare(wanted) ? this.#begin(wanted) : undefined;
  }

  /**
   * Resolves when there is room; with undefined when too many wait, its patience ends, or it is gone. Rejects when
   * `refuseAll` is called before, and with a `RangeError` when there is never room for so much.
   */
  take(wanted: Wanted<Sharer> = {}): Promise<GiveBack | undefined> {
    const { sharer, amount = 1 } = wanted;
    const most = sharer === undefined ? this.#room : Math.min(this.#room, this.#limits.each ?? this.#room);
    if (amount > most) {
      return Promise.reject(
        new RangeError(`${amount} can't be taken of a semaphore that gives ${most} at most`),
      );
    }
    return new Promise((settle, refuse) => {
      const waiting: Waiting<Sharer> = { ...wanted, settle, refuse };
      this.#waiting.add(waiting);
      this.#startNext();
      if (!this.#waiting.has(waiting)) return;
      if (this.#isCrowded(wanted)) this.#passOver();
      if (this.#isCrowded(wanted)) return this.#giveUp(waiting);
      if (wanted.patienceMs === undefined) return;
      waiting.patience = setTimeout(() => {
        this.#giveUp(waiting);
        this.#startNext();
      }, wanted.patienceMs);
    });
  }

  /** Does `work` when there is room for it: at once, if there is. For a semaphore at which any number may wait. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const giveBack = (this.#waiting.size === 0 ? this.tryTake() : undefined) ?? (await this.take());
    try {
      return await work();
    } finally {
      giveBack?.();
    }
  }

  /** Whatever waits. */
  refuseAll(error: Error): void {
    for (const waiting of this.#waiting) this.#leave(waiting).refuse(error);
  }

  #hasRoom({ amount = 1 }: Wanted<Sharer>): boolean {
    return amount <= this.#free;
  }

  #hasShare({ sharer, amount = 1 }: Wanted<Sharer>): boolean {
    const { each = Number.POSITIVE_INFINITY } = this.#limits;
    return sharer === undefined || (this.#taken.get(sharer) ?? 0) + amount <= each;
  }

  /** Whether more wait than may. */
  #isCrowded({ sharer }: Wanted<Sharer>): boolean {
    const { waiting = Number.POSITIVE_INFINITY, waitingEach = waiting } = this.#limits;
    if (this.#waiting.size > waiting) return true;
    if (this.#waiting.size <= waitingEach) return false;
    let own = 0;
    for (const each of this.#waiting) if (each.sharer === sharer) own += 1;
    return own > waitingEach;
  }

  #leave(waiting: Waiting<Sharer>): Waiting<Sharer> {
    this.#waiting.delete(waiting);
    clearTimeout(waiting.patience);
    return waiting;
  }

  /** Waiting work that nobody wants any more takes no place from other work. */
  #passOver(): void {
    for (const each of this.#waiting) if (each.isGone?.() === true) this.#giveUp(each);
  }

  #giveUp(waiting: Waiting<Sharer>): void {
    this.#leave(waiting).settle(undefined);
  }

  #startNext(): void {
    for (const next of this.#waiting) {
      if (next.isGone?.() === true) this.#giveUp(next);
      else if (!this.#hasRoom(next)) return;
      else if (this.#hasShare(next)) this.#leave(next).settle(this.#begin(next));
    }
  }

  #begin({ sharer, amount = 1 }: Wanted<Sharer>): GiveBack {
    this.#change(sharer, amount);
    let isGivenBack = false;
    return () => {
      if (isGivenBack) return;
      isGivenBack = true;
      this.#change(sharer, -amount);
      this.#startNext();
    };
  }

  #change(sharer: Sharer | undefined, amount: number): void {
    this.#free -= amount;
    if (sharer === undefined) return;
    const taken = (this.#taken.get(sharer) ?? 0) + amount;
    if (taken > 0) this.#taken.set(sharer, taken);
    else this.#taken.delete(sharer);
  }
}
