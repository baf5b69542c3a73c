/**
 * Texts that operators give to rows of a table, such as an account's `externalId`: no two rows have the same one. Made by
 * `apply` alone, like the table itself.
 */
import { BrokenInvariantError } from './apply/broken-invariant.ts';

export class UniqueTexts {
  readonly #ids = new Map<string, number>();

  /** The row that has the text. */
  idOf(text: string): number | undefined {
    return this.#ids.get(text);
  }

  /** The row has `after` from now on, in place of `before`; undefined is none. */
  move(id: number, before: string | undefined, after: string | undefined): void {
    if (before === after) return;
    if (before !== undefined) this.#ids.delete(before);
    if (after === undefined) return;
    if (this.#ids.has(after)) throw new BrokenInvariantError(`${after} is of two rows`);
    this.#ids.set(after, id);
  }
}
