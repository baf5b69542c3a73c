/**
 * Payments whose end is known, so that they needn't be reported again when they are read again: the youngest by the
 * chain's time, and so many at most, however busy an address is.
 */
const MAX_PAYMENTS = 20_000;

export class SeenPayments {
  /** By name, the times; older ones than `fromMs` are not kept. */
  readonly #times = new Map<string, number>();
  #fromMs = 0;

  get size(): number {
    return this.#times.size;
  }

  /** The payments before this time are not known, Unix milliseconds. */
  get fromMs(): number {
    return this.#fromMs;
  }

  has(name: string): boolean {
    return this.#times.has(name);
  }

  add(name: string, at: number): void {
    if (at < this.#fromMs) return;
    this.#times.set(name, at);
    if (this.size <= MAX_PAYMENTS) return;
    const times = Float64Array.from(this.#times.values()).sort();
    this.forgetBefore((times[MAX_PAYMENTS / 4] ?? at) + 1);
  }

  forgetBefore(fromMs: number): void {
    if (fromMs <= this.#fromMs) return;
    this.#fromMs = fromMs;
    for (const [name, at] of this.#times) if (at < fromMs) this.#times.delete(name);
  }
}
