/**
 * The ids of the rows that facts have changed, for the fold that writes those rows into the checkpoint.
 *
 * The tables note them, so nobody lists a second time what a fact changes. Only the fold collects them; a purchase
 * pays for a count and one comparison with undefined.
 */
export class ChangedRows {
  #ids: Set<number> | undefined;
  #version = 0;

  /** Another number after each change: for who made something of the rows. */
  get version(): number {
    return this.#version;
  }

  /** From now on ids are collected. */
  collect(): void {
    this.#ids = new Set();
  }

  note(id: number): void {
    this.#version += 1;
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
