/**
 * How long a leader may answer: for two seconds after it sent the last commit that PostgreSQL confirmed. A new leader
 * waits for two and a half, so nobody reads from a leader that another one has replaced. Commits need no lease: they
 * are fenced by the log itself.
 *
 * The lease lies in shared memory and on a clock that all threads have, because threads that begin requests look at it,
 * too. A process that was stopped and goes on finds that its lease has ended before it sends anything.
 */

/** From when the commit was sent. */
export const LEASE_MS = 2_000;

/** Milliseconds on the monotonic clock of the machine, the same in every thread. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export class Lease {
  readonly shared: SharedArrayBuffer;
  readonly #until: Float64Array;
  readonly #nowMs: () => number;
  #hasEnded = false;

  /** `shared`: of the lease that another thread has. */
  constructor(shared = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT), nowMs = monotonicMs) {
    this.shared = shared;
    this.#until = new Float64Array(shared);
    this.#nowMs = nowMs;
  }

  /** A commit that was sent then is confirmed. */
  renew(sentAtMs: number): void {
    if (!this.#hasEnded) this.#until[0] = Math.max(this.#until[0] ?? 0, sentAtMs + LEASE_MS);
  }

  /** Now, and for good: renewals come too late. */
  end(): void {
    this.#until[0] = Number.NEGATIVE_INFINITY;
    this.#hasEnded = true;
  }

  get isHeld(): boolean {
    return this.#nowMs() < (this.#until[0] ?? 0);
  }

  /** Negative when it has ended. */
  get leftMs(): number {
    return (this.#until[0] ?? 0) - this.#nowMs();
  }
}
