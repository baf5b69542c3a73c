/** The headers that an answer may carry beside the transport's own, and which answers carry which. */
import { STORED_REFUSAL_CODES } from '../../engine/orders.ts';
import type { BuyerErrorCode } from '../error-guide.ts';
import type { Operation } from '../operation.ts';
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
} as const satisfies Record<string, ResponseHeader>;

type HeaderName = keyof typeof RESPONSE_HEADERS;

const OF_EVERY_ANSWER: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control'];
const STORED: readonly BuyerErrorCode[] = STORED_REFUSAL_CODES;

/** Of an answer to the operation: its success when there are no codes. */
export function headersOf(operation: Operation, codes: readonly BuyerErrorCode[]): Record<string, object> {
  const names = [...OF_EVERY_ANSWER];
  const isStored = codes.length === 0 || codes.some((code) => STORED.includes(code));
  if (operation.isIdempotent && isStored) names.push('Idempotent-Replayed');
  if (codes.includes('RATE_LIMITED')) names.push('Retry-After');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
