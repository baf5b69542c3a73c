/**
 * Which whole numbers have been seen: exact, a bit each, in pages made on first use.
 *
 * A `Set` of ten million numbers takes hundreds of megabytes; order ids and item serials are dense.
 */
const bitsPerPage = 65_536;
const maxPages = 16_384;

export class SeenNumbers {
  readonly #pages = new Map<number, Uint32Array>();

  /** False when the number had been seen before. `value` is a safe integer of at least 0. */
  add(value: number): boolean {
    const page = this.#page(Math.floor(value / bitsPerPage));
    const bit = value % bitsPerPage;
    const mask = 1 << (bit & 31);
    const word = page[bit >>> 5] ?? 0;
    page[bit >>> 5] = word | mask;
    return (word & mask) === 0;
  }

  #page(number: number): Uint32Array {
    const known = this.#pages.get(number);
    if (known !== undefined) return known;
    if (this.#pages.size === maxPages) throw new Error('the numbers are too many, or too far apart, to keep');
    const page = new Uint32Array(bitsPerPage / 32);
    this.#pages.set(number, page);
    return page;
  }
}
