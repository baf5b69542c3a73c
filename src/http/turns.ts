/**
 * Turns of the event loop for answers that take long: each makes a slice in its turn, and there is one slice in a turn,
 * however many answers are being made. So nobody else waits longer than for one slice. Rejected: each answer with turns
 * of its own, of which the loop takes all at once.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a turn that nobody else has; the slice must follow at once. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#schedule();
    });
  }

  #schedule(): void {
    setImmediate(() => {
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
