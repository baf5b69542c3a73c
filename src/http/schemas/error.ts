/** Errors (SPEC.md §7): one schema a code, so that a typed client can tell them apart by `error`. */
import { type BuyerErrorCode, ERROR_GUIDE } from '../error-guide.ts';
import { REQUEST_ID } from './envelope.ts';
import type { JsonSchema } from './json-schema.ts';

const FAILURE = { type: 'boolean', const: false } as const;
const MESSAGE = { type: 'string', description: 'For people. Programs branch on `error` alone.' } as const;

export function errorSchema(code: BuyerErrorCode): JsonSchema {
  const { when, fields = {} } = ERROR_GUIDE[code];
  const own = Object.entries(fields).map(([name, field]) => [name, field.schema] as const);
  const properties: Readonly<Record<string, JsonSchema>> = {
    success: FAILURE,
    error: { type: 'string', const: code },
    message: MESSAGE,
    ...Object.fromEntries(own),
    requestId: REQUEST_ID,
  };
  return {
    title: titleOf(code),
    description: when,
    type: 'object',
    required: Object.keys(properties),
    properties,
  };
}

export function errorExample(code: BuyerErrorCode): Readonly<Record<string, unknown>> {
  const { exampleMessage, fields = {} } = ERROR_GUIDE[code];
  const own = Object.entries(fields).map(([name, field]) => [name, field.example] as const);
  return {
    success: false,
    error: code,
    message: exampleMessage,
    ...Object.fromEntries(own),
    requestId: 'req_6f1c2a9be04d_17',
  };
}

/** `PRICE_CHANGED` is `PriceChanged`, `INTERNAL_ERROR` is `InternalError`. */
function titleOf(code: BuyerErrorCode): string {
  return code.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
