/**
 * How often values up to each bound came, all together, and their sum: what Prometheus makes quantiles of.
 *
 * Counting is a look-up among a few bounds and three additions in place, and makes no object, because every purchase pays
 * for it. The unit is that of who counts. Rejected: a metrics library's own, which looks labels up by text.
 */

/** As Prometheus wants them. */
export interface HistogramFigures {
  /** Ascending. */
  readonly bounds: readonly number[];
  /** One for each bound, the values up to it; cumulative. */
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}

export class Histogram {
  readonly #bounds: readonly number[];
  /** One for each bound, one for what is beyond all of them, and the sum: in an array, no number is boxed. */
  readonly #numbers: Float64Array;
  readonly #sumAt: number;

  /** `bounds` ascend. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#sumAt = bounds.length + 1;
    this.#numbers = new Float64Array(bounds.length + 2);
  }

  add(value: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
    this.#increase(at, 1);
    this.#increase(this.#sumAt, value);
  }

  get figures(): HistogramFigures {
    let count = 0;
    const upTo = (_: unknown, at: number) => {
      count += this.#numbers[at] ?? 0;
      return count;
    };
    const counts = this.#bounds.map(upTo);
    upTo(undefined, this.#bounds.length);
    return { bounds: this.#bounds, counts, count, sum: this.#numbers[this.#sumAt] ?? 0 };
  }

  #increase(at: number, by: number): void {
    this.#numbers[at] = (this.#numbers[at] ?? 0) + by;
  }
}
