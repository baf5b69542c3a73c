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
/** Of the latest commit in the average. */
const WEIGHT = 1 / 16;

export class Gathering {
  #usual = 1;

  /** A commit has landed; so many facts it had, together with those that the next one has already. */
  landed(facts: number): void {
    this.#usual += (Math.min(facts, ENOUGH) - this.#usual) * WEIGHT;
  }

  /** So many would be written now. */
  isWorthWaiting(facts: number): boolean {
    return facts < ENOUGH && facts + 0.5 < this.#usual;
  }
}
