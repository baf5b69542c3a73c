/**
 * One request and its answer, under a total deadline, as undici's dispatch handler.
 *
 * The status decides (SPEC.md §6: any 2xx within 10 s); of the body the first 1 KB is kept and a little more read,
 * so that the connection can be used again. Whoever sends more, or slowly, loses the connection and nothing
 * else. undici's `request` was rejected: its body streams cost more than the rest of a delivery. So were timers: who
 * has many exchanges under way looks at the clock for all of them together.
 */
import { isAscii } from 'node:buffer';
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
const NOTHING = Buffer.alloc(0);

export class DeliveryExchange implements Dispatcher.DispatchHandler {
  /** Never rejects. */
  readonly answer: Promise<Answer>;
  readonly #resolve: (answer: Answer) => void;
  readonly #timeoutMs: number;
  readonly #isCurrent: (() => boolean) | undefined;
  #endsAtMs: number;
  #hasEnded = false;
  #isComplete = false;
  #interimAnswers = 0;
  #status: number | undefined;
  #kept: Buffer = NOTHING;
  #readBytes = 0;

  /**
   * The time runs from `startedAtMs` on, by `performance.now()`. `isCurrent` is asked when the request is about to be
   * written, after which nothing can hold it back.
   */
  constructor(startedAtMs: number, timeoutMs: number, isCurrent?: () => boolean) {
    let resolveAnswer: (answer: Answer) => void = () => {};
    this.answer = new Promise((resolve) => {
      resolveAnswer = resolve;
    });
    this.#resolve = resolveAnswer;
    this.#timeoutMs = timeoutMs;
    this.#isCurrent = isCurrent;
    this.#endsAtMs = startedAtMs + timeoutMs;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether the answer came to its end, so that its connection is free for another request. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * Ends the exchange when its time is over. Gives the time of that end: it must be called again by then, unless
   * something ends the exchange before.
   */
  endWhenLate(nowMs: number): number {
    if (nowMs >= this.#endsAtMs) {
      this.fail(new DeliveryFailure('timeout', `no answer within ${this.#timeoutMs} ms`));
    }
    return this.#endsAtMs;
  }

  /** Ends it; does nothing when it has ended. An answer whose status is known stays one. */
  fail(error: DeliveryError): void {
    if (this.#status === undefined) this.#end({ error: { code: error.code, message: error.message } });
    else this.#endAnswered(this.#status);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#hasEnded) controller.abort(new DeliveryFailure('timeout', 'it was too late to send'));
    else if (this.#isCurrent?.() === false)
      controller.abort(new DeliveryFailure('outdated', 'the webhook has changed'));
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
    this.#endsAtMs = Math.min(this.#endsAtMs, performance.now() + BODY_MS);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#readBytes += chunk.length;
    const missing = KEPT_BYTES - this.#kept.length;
    if (missing > 0) this.#kept = Buffer.concat([this.#kept, chunk.subarray(0, missing)]);
    if (this.#readBytes > MOST_READ_BYTES && this.#status !== undefined) this.#endAnswered(this.#status);
  }

  onResponseEnd(): void {
    if (this.#hasEnded || this.#status === undefined) return;
    this.#isComplete = true;
    this.#endAnswered(this.#status);
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    if (cause instanceof DeliveryFailure) this.fail(cause);
    else this.fail(DeliveryFailure.because('answer', 'no answer', cause));
  }

  #endAnswered(status: number): void {
    this.#end({ status, responseHead: textOf(this.#kept) });
  }

  #end(answer: Answer): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#resolve(answer);
  }
}

/** Most answers are empty or ASCII, and a decoder is dear. */
function textOf(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  // As a stream, so that a character cut at the limit is left out.
  return new TextDecoder().decode(bytes, { stream: true });
}
