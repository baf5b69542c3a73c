/**
 * The time one attempt may take, together with the caller's own signal; it knows which of the two ended the
 * attempt. `AbortSignal.any` and `AbortSignal.timeout` were rejected: they can't be disarmed, and with a signal
 * that lives as long as the program they pile up.
 */
import type { Failure } from './purser-error.ts';
import type { Timing } from './timing.ts';

export class Deadline {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #caller: AbortSignal | undefined;
  readonly #timing: Timing;
  #stopTimer: (() => void) | undefined;
  #timedOut = false;

  constructor(timeoutMs: number, caller: AbortSignal | undefined, timing: Timing) {
    this.#timeoutMs = timeoutMs;
    this.#timing = timing;
    this.#caller = caller;
  }

  /** For `fetch`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the time; a deadline that was disarmed may be armed again, for the next piece of a long answer. */
  arm(): void {
    this.#stopTimer = this.#timing.startTimer(this.#timeoutMs, () => {
      this.#timedOut = true;
      this.#controller.abort(new Error(`nothing for ${this.#timeoutMs} ms`));
    });
    this.#caller?.addEventListener('abort', this.#onCallerAbort, { once: true });
    if (this.#caller?.aborted === true) this.#onCallerAbort();
  }

  disarm(): void {
    this.#stopTimer?.();
    this.#caller?.removeEventListener('abort', this.#onCallerAbort);
  }

  /** Ends the attempt for good. */
  end(): void {
    this.disarm();
    this.#controller.abort(new Error('no longer wanted'));
  }

  /** The failure behind an error that `fetch` or a body threw. */
  failureOf(error: unknown): Failure {
    if (this.#caller?.aborted === true) return abortedFailure(this.#caller);
    if (this.#timedOut) {
      return { code: 'TIMEOUT', message: `no complete answer within ${this.#timeoutMs} ms`, cause: error };
    }
    return { code: 'NETWORK_ERROR', message: 'the connection failed or broke off', cause: error };
  }

  readonly #onCallerAbort = () => this.#controller.abort(this.#caller?.reason);
}

export function abortedFailure(signal: AbortSignal): Failure {
  return { code: 'ABORTED', message: 'aborted by the caller', cause: signal.reason };
}
