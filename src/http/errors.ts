/**
 * Every error code of the API and its HTTP status, in one table (SPEC.md §7).
 */
import type { ReplyHeaders } from './transport/reply-headers.ts';

export const ERROR_STATUS = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  INSUFFICIENT_BALANCE: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  PRICE_CHANGED: 409,
  OUT_OF_STOCK: 409,
  IDEMPOTENCY_CONFLICT: 409,
  IDEMPOTENCY_UNRESOLVED: 409,
  /** Operator's side only: docs/orders.md says which step an order in which state may take. */
  TRANSITION_NOT_ALLOWED: 409,
  /** Operator's side only: a webhook event that is pending is attempted anyway; a cancelled one never again. */
  REPLAY_NOT_ALLOWED: 409,
  DELIVERY_NOT_READY: 409,
  WEBHOOK_SECRET_UNREADABLE: 409,
  /** Operator's side only: the facts after this position are not in the data folder any more. */
  FACTS_GONE: 410,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  PURCHASE_FAILED: 502,
  DELIVERY_UNAVAILABLE: 503,
  /** Operator's side only: the node is recovering, draining, or without room on its disk. */
  NOT_READY: 503,
  PROVIDER_TIMEOUT: 504,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** An answer that isn't a success: what went wrong, for programs and for people. */
export interface ApiError {
  readonly code: ErrorCode;
  readonly message: string;
  /** Fields beside the envelope's own, e.g. `currentPriceUsdt`. */
  readonly fields?: Readonly<Record<string, number | string>>;
  readonly headers?: ReplyHeaders;
}

export function apiError(code: ErrorCode, message: string): ApiError {
  return { code, message };
}

export function badRequest(message: string): ApiError {
  return { code: 'BAD_REQUEST', message };
}

/** `Retry-After` is in whole seconds; waiting that long works. */
export function rateLimited(message: string, retryAfterSeconds: number): ApiError {
  return { code: 'RATE_LIMITED', message, headers: [['retry-after', String(retryAfterSeconds)]] };
}

export const UNAUTHORIZED = apiError('UNAUTHORIZED', 'The API key is missing, invalid or revoked.');
export const ROUTE_NOT_FOUND = apiError('NOT_FOUND', 'There is no such route.');
export const INTERNAL_ERROR = apiError(
  'INTERNAL_ERROR',
  'The server failed to answer; retry with backoff and report the requestId.',
);
