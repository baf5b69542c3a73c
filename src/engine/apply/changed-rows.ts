/**
 * The ids of the rows that facts have changed, for the fold that writes those rows into the checkpoint.
 *
 * The tables note them, so nobody lists a second time what a fact changes. Only the fold collects them; a purchase
 * pays for one comparison with undefined.
 */
export class ChangedRows {
  #ids: Set<number> | undefined;

  /** From now on ids are collected. */
  collect(): void {
    this.#ids = new Set();
  }

  note(id: number): void {
    this.#ids?.add(id);
  }

  /** How many ids are noted. */
  get size(): number {
    return this.#ids?.size ?? 0;
  }

  /** The ids noted since the last call. */
  take(): ReadonlySet<number> {
    const ids = this.#ids;
    this.collect();
    return ids ?? new Set();
  }
}
