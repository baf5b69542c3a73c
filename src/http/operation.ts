/**
 * A route's description of itself, beside the code that serves it. The OpenAPI documents of both APIs are made of these
 * and of nothing else, so a route can't be left out of them: without an operation it doesn't compile.
 */
import { API_ERRORS, type ErrorCode } from '../engine/api-errors.ts';
import type { HeaderName } from './openapi/response-headers.ts';
import type { JsonSchema } from './schemas/json-schema.ts';

/** A JSON body of a request. */
export interface JsonRequest {
  readonly schema: JsonSchema;
  /** Default: `MAX_BODY_BYTES`. */
  readonly maxBytes?: number;
  /** Whether no body at all means `{}`. */
  readonly isOptional?: boolean;
}

/** Bodies that aren't JSON: by media type, what one is. Any type is `*` + `/*`. */
export type OtherBodies = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly description: string;
  /** Absent when the body isn't JSON, or there is none. */
  readonly schema?: JsonSchema;
  readonly others?: OtherBodies;
  /** Headers beside those of every answer. */
  readonly headers?: readonly HeaderName[];
}

/** An error that isn't answered with the status that the table of errors has for it. */
export interface ErrorAnswer {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers?: readonly HeaderName[];
}

/** An optional header of the request. */
export interface RequestHeader {
  readonly name: string;
  readonly description: string;
  /** Any text, unless this says more. */
  readonly schema?: JsonSchema;
}

/** A field of the query. */
export type QueryField = JsonSchema & { readonly description: string; readonly isRequired?: true };

/** The fields of a query, by name. */
export type Query = Readonly<Record<string, QueryField>>;

/** Tags of a document: the words of each one's heading, in the order of the page. */
export type Tags = Readonly<Record<string, string>>;

export interface Operation {
  /** The name of the call in a generated client. */
  readonly operationId: string;
  /** A tag of the document. */
  readonly tag: string;
  /** One line. */
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** Whether it takes an `Idempotency-Key`: required, and a repeated answer is marked as one. */
  readonly isIdempotent?: boolean;
  readonly requestHeaders?: readonly RequestHeader[];
  readonly body?: JsonRequest;
  readonly otherBodies?: OtherBodies;
  /** All but the errors; the success comes first. */
  readonly answers: readonly Answer[];
  /** Errors beside those that come from the way to the route. */
  readonly errors: readonly (ErrorCode | ErrorAnswer)[];
}

/** The access to a route: the callers that may call it, and what the way to the route adds to its answers. */
export interface Access {
  /** The access for people: one sentence. */
  readonly words: string;
  /** Security requirements as OpenAPI has them; empty when nothing is needed. */
  readonly security: readonly object[];
  /** Fields of the operation that begin with `x-`, for programs. */
  readonly extensions?: Readonly<Record<`x-${string}`, unknown>>;
  /** The errors that every call can be answered with. */
  readonly errors: readonly ErrorCode[];
  /** The headers of every answer to a caller who is known. */
  readonly headers: readonly HeaderName[];
}

/** A route as a document is made of it. */
export interface DescribedRoute {
  readonly method: string;
  /** Relative to the API's base. */
  readonly path: string;
  readonly operation: Operation;
  readonly access: Access;
  readonly query?: Query;
}

/** Every error that a call of the route can be answered with. */
export function errorsOf({ operation, access }: Pick<DescribedRoute, 'operation' | 'access'>): ErrorAnswer[] {
  const own = operation.errors.map((error) => (typeof error === 'string' ? error : error.code));
  const ofAccess = access.errors.filter((code) => !own.includes(code));
  return [...operation.errors, ...ofAccess].map((error) =>
    typeof error === 'string' ? { code: error, status: API_ERRORS[error].status } : error,
  );
}
