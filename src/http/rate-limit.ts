/**
 * Requests per sliding minute and account (SPEC.md §8): at any moment at most `limit` in the minute before it.
 *
 * Exact: it remembers the time of each admitted request of the last minute. A fixed window would let twice
 * the limit through around its edge. Memory is bounded by what was admitted: a window that was not used for
 * a minute is empty by definition, and is dropped.
 */

const WINDOW_MS = 60_000;

/** The times of the last `limit` admitted requests, in a ring. */
class Window {
  readonly #admittedAtMs: Float64Array;
  #next = 0;

  constructor(limit: number) {
    this.#admittedAtMs = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  }

  get limit(): number {
    return this.#admittedAtMs.length;
  }

  /** 0 when admitted, else the milliseconds until a request would be. */
  admit(nowMs: number): number {
    const oldestMs = this.#admittedAtMs[this.#next] ?? Number.NEGATIVE_INFINITY;
    const waitMs = oldestMs + WINDOW_MS - nowMs;
    if (waitMs > 0) return waitMs;
    this.#admittedAtMs[this.#next] = nowMs;
    this.#next = (this.#next + 1) % this.#admittedAtMs.length;
    return 0;
  }
}

export class RateLimiter {
  #current = new Map<string, Window>();
  #previous = new Map<string, Window>();
  #rotatedAtMs = 0;

  /**
   * 0 when the request is admitted, else the milliseconds until one would be. `nowMs` must not go backwards.
   * A changed limit starts an empty window.
   */
  admit(id: string, limit: number, nowMs: number): number {
    this.#rotate(nowMs);
    let window = this.#current.get(id) ?? this.#previous.get(id);
    if (window?.limit !== limit) window = new Window(limit);
    this.#current.set(id, window);
    return window.admit(nowMs);
  }

  #rotate(nowMs: number): void {
    if (nowMs - this.#rotatedAtMs < WINDOW_MS) return;
    this.#previous = nowMs - this.#rotatedAtMs < 2 * WINDOW_MS ? this.#current : new Map();
    this.#current = new Map();
    this.#rotatedAtMs = nowMs;
  }
}
