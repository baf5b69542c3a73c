/** Long work of a thread, in bites of at most 2 ms, between which others have their turns. */
import { ownTurn } from './turns.ts';

const BITE_MS = 2;

export class Bites {
  #beganMs = performance.now();

  /** Whether it is time to `rest`. */
  get isFull(): boolean {
    return performance.now() - this.#beganMs >= BITE_MS;
  }

  /** Ends the bite: purchases have their turns, which may change what was read before. */
  async rest(): Promise<void> {
    await ownTurn();
    this.#beganMs = performance.now();
  }
}
