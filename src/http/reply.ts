/**
 * The envelope of every JSON answer (SPEC.md §1): `success`, `requestId` in body and header, `no-store`.
 */

import { API_ERRORS } from '../engine/api-errors.ts';
import type { Rejection } from '../engine/decide/rejection.ts';
import { usdtFromMicros } from '../engine/money.ts';
import { type ApiError, INTERNAL_ERROR, rateLimited } from './errors.ts';
import type { RequestIds } from './request-ids.ts';
import { fixedHeaders, ownHeader, type ReplyHeaders } from './transport/reply-headers.ts';
import type { EndedRequest, Exchange, OnExchange } from './transport/transport.ts';

const JSON_HEADERS = fixedHeaders([
  ['content-type', 'application/json; charset=utf-8'],
  ['cache-control', 'no-store'],
]);

/** The header of every answer with its request's id (SPEC.md §1). `requestId` is one that `RequestIds` gave. */
export function requestIdHeader(requestId: string): ReplyHeaders[number] {
  return ownHeader('x-request-id', requestId);
}

export function jsonHeaders(requestId: string, more?: ReplyHeaders): ReplyHeaders {
  const headers = [JSON_HEADERS, requestIdHeader(requestId)];
  return more === undefined ? headers : [...headers, ...more];
}

export function errorJson(requestId: string, error: ApiError): string {
  const { code, message, fields } = error;
  return JSON.stringify({ success: false, error: code, message, ...fields, requestId });
}

export function sendError(exchange: Exchange, requestId: string, error: ApiError): void {
  const headers = jsonHeaders(requestId, error.headers);
  exchange.reply(API_ERRORS[error.code].status, headers, errorJson(requestId, error));
}

const REPEATED = 'the answer that the key got before, repeated';
const IDEMPOTENT_REPLAYED: ReplyHeaders = [['idempotent-replayed', 'true']];

/** How long a buyer waits whose commands overflow their mailbox: far longer than a full one takes to drain. */
const FULL_MAILBOX_RETRY_SECONDS = '1';
/** An operator opens sales: it takes minutes at least. A buyer's client that waits must not wait for long. */
const SALES_CLOSED_RETRY_SECONDS = '30';

const RETRY_AFTER: Partial<Record<Rejection['code'], ReplyHeaders>> = {
  RATE_LIMITED: [['retry-after', FULL_MAILBOX_RETRY_SECONDS]],
  SALES_CLOSED: [['retry-after', SALES_CLOSED_RETRY_SECONDS]],
};

export function replayHeaders(replayed: boolean): ReplyHeaders | undefined {
  return replayed ? IDEMPOTENT_REPLAYED : undefined;
}

/** The engine's refusal as an API error. */
export function errorOfRejection(rejection: Rejection): ApiError {
  const { code, message, currentPriceMicros, replayed, retryAfterSeconds } = rejection;
  if (retryAfterSeconds !== undefined) return rateLimited(message, retryAfterSeconds);
  const cause = rejection.cause ?? (replayed ? REPEATED : undefined);
  const headers: ReplyHeaders = replayed ? IDEMPOTENT_REPLAYED : (RETRY_AFTER[code] ?? []);
  return currentPriceMicros === null
    ? { code, message, headers, cause }
    : { code, message, headers, fields: { currentPriceUsdt: usdtFromMicros(currentPriceMicros) } };
}

/**
 * Gives each request its id, and a 500 that carries it when `dispatch` throws; the transport's own fallback
 * knows no id.
 */
export function answering<Served extends Exchange>(
  { requestIds, onFault, noteAddress }: Answering,
  dispatch: (exchange: Served, requestId: string) => void,
): OnExchange<Served> {
  return (exchange) => {
    const requestId = requestIds.next();
    exchange.requestId = requestId;
    try {
      noteAddress?.(exchange);
      dispatch(exchange, requestId);
    } catch (error) {
      onFault(error, exchange);
      sendError(exchange, requestId, INTERNAL_ERROR);
    }
  };
}

export interface Answering {
  readonly requestIds: RequestIds;
  /** Told of what should not have happened. */
  readonly onFault: (error: unknown, request: EndedRequest) => void;
  /** Asks for the client's address where somebody wants it of every request. */
  readonly noteAddress?: ((exchange: Exchange) => void) | undefined;
}
