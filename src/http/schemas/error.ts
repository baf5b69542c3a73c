/** Errors (SPEC.md §7): their envelope, and the fields that single ones have beside it. */
import type { ErrorCode } from '../../engine/api-errors.ts';
import { ERROR_FIELDS } from '../openapi/recorded-examples.ts';
import { PRODUCT_ROW } from '../operator/products/product-operations.ts';
import { REQUEST_ID } from './envelope.ts';
import type { JsonSchema } from './json-schema.ts';

const FAILURE = { type: 'boolean', const: false } as const;
const MESSAGE = { type: 'string', description: 'For people. Programs must look at `error` only.' } as const;

type Fields = Readonly<Record<string, JsonSchema>>;

export const LEADER = {
  title: 'Leader',
  type: 'object',
  nullable: true,
  description: 'The node that leads now, with `NOT_LEADING`; null when this node knows of none.',
  required: ['node', 'url'],
  properties: {
    node: { type: 'string', description: 'Its name.' },
    url: { type: 'string', description: 'The origin of its buyer API, without a path.' },
  },
} as const satisfies JsonSchema;

/** Fields of single errors, beside those of every error. */
const OWN_FIELDS: Partial<Record<ErrorCode, Fields>> = {
  PRICE_CHANGED: {
    currentPriceUsdt: {
      type: 'number',
      description: 'The total for this quantity now; with `PRICE_CHANGED`.',
    },
  },
  NOT_LEADING: { leader: LEADER },
  CHANGED_MEANWHILE: { product: PRODUCT_ROW },
};

/** Fields of single errors that may be missing. */
const OPTIONAL_FIELDS: Partial<Record<ErrorCode, Fields>> = {
  OTHER_EPOCH: {
    epoch: { type: 'integer', description: 'The epoch of the folder now; with `OTHER_EPOCH`.' },
    forkAfter: { type: 'integer', description: 'The last position up to which both have the same lines.' },
  },
};

/**
 * The answer of every error of a document. One schema, with the fields of single errors as optional ones: most generators
 * make nothing usable of one schema a code, and a code that comes later must fit, too.
 */
export function errorAnswer(codes: readonly ErrorCode[]): JsonSchema {
  const own = codes.map((code) => ({ ...OWN_FIELDS[code], ...OPTIONAL_FIELDS[code] }));
  return {
    title: 'ErrorAnswer',
    description: 'An error. Other fields, and other codes, may come.',
    type: 'object',
    required: ['success', 'error', 'message', 'requestId'],
    properties: {
      success: FAILURE,
      error: { type: 'string', enum: [...codes].sort(), description: 'The stable code.' },
      message: MESSAGE,
      requestId: REQUEST_ID,
      ...Object.assign({}, ...own),
    },
  };
}

/** The fields that an error always has beside those of every error. */
export function fieldsOfError(code: ErrorCode): string[] {
  return Object.keys(OWN_FIELDS[code] ?? {});
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
