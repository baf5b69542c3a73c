/**
 * The clock that retries go by: the wall clock, but it never goes back.
 *
 * A wall clock that is set back an hour must not put off what is due, and one that a suspended machine finds far ahead
 * has to be followed. So the clock shows the later one of what it was plus the time that has passed since, and the wall
 * clock; what it has reached is kept on disk, so that a restart doesn't set it back either. The price: a wall clock
 * that was wrongly ahead makes the times that are shown to operators wrong until it has caught up; the waits between
 * attempts are right all the same.
 */
export interface Clocks {
  /** Unix milliseconds. */
  readonly wallMs: () => number;
  /** Milliseconds since some moment; only goes forward. */
  readonly monotonicMs: () => number;
}

export class ScheduleClock {
  readonly #clocks: Clocks;
  #reachedMs: number;
  #reachedAtMs: number;

  /** The clock had reached `reachedMs` (Unix milliseconds) before. */
  constructor(clocks: Clocks, reachedMs: number) {
    this.#clocks = clocks;
    this.#reachedMs = reachedMs;
    this.#reachedAtMs = clocks.monotonicMs();
  }

  /** Whole Unix milliseconds. */
  nowMs(): number {
    const { wallMs, monotonicMs } = this.#clocks;
    const passedMs = Math.floor(monotonicMs() - this.#reachedAtMs);
    if (passedMs > 0) {
      this.#reachedMs += passedMs;
      this.#reachedAtMs += passedMs;
    }
    this.#reachedMs = Math.max(this.#reachedMs, Math.floor(wallMs()));
    return this.#reachedMs;
  }
}
