/** The violations that were found: the first few in words, all of them counted. */
const maxKept = 20;

export class Violations {
  readonly #kept: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(sentence: string): void {
    this.#count += 1;
    if (this.#kept.length < maxKept) this.#kept.push(sentence);
  }

  /** One line each, and how many more there were. */
  lines(): string[] {
    const more = this.#count - this.#kept.length;
    return more === 0 ? [...this.#kept] : [...this.#kept, `… and ${more} more`];
  }
}
