/** Errors (SPEC.md §7): one schema a code, so that a typed client can tell them apart by `error`. */
import type { ErrorCode } from '../../engine/api-errors.ts';
import { ERROR_FIELDS } from '../openapi/recorded-examples.ts';
import { PRODUCT_ROW } from '../operator/products/product-operations.ts';
import { REQUEST_ID } from './envelope.ts';
import type { JsonSchema } from './json-schema.ts';

const FAILURE = { type: 'boolean', const: false } as const;
const MESSAGE = { type: 'string', description: 'For people. Programs must look at `error` only.' } as const;

type Fields = Readonly<Record<string, JsonSchema>>;

export const LEADER = {
  type: 'object',
  nullable: true,
  description: 'The node that leads now; null when this node knows of none.',
  required: ['node', 'url'],
  properties: {
    node: { type: 'string', description: 'Its name.' },
    url: { type: 'string', description: 'The origin of its buyer API, without a path.' },
  },
} as const satisfies JsonSchema;

/** Fields of single errors, beside those of every error. */
const OWN_FIELDS: Partial<Record<ErrorCode, Fields>> = {
  PRICE_CHANGED: {
    currentPriceUsdt: { type: 'number', description: 'The total for this quantity now.' },
  },
  NOT_LEADING: { leader: LEADER },
  CHANGED_MEANWHILE: { product: PRODUCT_ROW },
};

/** Fields of single errors that may be missing. */
const OPTIONAL_FIELDS: Partial<Record<ErrorCode, Fields>> = {
  OTHER_EPOCH: {
    epoch: { type: 'integer', description: 'The epoch of the folder now.' },
    forkAfter: { type: 'integer', description: 'The last position up to which both have the same lines.' },
  },
};

/** `description` says when it is answered. */
export function errorSchema(code: ErrorCode, description: string): JsonSchema {
  const properties: Readonly<Record<string, JsonSchema>> = {
    success: FAILURE,
    error: { type: 'string', const: code },
    message: MESSAGE,
    ...OWN_FIELDS[code],
    requestId: REQUEST_ID,
  };
  return {
    title: titleOf(code),
    description,
    type: 'object',
    required: Object.keys(properties),
    properties: { ...properties, ...OPTIONAL_FIELDS[code] },
  };
}

export function errorExample(code: ErrorCode, message: string): Readonly<Record<string, unknown>> {
  return {
    success: false,
    error: code,
    message,
    ...ERROR_FIELDS[code],
    requestId: 'req_1790000000000_17',
  };
}

/** `PRICE_CHANGED` is `PriceChanged`, `INTERNAL_ERROR` is `InternalError`. */
function titleOf(code: ErrorCode): string {
  return code.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
