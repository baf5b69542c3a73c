/** An answer that isn't a success: what went wrong, for programs and for people. Its row: `engine/api-errors.ts`. */
import { ERROR_MESSAGES, type ErrorCode } from '../engine/api-errors.ts';
import type { ReplyHeaders } from './transport/reply-headers.ts';

export interface ApiError {
  readonly code: ErrorCode;
  readonly message: string;
  /** Fields beside the envelope's own, e.g. `currentPriceUsdt`. */
  readonly fields?: Readonly<Record<string, number | string | null | Readonly<Record<string, string>>>>;
  readonly headers?: ReplyHeaders;
  /** For the node's log, of a failure whose message doesn't say it; nobody is sent it. */
  readonly cause?: string | undefined;
}

export function apiError(code: ErrorCode, message = ERROR_MESSAGES[code]): ApiError {
  return { code, message };
}

export function badRequest(message: string): ApiError {
  return { code: 'BAD_REQUEST', message };
}

/** `Retry-After` is in whole seconds; waiting that long works. */
export function rateLimited(message: string, retryAfterSeconds: number): ApiError {
  return { code: 'RATE_LIMITED', message, headers: [['retry-after', String(retryAfterSeconds)]] };
}

export const UNAUTHORIZED = apiError('UNAUTHORIZED');
export const ROUTE_NOT_FOUND = apiError(
  'NOT_FOUND',
  'There is no such route. Check the path and the method.',
);
export const INTERNAL_ERROR = apiError('INTERNAL_ERROR');
