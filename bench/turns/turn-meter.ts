/**
 * The longest turn of this thread's event loop: by the clock, and by the processor, which doesn't count what else the
 * machine does. The system brings the latter up to date with each of its ticks, 4 ms at most.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { threadId } from 'node:worker_threads';

export interface LongestTurn {
  readonly clockMs: number;
  readonly processorMs: number;
}

export class TurnMeter {
  readonly #file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  readonly #bytes = Buffer.alloc(64);
  #clockMs = 0;
  #processorMs = 0;
  #longest: { clockMs: number; processorMs: number } = { clockMs: 0, processorMs: 0 };
  #next: NodeJS.Immediate | undefined;

  constructor() {
    if (threadId !== 0) throw new Error('only the main thread is measured');
  }

  start(): void {
    this.#longest = { clockMs: 0, processorMs: 0 };
    this.#look();
    this.#next = setImmediate(() => this.#turned());
  }

  stop(): LongestTurn {
    clearImmediate(this.#next);
    return this.#longest;
  }

  close(): void {
    closeSync(this.#file);
  }

  #turned(): void {
    const { clockMs, processorMs } = this.#longest;
    const [clockBefore, processorBefore] = [this.#clockMs, this.#processorMs];
    this.#look();
    this.#longest = {
      clockMs: Math.max(clockMs, this.#clockMs - clockBefore),
      processorMs: Math.max(processorMs, this.#processorMs - processorBefore),
    };
    this.#next = setImmediate(() => this.#turned());
  }

  #look(): void {
    const length = readSync(this.#file, this.#bytes, 0, this.#bytes.length, 0);
    this.#processorMs = Number.parseInt(this.#bytes.toString('latin1', 0, length), 10) / 1e6;
    this.#clockMs = performance.now();
  }
}
