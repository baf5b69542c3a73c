/**
 * Whose upload is next: one at a time for each product, a few at a time altogether, in the order of arrival
 * among those that could start. Bounded, because an upload that waits holds a connection open.
 */
import { IntakeQueueFullError } from '../stock-errors.ts';

const MAX_WAITING_PER_PRODUCT = 64;
const MAX_WAITING = 1_024;
/** Each holds a batch of items and a cache in memory. */
const MAX_ACTIVE = 16;

/** Ends the turn. May be called again, to no effect. */
export type LeaveTurn = () => void;

interface Waiting {
  readonly productId: number;
  readonly start: (leave: LeaveTurn) => void;
  readonly refuse: (error: Error) => void;
}

export class UploadQueue {
  readonly #active = new Set<number>();
  #waiting: Waiting[] = [];

  /** Resolves when the turn has come. Rejects with `IntakeQueueFullError`, also when it hasn't come in `patienceMs`. */
  take(productId: number, patienceMs?: number): Promise<LeaveTurn> {
    const ahead = this.#waiting.filter((other) => other.productId === productId).length;
    if (ahead >= MAX_WAITING_PER_PRODUCT || this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new IntakeQueueFullError());
    }
    return new Promise((start, refuse) => {
      const waiting: Waiting = {
        productId,
        start: (leave) => {
          clearTimeout(patience);
          start(leave);
        },
        refuse: (error) => {
          clearTimeout(patience);
          refuse(error);
        },
      };
      const patience =
        patienceMs === undefined ? undefined : setTimeout(() => this.#giveUp(waiting), patienceMs);
      this.#waiting.push(waiting);
      this.#startNext();
    });
  }

  /** Refuses everyone who waits. */
  refuseAll(error: Error): void {
    const refused = this.#waiting;
    this.#waiting = [];
    for (const waiting of refused) waiting.refuse(error);
  }

  #giveUp(waiting: Waiting): void {
    const index = this.#waiting.indexOf(waiting);
    if (index === -1) return;
    this.#waiting.splice(index, 1);
    waiting.refuse(new IntakeQueueFullError());
  }

  #startNext(): void {
    if (this.#active.size >= MAX_ACTIVE) return;
    const index = this.#waiting.findIndex(({ productId }) => !this.#active.has(productId));
    const [next] = index === -1 ? [] : this.#waiting.splice(index, 1);
    if (next === undefined) return;
    this.#active.add(next.productId);
    let hasLeft = false;
    next.start(() => {
      if (hasLeft) return;
      hasLeft = true;
      this.#active.delete(next.productId);
      this.#startNext();
    });
  }
}
