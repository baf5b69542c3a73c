/** Long work of a thread, in slices of at most 2 ms, between which others have their turns. */
import { ownTick } from './event-loop.ts';

const SLICE_MS = 2;

export class Slices {
  #beganMs = performance.now();

  /** Whether it is time to `rest`. */
  get isFull(): boolean {
    return performance.now() - this.#beganMs >= SLICE_MS;
  }

  /** Ends the slice: purchases have their turns, which may change what was read before. */
  async rest(): Promise<void> {
    await ownTick();
    this.#beganMs = performance.now();
  }
}
