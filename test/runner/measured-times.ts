/**
 * How long the jobs of the last run took, in `dist/test-times.json`: the longest start first, so that none of them is left
 * alone at the end. A job that was never measured counts as long. A file that can't be read costs time and nothing else.
 */
import { readFileSync, writeFileSync } from 'node:fs';

export class MeasuredTimes {
  readonly #file: string;
  readonly #tookMs: Map<string, number>;

  constructor(file: string) {
    this.#file = file;
    this.#tookMs = new Map(Object.entries(readTimes(file)));
  }

  longestFirst<T extends { readonly name: string }>(jobs: readonly T[]): T[] {
    const took = ({ name }: T) => this.#tookMs.get(name) ?? Number.MAX_SAFE_INTEGER;
    return jobs.toSorted((a, b) => took(b) - took(a));
  }

  note(name: string, tookMs: number): void {
    this.#tookMs.set(name, Math.round(tookMs));
  }

  keep(): void {
    writeFileSync(this.#file, JSON.stringify(Object.fromEntries(this.#tookMs), null, 1));
  }
}

function readTimes(file: string): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
  } catch {
    return {};
  }
}
