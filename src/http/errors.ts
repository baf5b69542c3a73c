/** An answer that isn't a success: what went wrong, for programs and for people. Its row: `engine/api-errors.ts`. */
import { ERROR_MESSAGES, type ErrorCode } from '../engine/api-errors.ts';
import type { Fields } from '../views/operator-views.ts';
import type { LEADER } from './schemas/error.ts';
import type { TypeOf } from './schemas/json-schema.ts';
import type { ReplyHeaders } from './transport/reply-headers.ts';

/** The node that leads a cluster: its name, and the buyers' origin. */
export type Leader = NonNullable<TypeOf<typeof LEADER>>;

export interface ApiError {
  readonly code: ErrorCode;
  readonly message: string;
  /** Fields beside the envelope's own, e.g. `currentPriceUsdt`. */
  readonly fields?: Readonly<Record<string, number | string | Leader | Fields | null>>;
  readonly headers?: ReplyHeaders;
  /** The cause of a failure whose message doesn't say it, for the node's log; nobody is sent it. */
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

/** A take-over takes seconds, and a balancer has noticed before. */
const NOT_LEADING_HEADERS: ReplyHeaders = [['retry-after', '1']];

/** `leader` is null when this node knows of none. */
export function notLeading(leader: Leader | null): ApiError {
  const message = ERROR_MESSAGES.NOT_LEADING;
  return { code: 'NOT_LEADING', message, headers: NOT_LEADING_HEADERS, fields: { leader } };
}

export const UNAUTHORIZED = apiError('UNAUTHORIZED');
export const ROUTE_NOT_FOUND = apiError(
  'NOT_FOUND',
  'There is no such route. Check the path and the method.',
);
export const INTERNAL_ERROR = apiError('INTERNAL_ERROR');
