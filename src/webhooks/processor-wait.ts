/** How long a thread could have run and did not, because others had the processors. Linux only; elsewhere 0. */
import { closeSync, openSync, readSync } from 'node:fs';

const MAX_LINE_BYTES = 128;
const NANOSECONDS_PER_MS = 1e6;

export class ProcessorWait {
  readonly #file: number | undefined;
  readonly #line = Buffer.alloc(MAX_LINE_BYTES);

  private constructor(file: number | undefined) {
    this.#file = file;
  }

  /** Of the calling thread. */
  static open(): ProcessorWait {
    try {
      return new ProcessorWait(openSync('/proc/thread-self/schedstat', 'r'));
    } catch {
      return new ProcessorWait(undefined);
    }
  }

  /** Milliseconds since the thread began. */
  read(): number {
    if (this.#file === undefined) return 0;
    const length = readSync(this.#file, this.#line, 0, MAX_LINE_BYTES, 0);
    // Time on a processor, time waiting for one, and how often it had one.
    const [, waitedNs = 0] = this.#line.toString('latin1', 0, length).split(' ');
    return Number(waitedNs) / NANOSECONDS_PER_MS;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}
