/**
 * A sliding window for everybody who did something lately: keys, addresses, accounts.
 *
 * Two generations: a window that is written to moves to the current one, and what a whole window's length has
 * not been written to is empty by definition and goes with its generation, all at once. The number of windows
 * is bounded: when there are too many, those that were not written to for longest are forgotten early. So the
 * bound errs towards letting somebody through, never towards locking anybody out.
 */
import type { SlidingWindow } from './sliding-window.ts';

export interface WindowTableOptions<Window> {
  /** Makes an empty window. */
  readonly open: () => Window;
  /** The length of every window. */
  readonly windowMs: number;
  /** Most windows remembered, at least 2. */
  readonly maxWindows: number;
}

export class WindowTable<Key, Window extends SlidingWindow = SlidingWindow> {
  readonly #options: WindowTableOptions<Window>;
  #current = new Map<Key, Window>();
  #previous = new Map<Key, Window>();
  #rotatedAtMs = 0;

  constructor(options: WindowTableOptions<Window>) {
    this.#options = options;
  }

  /** Windows remembered, a few of them empty. */
  get size(): number {
    return this.#current.size + this.#previous.size;
  }

  /** The window of a key, to be read. */
  find(key: Key): Window | undefined {
    return this.#current.get(key) ?? this.#previous.get(key);
  }

  /** The window of a key, to be written to; made when there is none. `nowMs` must not go backwards. */
  open(key: Key, nowMs: number): Window {
    this.#rotate(nowMs);
    const known = this.#current.get(key);
    if (known !== undefined) return known;
    const window = this.#previous.get(key) ?? this.#options.open();
    this.#previous.delete(key);
    this.#current.set(key, window);
    return window;
  }

  delete(key: Key): void {
    this.#current.delete(key);
    this.#previous.delete(key);
  }

  #rotate(nowMs: number): void {
    const { windowMs, maxWindows } = this.#options;
    const ageMs = nowMs - this.#rotatedAtMs;
    if (ageMs < windowMs && 2 * this.#current.size < maxWindows) return;
    this.#previous = ageMs < 2 * windowMs ? this.#current : new Map();
    this.#current = new Map();
    this.#rotatedAtMs = nowMs;
  }
}
