/**
 * What a route says about itself, beside the code that serves it. The OpenAPI document is made of these and of
 * nothing else, so a route can't be left out of it: without an operation it doesn't compile.
 */
import { API_ERRORS, type BuyerErrorCode } from '../engine/api-errors.ts';
import type { Scope } from '../engine/scope.ts';
import type { HeaderName } from './openapi/response-headers.ts';
import type { JsonSchema } from './schemas/json-schema.ts';

export const TAGS = {
  Catalog: 'What can be bought.',
  Wallet: 'What can be spent.',
  Orders: 'Buy, and read what was bought.',
  Webhooks: 'Where events are sent.',
  Service: 'The service itself; no API key is needed.',
} as const;

/** A JSON body, of a request or an answer. */
export interface Content {
  readonly schema: JsonSchema;
  /** By a short name; each is valid by the schema. */
  readonly examples: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status: number;
  readonly description: string;
  /** `bytes` are of any type; absent when there is no body. */
  readonly content?: Content | 'bytes';
  /** Beside those of every answer. */
  readonly headers?: readonly HeaderName[];
}

/** An error that isn't answered with the status that the table of errors has for it. */
export interface ErrorAnswer {
  readonly code: BuyerErrorCode;
  readonly status: number;
  readonly headers?: readonly HeaderName[];
}

/** An optional header of the request. */
export interface RequestHeader {
  readonly name: string;
  readonly description: string;
  readonly example: string;
}

export interface Operation {
  /** What a generated client calls it. */
  readonly operationId: string;
  readonly tag: keyof typeof TAGS;
  /** One line. */
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** Whether it takes an `Idempotency-Key`: required, and a repeated answer is marked as one. */
  readonly isIdempotent?: boolean;
  readonly requestHeaders?: readonly RequestHeader[];
  readonly body?: Content;
  /** All but the errors; the success comes first. */
  readonly answers: readonly Answer[];
  /** Beside those that come from the way to the route: `errorsOf`. */
  readonly errors: readonly (BuyerErrorCode | ErrorAnswer)[];
}

export interface DocumentedRoute {
  readonly method: string;
  readonly path: string;
  /** Absent when no API key is needed. */
  readonly scope?: Scope;
  readonly operation: Operation;
}

/** What every call can be answered, and what a call with a key can (SPEC.md §4). */
const ERRORS_OF_ALL: readonly BuyerErrorCode[] = ['INTERNAL_ERROR'];
const ERRORS_OF_KEYED: readonly BuyerErrorCode[] = ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED'];

/** Every error that a call of the route can be answered with. */
export function errorsOf({ scope, operation }: DocumentedRoute): ErrorAnswer[] {
  const ofKey = scope === undefined ? [] : ERRORS_OF_KEYED;
  return [...operation.errors, ...ofKey, ...ERRORS_OF_ALL].map((error) =>
    typeof error === 'string' ? { code: error, status: API_ERRORS[error].status } : error,
  );
}
