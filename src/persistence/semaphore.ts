/**
 * A counting semaphore: work begins while there is room for it. Work that finds none waits, first come, first served;
 * but of the work in one lane only one piece goes on at a time, and one that waits for its lane lets others pass. The
 * queue has no bound of its own: how many may wait is for the owner to say.
 */

export interface Wanted {
  /** The room that the work takes; at most all that there is. Default: 1. */
  readonly amount?: number;
  readonly lane?: number;
}

/** How long one waits, and the error that it is refused with then. */
export interface Patience {
  readonly ms: number;
  readonly error: Error;
}

/** May be called again, to no effect. */
export type GiveBack = () => void;

interface Waiting extends Wanted {
  readonly start: (giveBack: GiveBack) => void;
  readonly refuse: (error: Error) => void;
  patience?: NodeJS.Timeout;
}

export class Semaphore {
  #free: number;
  readonly #busyLanes = new Set<number | undefined>();
  readonly #waiting: Waiting[] = [];

  constructor(room: number) {
    this.#free = room;
  }

  /** Requests that wait, the oldest first. */
  get waiting(): readonly Wanted[] {
    return this.#waiting;
  }

  /** Resolves when there is room. Rejects when `refuseAll` is called before, or when its patience ends. */
  take(wanted: Wanted = {}, patience?: Patience): Promise<GiveBack> {
    return new Promise((start, refuse) => {
      const waiting: Waiting = { ...wanted, start, refuse };
      this.#waiting.push(waiting);
      this.#startNext();
      if (patience !== undefined && this.#waiting.includes(waiting)) {
        waiting.patience = setTimeout(() => {
          this.#refuse(waiting, patience.error);
          this.#startNext();
        }, patience.ms);
      }
    });
  }

  /** Does `work` when there is room for it: at once, if there is. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const isFree = this.#waiting.length === 0 && this.#free > 0;
    const giveBack = isFree ? this.#begin({}) : await this.take();
    try {
      return await work();
    } finally {
      giveBack();
    }
  }

  /** Whatever waits. */
  refuseAll(error: Error): void {
    for (const waiting of [...this.#waiting]) this.#refuse(waiting, error);
  }

  #refuse(waiting: Waiting, error: Error): void {
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    clearTimeout(waiting.patience);
    waiting.refuse(error);
  }

  #startNext(): void {
    for (let index = 0; index < this.#waiting.length; ) {
      const next = this.#waiting[index];
      if (next === undefined || (next.amount ?? 1) > this.#free) return;
      if (this.#busyLanes.has(next.lane)) {
        index += 1;
      } else {
        this.#waiting.splice(index, 1);
        clearTimeout(next.patience);
        next.start(this.#begin(next));
      }
    }
  }

  #begin({ amount = 1, lane }: Wanted): GiveBack {
    this.#free -= amount;
    if (lane !== undefined) this.#busyLanes.add(lane);
    let isGivenBack = false;
    return () => {
      if (isGivenBack) return;
      isGivenBack = true;
      this.#free += amount;
      this.#busyLanes.delete(lane);
      this.#startNext();
    };
  }
}
