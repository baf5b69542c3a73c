/**
 * One request and its answer, under a total deadline, as undici's dispatch handler.
 *
 * The status decides (SPEC.md §6: any 2xx within 10 s); of the body the first 1 KB is kept and a little more read,
 * so that the connection can be used again. Whoever sends more, or slowly, loses the connection and nothing
 * else. undici's `request` was rejected: its body streams cost more than the rest of a delivery.
 * `AbortSignal.timeout` was rejected, too: it can't be disarmed, so that at thousands of deliveries a second,
 * tens of thousands of timers would be waiting.
 */
import type { Dispatcher } from 'undici';
import { type DeliveryError, DeliveryFailure } from './delivery-result.ts';

export type Answer =
  | { readonly status: number; readonly responseHead: string }
  | { readonly error: DeliveryError };

const KEPT_BYTES = 1_024;
const MOST_READ_BYTES = 64 * 1_024;
/** How long a body may still come after its status. */
const BODY_MS = 1_000;
/** Answers such as 103 that may come before the final one. */
const MOST_INTERIM_ANSWERS = 8;

export class DeliveryExchange implements Dispatcher.DispatchHandler {
  /** Resolves at the deadline at the latest, and never rejects. */
  readonly answer: Promise<Answer>;
  readonly #resolve: (answer: Answer) => void;
  readonly #timeoutMs: number;
  readonly #endsAtMs: number;
  readonly #mayBeSent: () => boolean;
  #timer: ReturnType<typeof setTimeout>;
  #isSettled = false;
  #isComplete = false;
  #interimAnswers = 0;
  #status: number | undefined;
  #kept: Buffer = Buffer.alloc(0);
  #readBytes = 0;

  /** The time runs from here on. `mayBeSent` is asked when the request is about to be written. */
  constructor(timeoutMs: number, mayBeSent: () => boolean = () => true) {
    let resolveAnswer: (answer: Answer) => void = () => {};
    this.answer = new Promise((resolve) => {
      resolveAnswer = resolve;
    });
    this.#resolve = resolveAnswer;
    this.#timeoutMs = timeoutMs;
    this.#mayBeSent = mayBeSent;
    this.#endsAtMs = performance.now() + timeoutMs;
    this.#timer = setTimeout(this.#onTime, timeoutMs);
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Whether the answer came to its end, so that its connection is free for another request. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Ends it; does nothing when it has ended. An answer whose status is known stays one. */
  fail(error: DeliveryError): void {
    if (this.#status === undefined) this.#settle({ error: { code: error.code, message: error.message } });
    else this.#settleAnswered(this.#status);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isSettled) controller.abort(new DeliveryFailure('timeout', 'it was too late to send'));
    else if (!this.#mayBeSent()) controller.abort(new DeliveryFailure('outdated', 'the webhook has changed'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    if (status < 200) {
      this.#interimAnswers += 1;
      if (this.#interimAnswers > MOST_INTERIM_ANSWERS) {
        this.fail(new DeliveryFailure('answer', 'the receiver sent interim answers without end'));
      }
      return;
    }
    this.#status = status;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onTime, Math.min(BODY_MS, this.#endsAtMs - performance.now()));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#readBytes += chunk.length;
    const missing = KEPT_BYTES - this.#kept.length;
    if (missing > 0) this.#kept = Buffer.concat([this.#kept, chunk.subarray(0, missing)]);
    if (this.#readBytes > MOST_READ_BYTES && this.#status !== undefined) this.#settleAnswered(this.#status);
  }

  onResponseEnd(): void {
    if (this.#isSettled || this.#status === undefined) return;
    this.#isComplete = true;
    this.#settleAnswered(this.#status);
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    if (cause instanceof DeliveryFailure) this.fail(cause);
    else this.fail(DeliveryFailure.because('answer', 'no answer', cause));
  }

  readonly #onTime = (): void => {
    this.fail(new DeliveryFailure('timeout', `no answer within ${this.#timeoutMs} ms`));
  };

  #settleAnswered(status: number): void {
    // As a stream, so that a character cut at the limit is left out.
    const responseHead = new TextDecoder().decode(this.#kept, { stream: true });
    this.#settle({ status, responseHead });
  }

  #settle(answer: Answer): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#resolve(answer);
  }
}
