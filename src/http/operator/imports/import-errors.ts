/** Errors in the lines of a table: all of them are counted, and the first are told. */

/** The most errors, and the most lines of a dry run, that an answer tells. */
export const MAX_TOLD_LINES = 100;

export interface ImportError {
  /** The line of the file where the record begins; the header is 1. */
  readonly line: number;
  readonly column: string;
  /** A sentence. */
  readonly message: string;
}

export class ImportErrors {
  readonly first: ImportError[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(line: number, column: string, message: string): void {
    this.#count += 1;
    if (this.first.length < MAX_TOLD_LINES) this.first.push({ line, column, message });
  }
}
