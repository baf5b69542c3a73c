/**
 * What came of the last one of what a node does now and then by itself, and since when that counts: a small file of the data
 * folder, so that a start knows it.
 *
 * What always holds: a file that is missing, or isn't ours, is as none: then it begins anew. One that can't be written costs
 * a start that knowledge, and nothing else.
 */
import { readFileSync } from 'node:fs';
import { writeDurably } from './durable-file.ts';

interface Kept<Result> {
  /** Unix milliseconds. */
  readonly since: number;
  readonly last: Result | null;
}

export class LastResult<Result> {
  readonly #file: string;
  readonly #onTrouble: (error: unknown) => void;
  #kept: Kept<Result>;

  /** Writes nothing yet. */
  constructor(file: string, nowMs: number, onTrouble: (error: unknown) => void) {
    this.#file = file;
    this.#onTrouble = onTrouble;
    this.#kept = readKept<Result>(file) ?? { since: nowMs, last: null };
  }

  /** Null before the first. */
  get last(): Result | null {
    return this.#kept.last;
  }

  get since(): number {
    return this.#kept.since;
  }

  /** Before the first one, too, it is kept since when they are due. */
  begin(): void {
    if (this.last === null) this.#keep();
  }

  set(last: Result, since = this.since): void {
    this.#kept = { since, last };
    this.#keep();
  }

  #keep(): void {
    try {
      writeDurably(this.#file, `${JSON.stringify(this.#kept)}\n`);
    } catch (error) {
      this.#onTrouble(error);
    }
  }
}

function readKept<Result>(file: string): Kept<Result> | undefined {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept<Result>;
    return typeof kept.since === 'number' && typeof kept.last === 'object' ? kept : undefined;
  } catch {
    return undefined;
  }
}
