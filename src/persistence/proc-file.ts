/**
 * What Linux says of the process, or of the thread that opens it, in a file below `/proc`: opened once, and read anew
 * each time. Elsewhere nothing is known.
 */
import { closeSync, openSync, readSync } from 'node:fs';

const MAX_BYTES = 4_096;

export class ProcFile {
  readonly #file: number | undefined;
  readonly #text = Buffer.alloc(MAX_BYTES);

  private constructor(file: number | undefined) {
    this.#file = file;
  }

  static open(path: string): ProcFile {
    try {
      return new ProcFile(openSync(path, 'r'));
    } catch {
      return new ProcFile(undefined);
    }
  }

  /** Empty where nothing is known. */
  read(): string {
    if (this.#file === undefined) return '';
    const length = readSync(this.#file, this.#text, 0, MAX_BYTES, 0);
    return this.#text.toString('latin1', 0, length);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}
