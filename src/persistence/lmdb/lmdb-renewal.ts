/**
 * Opens a file anew that the library has given up.
 *
 * A commit ends with a write to one of the two meta pages. When that write fails, the library puts back what was there
 * and marks the environment for good: every transaction after it fails, of readers too, although the file is sound. All
 * handles to a file in a process, whichever thread has them, share one environment, so the mark goes only when the last
 * of them is closed. Therefore: a thread that meets the mark closes its own handle and asks the other threads to close
 * theirs, again and again, until the file that it opens has no mark. A handle that was let go of is opened by its next
 * use. A thread that has a file open has one handle to it: while it waits it can't ask another one of its own.
 * Rejected: starting the threads, or the node, again; for what a moment without room has done, too much would break.
 */
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BroadcastChannel } from 'node:worker_threads';

/** Threads answer between two ticks, and a tick of a fold or an upload may take seconds. */
const RENEWAL_MS = 60_000;
/** A thread stands still meanwhile. */
const BLOCKING_RENEWAL_MS = 3_000;
const LOOK_INTERVAL_MS = 20;

const EINVAL = 22;
const MDB_PANIC = -30795;

/** Whether a read or a write failed because the environment is marked. */
export function isGivenUp(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === EINVAL || code === MDB_PANIC;
}

export interface RenewalOptions {
  readonly file: string;
  /** Another handle to the file asks for it. */
  readonly onLetGo: () => void;
  /** Closes the handle until its next use. */
  readonly letGo: () => Promise<void>;
  /** Closes the handle at once. Throws where writes were left to the library's own thread. */
  readonly letGoNow: () => void;
  /** Whether the file can be read, opened if need be. */
  readonly proves: () => boolean;
}

export class Renewal {
  readonly #options: RenewalOptions;
  readonly #channel: BroadcastChannel;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#channel = new BroadcastChannel(`purser-lmdb ${resolve(options.file)}`);
    this.#channel.onmessage = () => options.onLetGo();
    this.#channel.unref();
  }

  /** Resolves when the file can be used. Rejects after a minute. */
  async renew(): Promise<void> {
    const { letGo, proves, file } = this.#options;
    const endMs = performance.now() + RENEWAL_MS;
    while (!proves()) {
      if (performance.now() > endMs) throw new Error(`${file} can't be opened again after a failed write`);
      await letGo();
      this.#channel.postMessage(undefined);
      await delay(LOOK_INTERVAL_MS);
    }
  }

  /** The result of `read`, when needed from the file opened anew: the thread stands still meanwhile. */
  keep<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      if (!isGivenUp(error)) throw error;
      this.#renewNow();
      return read();
    }
  }

  close(): void {
    this.#channel.close();
  }

  #renewNow(): void {
    const { letGoNow, proves } = this.#options;
    const endMs = performance.now() + BLOCKING_RENEWAL_MS;
    const nobody = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    while (!proves() && performance.now() < endMs) {
      letGoNow();
      this.#channel.postMessage(undefined);
      Atomics.wait(nobody, 0, 0, LOOK_INTERVAL_MS);
    }
  }
}
