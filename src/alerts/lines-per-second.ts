/**
 * How many lines something may have in the log: so many a second. The others are counted by their kinds, and the counts
 * are told at the end of the second. So a flood neither fills the operator's disk nor blocks the thread, for which each
 * line is a write.
 */

export type LeftOut = Readonly<Record<string, number>>;

export class LinesPerSecond {
  readonly #most: number;
  readonly #tell: (leftOut: LeftOut) => void;
  #lines = 0;
  #leftOut: Record<string, number> = {};
  #second: NodeJS.Timeout | undefined;

  constructor(most: number, tell: (leftOut: LeftOut) => void) {
    this.#most = most;
    this.#tell = tell;
  }

  /** Lines of this second so far. */
  get lines(): number {
    return this.#lines;
  }

  /** Whether there may be another line now; if not, it is counted. There must be few kinds. */
  take(kind: string): boolean {
    this.#second ??= setTimeout(() => this.stop(), 1_000).unref();
    if (this.#lines < this.#most) {
      this.#lines += 1;
      return true;
    }
    this.#leftOut[kind] = (this.#leftOut[kind] ?? 0) + 1;
    return false;
  }

  /** Ends the second now. */
  stop(): void {
    clearTimeout(this.#second);
    this.#second = undefined;
    this.#lines = 0;
    if (Object.keys(this.#leftOut).length > 0) this.#tell(this.#leftOut);
    this.#leftOut = {};
  }
}
