/** Long reads on the main thread, in bites of at most 2 ms, between which purchases have their turns. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const BITE_MS = 2;

export class Bites {
  #beganMs = performance.now();

  /** Whether it is time to `rest`. */
  get isFull(): boolean {
    return performance.now() - this.#beganMs >= BITE_MS;
  }

  /** What was read before may have changed then. */
  async rest(): Promise<void> {
    await nextTurn();
    this.#beganMs = performance.now();
  }
}
