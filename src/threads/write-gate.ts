/**
 * Lets the process end only between two write transactions of a thread.
 *
 * The library holds a lock for as long as a synchronous transaction lasts. When the process exits, Node stops a
 * thread's program wherever it is, and the library's clean-up in that thread then waits for this lock, which
 * nobody gives back: the process would hang instead of ending. So the exit waits for the transaction under way,
 * and no other one starts. A transaction that takes too long is one that hangs, on a disk that doesn't answer: then the
 * process kills itself, which takes back what is not committed and nothing else. Rejected: the library's asynchronous
 * writes, which wait for their program as well once a batch has begun to be written.
 */
import { strict as assert } from 'node:assert';
import type { Worker } from 'node:worker_threads';

const TAKEN = 1;
const SHUT = 2;

export class WriteGate {
  /** To be handed to the other thread, which makes its own gate of it. */
  readonly shared: SharedArrayBuffer;
  readonly #state: Int32Array;

  constructor(shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#state = new Int32Array(shared);
  }

  /** In the thread that writes: runs a transaction. Once the gate is shut, the thread stops here for good. */
  pass<Result>(write: () => Result): Result {
    const before = Atomics.compareExchange(this.#state, 0, 0, TAKEN);
    if (before === SHUT) Atomics.wait(this.#state, 0, SHUT);
    assert.equal(before, 0, 'a transaction inside another one');
    try {
      return write();
    } finally {
      Atomics.and(this.#state, 0, ~TAKEN);
      Atomics.notify(this.#state, 0);
    }
  }

  /** In the main thread: shuts the gate if the process exits while `thread`, which writes, is running. */
  guard(thread: Worker, patienceMs: number): void {
    const shut = () => {
      if (this.shut(patienceMs)) return;
      process.stderr.write('killing the process: a write transaction does not end\n');
      process.kill(process.pid, 'SIGKILL');
    };
    process.on('exit', shut);
    thread.on('exit', () => process.off('exit', shut));
  }

  /**
   * In the main thread, when the process exits or the thread is broken off: waits for the transaction under way, if there
   * is one. False when it has not ended within `patienceMs`.
   */
  shut(patienceMs: number): boolean {
    Atomics.or(this.#state, 0, SHUT);
    return Atomics.wait(this.#state, 0, SHUT | TAKEN, patienceMs) !== 'timed-out';
  }
}
