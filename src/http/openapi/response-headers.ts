/** The headers that an answer may carry beside the transport's own, and which answers carry which. */
import { STORED_REFUSAL_CODES } from '../../engine/orders.ts';
import type { BuyerErrorCode } from '../error-guide.ts';
import type { Answer, ErrorAnswer, Operation } from '../operation.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';

interface ResponseHeader {
  readonly description: string;
  /** Whether every answer that can carry it does. */
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: 'Names this answer for support; the same as `requestId` in the body.',
    required: true,
    schema: { type: 'string' },
  },
  'Cache-Control': {
    description: 'No answer may be stored.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  'Idempotent-Replayed': {
    description: 'Present when this is the answer that an earlier request with the same key got, repeated.',
    required: false,
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': {
    description: 'Whole seconds; waiting that long works.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  ETag: {
    description: 'The SHA-256 of the whole content in hexadecimal digits, in quotes.',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-f]{64}"$' },
  },
  'Accept-Ranges': {
    description: 'Parts can be asked for.',
    required: true,
    schema: { type: 'string', const: 'bytes' },
  },
  'Content-Range': {
    description: 'Which bytes of how many.',
    required: true,
    schema: { type: 'string', pattern: '^bytes ([0-9]+-[0-9]+|\\*)/[0-9]+$' },
  },
  'Content-Disposition': {
    description: 'A file to be saved, under a name without extension: its kind is in Content-Type.',
    required: true,
    schema: { type: 'string', pattern: '^attachment; filename="[^".]+"$' },
  },
  'X-Content-Type-Options': {
    description: 'The type is as Content-Type says.',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
  },
} as const satisfies Record<string, ResponseHeader>;

export type HeaderName = keyof typeof RESPONSE_HEADERS;

const OF_EVERY_ANSWER: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control'];
const REPLAYED: HeaderName = 'Idempotent-Replayed';
const STORED: readonly BuyerErrorCode[] = STORED_REFUSAL_CODES;
const TEMPORARY: readonly BuyerErrorCode[] = ['RATE_LIMITED', 'DELIVERY_UNAVAILABLE'];

/** Of an answer to the operation that isn't an error. */
export function headersOfAnswer({ isIdempotent }: Operation, { headers = [] }: Answer): object {
  return references([...OF_EVERY_ANSWER, ...(isIdempotent ? [REPLAYED] : []), ...headers]);
}

/** Of the errors that share a status. */
export function headersOfErrors({ isIdempotent }: Operation, errors: readonly ErrorAnswer[]): object {
  const names = [...OF_EVERY_ANSWER, ...errors.flatMap(({ headers = [] }) => headers)];
  if (isIdempotent && errors.some(({ code }) => STORED.includes(code))) names.push(REPLAYED);
  if (errors.some(({ code }) => TEMPORARY.includes(code))) names.push('Retry-After');
  return references(names);
}

function references(names: readonly HeaderName[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
