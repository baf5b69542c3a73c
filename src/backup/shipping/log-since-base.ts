/**
 * The chunks of `log` that continue the base: with them, a manifest has all, also when the base is a day behind.
 *
 * Bounded: of more than `MAX_CHUNKS` the oldest are forgotten, and the base must come further before they are complete
 * again.
 */
import type { WrittenChunk } from './series-writer.ts';

export const MAX_CHUNKS = 10_000;

export class LogSinceBase {
  #chunks: WrittenChunk[] = [];
  /** Number of the last chunk of which the base has all. */
  #through: number;

  constructor(through: number) {
    this.#through = through;
  }

  get through(): number {
    return this.#through;
  }

  /** Whether it is time for the base to come further. */
  get isFull(): boolean {
    return this.#chunks.length >= MAX_CHUNKS;
  }

  add(chunk: WrittenChunk): void {
    this.#chunks.push(chunk);
    if (this.#chunks.length > 2 * MAX_CHUNKS) this.#chunks = this.#chunks.slice(MAX_CHUNKS);
  }

  /**
   * The base has come to `position`. Chunks that end there stay: behind their last frame they may have what the next
   * one names, or newer queues.
   */
  covered(position: number): void {
    const firstLeft = this.#chunks.findIndex(({ head: { to } }) => to.position >= position);
    const covered = this.#chunks.splice(0, firstLeft < 0 ? this.#chunks.length : firstLeft);
    this.#through = covered.at(-1)?.head.number ?? this.#through;
  }

  /** All from `position` to `end`; undefined when some aren't known. */
  between(position: number, end: number): readonly WrittenChunk[] | undefined {
    let to = position;
    for (const { head } of this.#chunks) {
      if (head.from.position > to) return undefined;
      to = head.to.position;
    }
    return to >= end ? this.#chunks : undefined;
  }
}
