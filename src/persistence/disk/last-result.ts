/**
 * The result of the last run of work that a node does now and then by itself, and since when runs count: a small file
 * of the data folder, so that a start knows both.
 *
 * Invariant: a file that is missing, or isn't ours, is as none: then counting begins anew. One that can't be written
 * costs a start that knowledge, and nothing else. A time that lies in the future is of a clock that was wrong: it
 * counts from the moment at which that is seen, so nothing waits until the clock has got there.
 */
import { readFileSync } from 'node:fs';
import { writeDurably } from './durable-file.ts';

interface Kept<Result> {
  /** Unix milliseconds. */
  readonly since: number;
  readonly last: Result | null;
}

export class LastResult<Result extends { readonly at: number }> {
  readonly #file: string;
  /** Unix milliseconds. */
  readonly #clock: () => number;
  readonly #onTrouble: (error: unknown) => void;
  #kept: Kept<Result>;
  /** When a time was seen that lies in the future. */
  #seenMs: number | undefined;

  /** Writes nothing yet. */
  constructor(file: string, clock: () => number, onTrouble: (error: unknown) => void) {
    this.#file = file;
    this.#clock = clock;
    this.#onTrouble = onTrouble;
    this.#kept = readKept<Result>(file) ?? { since: clock(), last: null };
  }

  /** Null before the first. */
  get last(): Result | null {
    return this.#kept.last;
  }

  /** Milliseconds since the last run ended, or else since runs have been due. */
  get ageMs(): number {
    return this.#ageOf(this.last?.at ?? this.#kept.since);
  }

  /** Milliseconds since runs count. */
  get sinceMs(): number {
    return this.#ageOf(this.#kept.since);
  }

  /** Whether the last one ended in the future. */
  get isAhead(): boolean {
    return this.last !== null && this.last.at > this.#clock();
  }

  /** Before the first one, too, it is kept since when they are due. */
  begin(): void {
    if (this.last === null) this.#keep();
  }

  set(last: Result, since = this.#kept.since): void {
    this.#seenMs = undefined;
    this.#kept = { since, last };
    this.#keep();
  }

  #ageOf(atMs: number): number {
    const nowMs = this.#clock();
    if (atMs <= nowMs) return nowMs - atMs;
    this.#seenMs = Math.min(this.#seenMs ?? nowMs, nowMs);
    return nowMs - this.#seenMs;
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
