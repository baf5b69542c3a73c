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

  /** Rejects when closed before its turn has come. */
  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#underWay >= MAX_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#underWay += 1;
    try {
      if (this.#isClosed) throw new Error('the node stops');
      return await work();
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
