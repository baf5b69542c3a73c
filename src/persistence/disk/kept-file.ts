/**
 * A small file that is written anew whenever what it says has changed. One write at a time; whoever asks amid one gets the
 * next, together with all others who did.
 */
import { keepDurably } from './durable-file.ts';

export class KeptFile {
  readonly #path: string;
  readonly #textOf: () => string;
  /** Under way, or ended. */
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(path: string, textOf: () => string) {
    this.#path = path;
    this.#textOf = textOf;
  }

  /** Resolves once a text that was taken after this call is on disk. Rejects with the file system's errors. */
  keep(): Promise<void> {
    this.#next ??= this.#write(this.#last);
    return this.#next;
  }

  async #write(before: Promise<void>): Promise<void> {
    await before.catch(() => {});
    this.#last = this.#next ?? this.#last;
    this.#next = undefined;
    await keepDurably(this.#path, this.#textOf());
  }
}
