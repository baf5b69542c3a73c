/**
 * The error with which every call of the client rejects: the API's own refusal, or a failure on the way to it.
 *
 * Programs branch on `code`. For a purchase, `isCharged` is the question that matters after a failure:
 * `false` is a promise; `'unknown'` means that only the same key can tell.
 */
import type { BuyerErrorCode } from '../engine/api-errors.ts';

/** The codes of SPEC.md §7. */
export type ApiErrorCode = BuyerErrorCode;

/**
 * The client's own codes. `NETWORK_ERROR`: no answer, or one that broke off. `TIMEOUT`: no answer in time.
 * `BAD_RESPONSE`: an answer that isn't this API's. `REDIRECTED`: one that points elsewhere, which is never
 * followed. `ABORTED`: your signal. `STILL_PENDING`: `waitForOrder` has waited as long as it may.
 */
export type ClientErrorCode =
  | 'NETWORK_ERROR'
  | 'TIMEOUT'
  | 'BAD_RESPONSE'
  | 'REDIRECTED'
  | 'ABORTED'
  | 'STILL_PENDING';

/** `false`: nothing was charged. `'unknown'`: send the same purchase with the same key to learn it. */
export type IsCharged = false | 'unknown';

/** One failed attempt. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly currentPriceUsdt?: number | undefined;
  /** The leader, as far as a node that doesn't lead its cluster knows it. */
  readonly leader?: { readonly url: string } | null | undefined;
  readonly cause?: unknown;
}

export interface FailureContext {
  readonly attempts: number;
  readonly isCharged: IsCharged;
  readonly idempotencyKey?: string | undefined;
}

export class PurserError extends Error {
  override readonly name = 'PurserError';
  readonly code: ApiErrorCode | ClientErrorCode | (string & {});
  /** The HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;
  /** The id to quote to the operator. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The current total, with `PRICE_CHANGED`. */
  readonly currentPriceUsdt: number | undefined;
  /** The key of the purchase that failed; undefined for any other call. */
  readonly idempotencyKey: string | undefined;
  /** Whether the wallet may have been charged for this purchase; `false` for any other call. */
  readonly isCharged: IsCharged;
  /** How many requests this call has sent. */
  readonly attempts: number;

  constructor(failure: Failure, context: FailureContext) {
    super(describe(failure), failure.cause === undefined ? undefined : { cause: failure.cause });
    this.code = failure.code;
    this.status = failure.status;
    this.requestId = failure.requestId;
    this.retryAfterSeconds = failure.retryAfterSeconds;
    this.currentPriceUsdt = failure.currentPriceUsdt;
    this.idempotencyKey = context.idempotencyKey;
    this.isCharged = context.isCharged;
    this.attempts = context.attempts;
  }
}

function describe({ code, message, requestId }: Failure): string {
  return requestId === undefined ? `${code}: ${message}` : `${code}: ${message} (requestId ${requestId})`;
}
