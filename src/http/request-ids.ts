/** Gives each request its id: the time, and a count within the millisecond (`request-number.ts`). */
import { EPOCH_MS, PER_MS, PREFIX } from '../engine/request-number.ts';

export class RequestIds {
  readonly #clock: () => number;
  #ms = 0;
  #count = 0;
  #prefix = '';

  /** `clock` is in Unix milliseconds. No id has a time before `sinceMs`. */
  constructor(clock: () => number, sinceMs = 0) {
    this.#clock = clock;
    this.#begin(Math.max(EPOCH_MS, sinceMs) + 1);
  }

  next(): string {
    const nowMs = this.#clock();
    if (nowMs > this.#ms) this.#begin(nowMs);
    else if (this.#count >= PER_MS) this.#begin(this.#ms + 1);
    const id = this.#prefix + this.#count;
    this.#count += 1;
    return id;
  }

  #begin(ms: number): void {
    this.#ms = ms;
    this.#count = 0;
    this.#prefix = `${PREFIX}${ms}_`;
  }
}
