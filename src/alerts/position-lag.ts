/**
 * The time for which a reader of the journal has been behind, and not its number of facts, which says little, for a
 * fold or a round of the outbox takes thousands at once.
 *
 * Each look may leave a mark: how far the journal was durable, and when. Marks that were reached are dropped, so the
 * age of the oldest one left is how long something has been waiting. The age is never too much, and too little by the
 * time between two looks, or a thirty-second of the limit.
 */

interface Mark {
  readonly position: number;
  readonly atMs: number;
}

/** More are not kept: the oldest is what counts. */
const MOST_MARKS = 64;
const MARKS_WITHIN_LIMIT = 32;

export class PositionLag {
  readonly #spacingMs: number;
  readonly #marks: Mark[] = [];

  /** `limitMs` is what is asked about. */
  constructor(limitMs: number) {
    this.#spacingMs = limitMs / MARKS_WITHIN_LIMIT;
  }

  /** Milliseconds; 0 when all that was seen before has been reached. `nowMs` never goes backwards. */
  look(nowMs: number, durable: number, reached: number): number {
    const firstLeft = this.#marks.findIndex(({ position }) => position > reached);
    this.#marks.splice(0, firstLeft < 0 ? this.#marks.length : firstLeft);
    const last = this.#marks.at(-1);
    const isNew = durable > Math.max(reached, last?.position ?? 0);
    const isDue = last === undefined || nowMs - last.atMs >= this.#spacingMs;
    if (isNew && isDue && this.#marks.length < MOST_MARKS)
      this.#marks.push({ position: durable, atMs: nowMs });
    return nowMs - (this.#marks[0]?.atMs ?? nowMs);
  }
}
