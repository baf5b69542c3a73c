/** How long a thread could have run and did not, because others had the processors. Linux only; elsewhere 0. */
import { ProcFile } from '../../../persistence/proc-file.ts';

const NANOSECONDS_PER_MS = 1e6;

export class ProcessorWait {
  readonly #times: ProcFile;

  private constructor(times: ProcFile) {
    this.#times = times;
  }

  /** Of the calling thread. */
  static open(): ProcessorWait {
    return new ProcessorWait(ProcFile.open('/proc/thread-self/schedstat'));
  }

  /** Milliseconds since the thread began. */
  read(): number {
    // Time on a processor, time waiting for one, and how often it had one.
    const [, waitedNs = 0] = this.#times.read().split(' ');
    return Number(waitedNs) / NANOSECONDS_PER_MS;
  }

  close(): void {
    this.#times.close();
  }
}
