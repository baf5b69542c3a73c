/**
 * The events of the last so many milliseconds: a minute's requests, five minutes' failures.
 *
 * Exact: every event is remembered until it is too old, so no stretch of that length ever holds more than was
 * admitted. A fixed window would let twice the limit through around its edge, a token bucket lets a burst through
 * on top of its rate. Events of one millisecond share an entry and leave together with the last of them, so a
 * window of a minute holds 60,001 entries at most (1 MB), however many events there are.
 */

/** Sums of times with fractions may miss by this much; an event that is old but for it, is old. */
export const ROUNDING_MS = 1e-6;

/** The length of the ring at first, in entries: most windows never need more. */
const FIRST_ENTRIES = 4;

export class SlidingWindow {
  readonly #lengthMs: number;
  /** Pairs: the time of the last event of a millisecond, and how many there were. */
  #ring = new Float64Array(2 * FIRST_ENTRIES);
  /** The oldest entry. */
  #head = 0;
  #entries = 0;
  #events = 0;

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  /** Events in the window that ends now. The times given to one window must not go backwards. */
  count(nowMs: number): number {
    this.#dropOld(nowMs);
    return this.#events;
  }

  add(nowMs: number): void {
    this.#dropOld(nowMs);
    this.#events += 1;
    const last = this.#at(this.#entries - 1);
    if (this.#entries > 0 && Math.floor(this.#ring[last] ?? 0) === Math.floor(nowMs)) {
      this.#ring[last] = nowMs;
      this.#ring[last + 1] = (this.#ring[last + 1] ?? 0) + 1;
      return;
    }
    if (2 * this.#entries === this.#ring.length) this.#grow();
    const next = this.#at(this.#entries);
    this.#ring[next] = nowMs;
    this.#ring[next + 1] = 1;
    this.#entries += 1;
  }

  /** Milliseconds until the window holds fewer than `limit` events, which is at least 1; 0 when it does now. */
  waitMs(limit: number, nowMs: number): number {
    this.#dropOld(nowMs);
    let left = this.#events;
    let waitMs = 0;
    for (let entry = 0; left >= limit && entry < this.#entries; entry += 1) {
      const index = this.#at(entry);
      waitMs = this.#lengthMs - (nowMs - (this.#ring[index] ?? 0));
      left -= this.#ring[index + 1] ?? 0;
    }
    return waitMs;
  }

  #dropOld(nowMs: number): void {
    while (this.#entries > 0 && nowMs - (this.#ring[2 * this.#head] ?? 0) >= this.#lengthMs - ROUNDING_MS) {
      this.#events -= this.#ring[2 * this.#head + 1] ?? 0;
      this.#head = (this.#head + 1) % (this.#ring.length / 2);
      this.#entries -= 1;
    }
  }

  /** Where in the ring the entry is, counted from the oldest. */
  #at(entry: number): number {
    return (2 * (this.#head + entry) + this.#ring.length) % this.#ring.length;
  }

  #grow(): void {
    const ring = new Float64Array(2 * this.#ring.length);
    const oldest = 2 * this.#head;
    ring.set(this.#ring.subarray(oldest));
    ring.set(this.#ring.subarray(0, oldest), this.#ring.length - oldest);
    this.#ring = ring;
    this.#head = 0;
  }
}

/** A client's timer may end up to a millisecond early. */
const TIMER_ROUNDING_MS = 1;

/** The `Retry-After` of a wait within a window of that length: whole seconds after which the wait is over. */
export function retryAfterSeconds(waitMs: number, windowMs: number): number {
  return Math.min(Math.ceil((waitMs + TIMER_ROUNDING_MS) / 1000), Math.ceil(windowMs / 1000));
}
