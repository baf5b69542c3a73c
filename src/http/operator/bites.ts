/** Long reads on the main thread, in bites of at most 2 ms, between which purchases have their turns. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const BITE_MS = 2;

export class Bites {
  #beganMs = performance.now();

  /** Whether it is time to `rest`. */
  get isFull(): boolean {
    return performance.now() - this.#beganMs >= BITE_MS;
  }

  /** Ends the bite: purchases have their turns, which may change what was read before. */
  async rest(): Promise<void> {
    await nextTurn();
    this.#beganMs = performance.now();
  }
}
