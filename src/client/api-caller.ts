/**
 * One call of the API: the same request, byte for byte, until it is answered or it makes no sense to go on.
 *
 * Invariant: a purchase keeps its key in every attempt; nothing is sent to another address than the base addresses; at
 * most `maxAttempts` attempts, and no wait longer than `maxRetryAfterMs`. Which errors are worth another attempt says
 * `error-policy.ts`.
 *
 * An attempt asks each address at most once, one after the other, and all in the time of one. So with several
 * addresses a call takes no longer than with one, and nobody is asked again without a wait. To count each request as an
 * attempt was rejected: three addresses would use up four attempts in a second, and a take-over takes longer.
 */
import type { Addresses } from './addresses.ts';
import { type Attempted, failureOf, successOf } from './answer.ts';
import { abortedFailure, Deadline } from './deadline.ts';
import { isAnotherAsked, policyOf } from './error-policy.ts';
import { type Failure, type FailureContext, type IsCharged, PurserError } from './purser-error.ts';
import { retryDelayMs, type Timing } from './timing.ts';

/** The request of one call, the same in all attempts. */
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
  /** The key of a purchase. */
  readonly idempotencyKey?: string;
  /** The verdict before the first attempt; `'unknown'` when the key may have been used before. */
  readonly isCharged?: IsCharged;
}

export interface CallOptions {
  /** Ends the call, and its waiting between attempts, with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/** An attempt failed at all addresses that it asked, and another follows after `delayMs`. */
export interface RetryNotice {
  readonly method: string;
  readonly path: string;
  readonly delayMs: number;
  /** Why, at the last of them; its `attempts` tells how many requests were sent so far. */
  readonly error: PurserError;
}

export interface ApiCallerOptions {
  readonly addresses: Addresses;
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
    for (let attempt = 1; ; attempt += 1) {
      if (signal?.aborted === true) throw new PurserError(abortedFailure(signal), context);
      const failures: Failure[] = [];
      const attempted = await this.#attempt(request, signal, receive, failures);
      if ('value' in attempted) return attempted.value;
      const { failure } = attempted;
      const isCharged = idempotencyKey === undefined ? false : chargedAfter(context.isCharged, failures);
      context = { attempts: context.attempts + failures.length, isCharged, idempotencyKey };
      const error = new PurserError(failure, context);
      const { retryAfterSeconds = 0 } = failure;
      const isLast = attempt >= maxAttempts || retryAfterSeconds * 1_000 > maxRetryAfterMs;
      if (isLast || !policyOf(failure).isRetried) throw error;
      const delayMs = retryDelayMs(attempt, retryAfterSeconds, timing.random());
      onRetry?.({ method, path, delayMs, error });
      await this.sleep(delayMs, signal, context);
    }
  }

  /** One after the other asks the addresses, until one answers. `failures` is given what each of the others did. */
  async #attempt<T>(
    request: ApiRequest,
    signal: AbortSignal | undefined,
    receive: Receive<T>,
    failures: Failure[],
  ): Promise<Attempted<T>> {
    const { addresses, timeoutMs, timing } = this.#options;
    const deadline = new Deadline(request.timeoutMs ?? timeoutMs, signal, timing);
    const asked = new Set<string>();
    deadline.arm();
    try {
      for (let address = addresses.first; ; ) {
        asked.add(address);
        const attempted = await this.#ask(address, request, deadline, receive);
        const failure = 'failure' in attempted ? attempted.failure : undefined;
        if (failure !== undefined) failures.push(failure);
        if (failure === undefined || !isAnotherAsked(failure)) {
          if (failure?.code !== 'ABORTED') addresses.answered(address);
          return attempted;
        }
        const next = addresses.after(address, failure.leader?.url, asked);
        if (next === undefined || deadline.signal.aborted) return attempted;
        address = next;
      }
    } finally {
      deadline.disarm();
    }
  }

  async #ask<T>(
    address: string,
    request: ApiRequest,
    deadline: Deadline,
    receive: Receive<T>,
  ): Promise<Attempted<T>> {
    const { fetch, apiKey, timing } = this.#options;
    const { method, path, headers, body, authenticated = true } = request;
    try {
      const response = await fetch(address + path, {
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
    }
  }
}

/** The verdict after an attempt: the one before it, and the answers since. */
function chargedAfter(before: IsCharged, failures: readonly Failure[]): IsCharged {
  return failures.reduce((known: IsCharged, failure) => {
    const { charge } = policyOf(failure);
    if (charge === 'not-now') return known;
    return charge === 'none' ? false : 'unknown';
  }, before);
}
