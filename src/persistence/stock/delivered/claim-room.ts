/**
 * How many texts may be claimed at once: a supplier's thousand late answers come in the same moment, and each may
 * hold ten thousand. Who finds no room waits, first come, first served; whoever has some gives it back without it.
 */

/** All fingerprints together are some ten megabytes. Ten orders of the greatest size, or any number of small ones. */
const MAX_CLAIMED_TEXTS = 100_000;

interface Waiting {
  readonly texts: number;
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

export class ClaimRoom {
  #free: number;
  readonly #waiting: Waiting[] = [];

  constructor(maxTexts = MAX_CLAIMED_TEXTS) {
    this.#free = maxTexts;
  }

  /** Resolves when there is room for `texts`, which are no more than all of it. */
  take(texts: number): Promise<void> {
    return new Promise((start, refuse) => {
      this.#waiting.push({ texts, start, refuse });
      this.#startNext();
    });
  }

  giveBack(texts: number): void {
    this.#free += texts;
    this.#startNext();
  }

  /** Refuses everyone who waits. */
  refuseAll(error: Error): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(error);
  }

  #startNext(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined || next.texts > this.#free) return;
      this.#waiting.shift();
      this.#free -= next.texts;
      next.start();
    }
  }
}
