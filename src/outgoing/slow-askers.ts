/**
 * Remembers who had a slow look-up recently, whatever its result. Bounded: beyond that, the oldest are forgotten.
 *
 * A quick look-up clears nobody early: attackers would make one before each slow one.
 */
import { LatestEntries } from './latest-entries.ts';

const REMEMBERED_MS = 10 * 60 * 1_000;
const MAX_REMEMBERED = 8_192;

export class SlowAskers {
  readonly #nowMs: () => number;
  readonly #until = new LatestEntries<string, number>(MAX_REMEMBERED);

  /** `nowMs`: a monotonic clock, in milliseconds. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(asker: string): void {
    this.#until.set(asker, this.#nowMs() + REMEMBERED_MS);
  }

  has(asker: string): boolean {
    const untilMs = this.#until.get(asker);
    if (untilMs === undefined) return false;
    if (untilMs > this.#nowMs()) return true;
    this.#until.delete(asker);
    return false;
  }
}
