/**
 * Lets a bounded number of deliveries be written at once, first come, first served: thousands of suppliers'
 * answers may arrive in the same moment, and the delivery desk refuses what is more than it holds in memory.
 */

/** Of first answers, and of those that come later: half of what the delivery desk takes, the rest is for operators. */
const MAX_AT_ONCE = 16;

export class DeliveryTurns {
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #isClosed = false;

  /** Undefined, and nothing done, when it was closed before the turn came. */
  async take<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#underWay >= MAX_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#underWay += 1;
    try {
      return this.#isClosed ? undefined : await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay -= 1;
      else next();
    }
  }

  close(): void {
    this.#isClosed = true;
  }
}
