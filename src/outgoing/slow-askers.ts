/**
 * Who has had a look-up lately that took long, whatever came of it. A bounded number: of too many, those longest ago
 * are forgotten first.
 *
 * A quick look-up doesn't clear a name before its time: strangers would make one before each slow one.
 */
import { LatestEntries } from './latest-entries.ts';

const REMEMBERED_MS = 10 * 60 * 1_000;
const MAX_REMEMBERED = 8_192;

export class SlowAskers {
  readonly #nowMs: () => number;
  /** Until when. */
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
