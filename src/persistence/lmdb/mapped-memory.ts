/**
 * How much the process has of files in memory: its programs, and the pages of all mapped files that were touched
 * and that the system has not taken back.
 */
import { closeSync, openSync, readSync } from 'node:fs';

export class MappedMemory {
  readonly #file: number | undefined;
  readonly #text = Buffer.alloc(4_096);

  private constructor(file: number | undefined) {
    this.#file = file;
  }

  /** Linux only; elsewhere nothing is known. */
  static open(): MappedMemory {
    try {
      return new MappedMemory(openSync('/proc/self/status', 'r'));
    } catch {
      return new MappedMemory(undefined);
    }
  }

  /** In bytes; 0 where nothing is known. */
  read(): number {
    if (this.#file === undefined) return 0;
    const length = readSync(this.#file, this.#text, 0, this.#text.length, 0);
    const kibibytes = /^RssFile:\s+(\d+) kB$/m.exec(this.#text.toString('latin1', 0, length))?.[1];
    return Number(kibibytes ?? 0) * 1_024;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}
