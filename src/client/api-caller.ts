/**
 * One call of the API: the same request, byte for byte, until it is answered or it makes no sense to go on.
 *
 * What always holds: a purchase keeps its key in every attempt; nothing is sent to another address than the
 * base address; at most `maxAttempts` requests, and no wait longer than `maxRetryAfterMs`. Which errors are
 * worth another attempt says `error-policy.ts`.
 */
import type { ChargeVerdict } from '../engine/api-errors.ts';
import { type Attempted, failureOf, successOf } from './answer.ts';
import { abortedFailure, Deadline } from './deadline.ts';
import { policyOf } from './error-policy.ts';
import { type FailureContext, type IsCharged, PurserError } from './purser-error.ts';
import { retryDelayMs, type Timing } from './timing.ts';

/** What one call sends. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base address. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
  /** False for what needs no key, so that it isn't sent. */
  readonly authenticated?: boolean;
  readonly timeoutMs?: number;
  /** Of a purchase. */
  readonly idempotencyKey?: string;
  /** What is known before the first attempt; `'unknown'` when the key may have been used before. */
  readonly isCharged?: IsCharged;
}

export interface CallOptions {
  /** Ends the call, and its waiting between attempts, with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/** An attempt failed, and another follows after `delayMs`. */
export interface RetryNotice {
  readonly method: string;
  readonly path: string;
  readonly delayMs: number;
  /** Why; its `attempts` tells how many requests were sent so far. */
  readonly error: PurserError;
}

export interface ApiCallerOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly maxRetryAfterMs: number;
  readonly onRetry: ((notice: RetryNotice) => void) | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly timing: Timing;
}

/** An answer whose body is still to be read, under the deadline of its attempt. */
export interface OpenAnswer {
  readonly response: Response;
  readonly deadline: Deadline;
}

type Receive<T> = (response: Response, deadline: Deadline) => Promise<Attempted<T>>;

export class ApiCaller {
  readonly #options: ApiCallerOptions;

  constructor(options: ApiCallerOptions) {
    this.#options = options;
  }

  get timing(): Timing {
    return this.#options.timing;
  }

  get maxAttempts(): number {
    return this.#options.maxAttempts;
  }

  /** The JSON body of the success; rejects with a `PurserError`. */
  json<T>(request: ApiRequest, { signal }: CallOptions = {}): Promise<T> {
    return this.#retrying(request, signal, (response) => successOf<T>(response));
  }

  /** The success before its body is read; rejects with a `PurserError`. */
  open(request: ApiRequest, { signal }: CallOptions = {}): Promise<OpenAnswer> {
    return this.#retrying(request, signal, async (response, deadline) => ({ value: { response, deadline } }));
  }

  /** Waits; rejects with a `PurserError` when the signal ends it. */
  async sleep(delayMs: number, signal: AbortSignal | undefined, context: FailureContext): Promise<void> {
    try {
      await this.#options.timing.sleep(delayMs, signal);
    } catch (error) {
      if (signal?.aborted === true) throw new PurserError(abortedFailure(signal), context);
      throw error;
    }
  }

  async #retrying<T>(request: ApiRequest, signal: AbortSignal | undefined, receive: Receive<T>): Promise<T> {
    const { method, path, idempotencyKey } = request;
    const { maxAttempts, maxRetryAfterMs, onRetry, timing } = this.#options;
    let context: FailureContext = { attempts: 0, isCharged: request.isCharged ?? false, idempotencyKey };
    for (;;) {
      if (signal?.aborted === true) throw new PurserError(abortedFailure(signal), context);
      const attempted = await this.#attempt(request, signal, receive);
      if ('value' in attempted) return attempted.value;
      const { failure } = attempted;
      const { isRetried, charge } = policyOf(failure);
      const isCharged = idempotencyKey === undefined ? false : chargedAfter(context.isCharged, charge);
      context = { attempts: context.attempts + 1, isCharged, idempotencyKey };
      const error = new PurserError(failure, context);
      const { retryAfterSeconds = 0 } = failure;
      if (!isRetried || context.attempts >= maxAttempts || retryAfterSeconds * 1_000 > maxRetryAfterMs)
        throw error;
      const delayMs = retryDelayMs(context.attempts, retryAfterSeconds, timing.random());
      onRetry?.({ method, path, delayMs, error });
      await this.sleep(delayMs, signal, context);
    }
  }

  async #attempt<T>(
    request: ApiRequest,
    signal: AbortSignal | undefined,
    receive: Receive<T>,
  ): Promise<Attempted<T>> {
    const { fetch, baseUrl, apiKey, timeoutMs, timing } = this.#options;
    const { method, path, headers, body, authenticated = true } = request;
    const deadline = new Deadline(request.timeoutMs ?? timeoutMs, signal, timing);
    deadline.arm();
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers: authenticated ? { ...headers, 'x-api-key': apiKey } : { ...headers },
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal: deadline.signal,
      });
      if (response.ok) return await receive(response, deadline);
      return { failure: await failureOf(response, timing.now()) };
    } catch (error) {
      return { failure: deadline.failureOf(error) };
    } finally {
      deadline.disarm();
    }
  }
}

/** What an answer to this attempt leaves of what was known before it. */
function chargedAfter(before: IsCharged, charge: ChargeVerdict): IsCharged {
  if (charge === 'not-now') return before;
  return charge === 'none' ? false : 'unknown';
}
