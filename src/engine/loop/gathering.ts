/**
 * Whether a small group of facts waits a moment for more before it is written.
 *
 * A commit takes some 100 µs of processors' time however few facts it has, and of clients that come one by one each
 * would have a commit of its own. So a group waits as long as it is smaller than what a commit and the one after it
 * usually have together when the first of them lands: whoever got an answer then is likely to be back, and others to
 * come. Buyers that are alone, or that all wait for this very group, lose nothing; nobody loses more than `GATHER_MS`.
 *
 * Rejected: to wait always, with which a client that was alone was three times slower; and to wait when processors are
 * short only, which says nothing of whether anybody else will come.
 */

/** The longest that a group waits. */
export const GATHER_MS = 1;
/** A group of so many is large enough: its commit costs each of them little. */
const ENOUGH = 16;
/** The latest commit's share of the average. */
const WEIGHT = 1 / 16;

/** Runs a function after some milliseconds. */
export type Later = (run: () => void, delayMs: number) => void;

export class Gathering {
  readonly #later: Later | undefined;
  #usual = 1;
  /** The group that waits, or waited last, and whether its time is over. */
  #waiting: object | undefined;
  #isOver = false;

  /** Without `later` no group waits. */
  constructor(later?: Later) {
    this.#later = later;
  }

  /**
   * True while `group` waits for more, `GATHER_MS` at most: then `whenOver` is called. `facts` is the group's size,
   * with the facts that are sure to come.
   */
  holdsBack(group: object, facts: number, whenOver: () => void): boolean {
    if (group !== this.#waiting) this.#isOver = false;
    if (this.#later === undefined || this.#isOver || !this.isWorthWaiting(facts)) return false;
    if (group !== this.#waiting) {
      this.#waiting = group;
      this.#later(() => {
        if (group !== this.#waiting) return;
        this.#isOver = true;
        whenOver();
      }, GATHER_MS);
    }
    return true;
  }

  /** A commit has landed; so many facts it had, together with those that the next one has already. */
  landed(facts: number): void {
    this.#usual += (Math.min(facts, ENOUGH) - this.#usual) * WEIGHT;
  }

  /** So many would be written now. */
  isWorthWaiting(facts: number): boolean {
    return facts < ENOUGH && facts + 0.5 < this.#usual;
  }
}
