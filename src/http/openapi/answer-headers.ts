/** The headers of each answer. */
import type { ErrorCode } from '../../engine/api-errors.ts';
import { STORED_REFUSAL_CODES } from '../../engine/orders.ts';
import type { Answer, DescribedRoute, ErrorAnswer } from '../operation.ts';
import type { HeaderName } from './response-headers.ts';

const OF_EVERY_ANSWER: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control'];
const REPLAYED: HeaderName = 'Idempotent-Replayed';
const STORED: readonly ErrorCode[] = STORED_REFUSAL_CODES;
/** Errors that say when to try again; others of the same status don't. */
export const TEMPORARY: readonly ErrorCode[] = [
  'RATE_LIMITED',
  'DELIVERY_UNAVAILABLE',
  'SALES_CLOSED',
  'NOT_LEADING',
];

type RouteHeaders = Pick<DescribedRoute, 'operation' | 'access'>;

/** The headers of an answer that isn't an error. */
export function headersOfAnswer(
  { operation, access }: RouteHeaders,
  { headers = [] }: Answer,
): readonly HeaderName[] {
  return [
    ...OF_EVERY_ANSWER,
    ...access.headers,
    ...(operation.isIdempotent ? ([REPLAYED] as const) : []),
    ...headers,
  ];
}

/** The headers of the errors that share a status. */
export function headersOfErrors(
  { operation, access }: RouteHeaders,
  errors: readonly ErrorAnswer[],
): readonly HeaderName[] {
  const names = [...OF_EVERY_ANSWER, ...errors.flatMap(({ headers = [] }) => headers)];
  if (errors.some(({ code }) => code !== 'UNAUTHORIZED')) names.push(...access.headers);
  if (operation.isIdempotent && errors.some(({ code }) => STORED.includes(code))) names.push(REPLAYED);
  if (errors.some(({ code }) => TEMPORARY.includes(code))) names.push('Retry-After');
  return names;
}
