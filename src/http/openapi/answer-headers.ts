/** Which answers carry which headers, as references into the document. */
import type { BuyerErrorCode } from '../../engine/api-errors.ts';
import { STORED_REFUSAL_CODES } from '../../engine/orders.ts';
import type { Scope } from '../../engine/scope.ts';
import type { Answer, ErrorAnswer, Operation } from '../operation.ts';
import type { HeaderName } from './response-headers.ts';

const OF_EVERY_ANSWER: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control'];
/** Of every answer to a key that is known. */
const LIMITS: readonly HeaderName[] = ['RateLimit-Policy', 'RateLimit'];
const REPLAYED: HeaderName = 'Idempotent-Replayed';
const STORED: readonly BuyerErrorCode[] = STORED_REFUSAL_CODES;
const TEMPORARY: readonly BuyerErrorCode[] = ['RATE_LIMITED', 'DELIVERY_UNAVAILABLE'];

interface RouteHeaders {
  readonly operation: Operation;
  /** Absent when it needs no key. */
  readonly scope?: Scope | undefined;
}

/** Of an answer that isn't an error. */
export function headersOfAnswer({ operation, scope }: RouteHeaders, { headers = [] }: Answer): object {
  const limits = scope === undefined ? [] : LIMITS;
  return references([
    ...OF_EVERY_ANSWER,
    ...limits,
    ...(operation.isIdempotent ? [REPLAYED] : []),
    ...headers,
  ]);
}

/** Of the errors that share a status. */
export function headersOfErrors({ operation, scope }: RouteHeaders, errors: readonly ErrorAnswer[]): object {
  const names = [...OF_EVERY_ANSWER, ...errors.flatMap(({ headers = [] }) => headers)];
  if (scope !== undefined && errors.some(({ code }) => code !== 'UNAUTHORIZED')) names.push(...LIMITS);
  if (operation.isIdempotent && errors.some(({ code }) => STORED.includes(code))) names.push(REPLAYED);
  if (errors.some(({ code }) => TEMPORARY.includes(code))) names.push('Retry-After');
  return references(names);
}

function references(names: readonly HeaderName[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
