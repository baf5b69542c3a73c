/**
 * How many downloads may read from the disk at one moment, in the order of arrival.
 *
 * Reads and the journal's commits share the process's thread pool: on a disk that answers slowly, readers
 * without a limit would take all of it and every purchase would wait for them. The queue needs no bound of its
 * own: each open file waits for at most one read.
 */
export class ReadTurns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<Result>(read: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await read();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
