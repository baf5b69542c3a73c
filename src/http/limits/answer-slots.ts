/**
 * Few long answers at once for each account, and for all: each keeps a slice and the block that its texts come from. A
 * request that finds no slot waits in line for a while, since the items may be paid for already.
 *
 * A line goes on also behind a request whose account has its share; requests whose client has gone are passed over.
 */
import { SharedSlots } from './shared-slots.ts';

const MOST = 64;
const MOST_EACH = 4;
const MOST_WAITING = 4_096;
const MOST_WAITING_EACH = 128;
const PATIENCE_MS = 10_000;

interface Waiting {
  readonly sharer: number;
  readonly isGone: () => boolean;
  readonly settle: (hasSlot: boolean) => void;
}

export class AnswerSlots {
  readonly #slots = new SharedSlots<number>(MOST, MOST_EACH);
  readonly #places = new SharedSlots<number>(MOST_WAITING, MOST_WAITING_EACH);
  readonly #line = new Set<Waiting>();
  readonly #patienceMs: number;

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  /** False when there was no slot for too long, or too many wait; otherwise `leave` must follow, once. */
  async take(sharer: number, isGone: () => boolean): Promise<boolean> {
    if (this.#slots.take(sharer)) return true;
    if (!this.#places.take(sharer)) return false;
    let timer: NodeJS.Timeout | undefined;
    const hasSlot = await new Promise<boolean>((settle) => {
      const waiting = { sharer, isGone, settle };
      this.#line.add(waiting);
      timer = setTimeout(() => this.#line.delete(waiting) && settle(false), this.#patienceMs);
    });
    clearTimeout(timer);
    this.#places.leave(sharer);
    return hasSlot;
  }

  leave(sharer: number): void {
    this.#slots.leave(sharer);
    for (const waiting of this.#line) {
      const isGone = waiting.isGone();
      if (!isGone && !this.#slots.take(waiting.sharer)) continue;
      this.#line.delete(waiting);
      waiting.settle(!isGone);
      if (!isGone) return;
    }
  }
}
