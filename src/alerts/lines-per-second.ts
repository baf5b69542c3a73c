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
    if (this.#lines >= this.#most) {
      this.leaveOut(kind, 1);
      return false;
    }
    this.#startSecond();
    this.#lines += 1;
    return true;
  }

  /** Counts what gets no line in any case. */
  leaveOut(kind: string, count: number): void {
    this.#startSecond();
    this.#leftOut[kind] = (this.#leftOut[kind] ?? 0) + count;
  }

  /** Ends the second now. */
  stop(): void {
    clearTimeout(this.#second);
    this.#second = undefined;
    this.#lines = 0;
    if (Object.keys(this.#leftOut).length > 0) this.#tell(this.#leftOut);
    this.#leftOut = {};
  }

  #startSecond(): void {
    this.#second ??= setTimeout(() => this.stop(), 1_000).unref();
  }
}
