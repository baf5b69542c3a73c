/**
 * From a body's bytes to a validated object, or to the 400 that says what is wrong with it.
 *
 * A purchase's schema is compiled at start, each other with the first body: most nodes need few of them, and each costs
 * a start 10 ms. Unknown fields are ignored unless the schema says otherwise. The last of repeated keys counts, as
 * JSON.parse has it, and `__proto__` is a field like any other.
 */
import { isUtf8 } from 'node:buffer';
import { Ajv, type ErrorObject, type JSONSchemaType, type Schema, type ValidateFunction } from 'ajv';
import { withoutMark } from '../text-reader.ts';
import { type ApiError, badRequest } from './errors.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import type { BodyFailure } from './transport/transport.ts';

/** SPEC.md §8. */
export const MAX_BODY_BYTES = 65_536;

export type Validator<Body> = ValidateFunction<Body>;

/**
 * Compiles without `validateSchema`: checking our own schemas against JSON Schema's was a fifth of what a start costs.
 */
export function compileSchema<Body>(schema: JSONSchemaType<Body> | Schema): Validator<Body> {
  const options = {
    strict: true,
    strictTypes: false,
    allErrors: false,
    meta: false,
    validateSchema: false,
    verbose: true,
  };
  return new Ajv(options).compile<Body>(schema);
}

export function isJsonContentType(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType);
}

/** A compressed body must not be read as if it were plain. */
export function checkEncoding(contentEncoding: string | undefined): ApiError | undefined {
  if (contentEncoding === undefined || contentEncoding.toLowerCase() === 'identity') return undefined;
  return badRequest(
    'A body with Content-Encoding is not understood: send it uncompressed, without the header.',
  );
}

/** A body as a route wants it. */
export interface JsonBody<Body> {
  readonly maxBytes: number;
  /** The schema of the body; absent when no body is wanted. */
  readonly schema?: JsonSchema;
  /** Whether no body at all means `{}`. */
  readonly isOptional?: boolean;
  /** Whether the body's Content-Type is not looked at. */
  readonly isUntyped?: boolean;
  parse(bytes: Uint8Array | BodyFailure): ParsedBody<Body>;
}

export type ParsedBody<Body> = { readonly body: Body } | { readonly error: ApiError };

export function parseJson<Body>(
  bytes: Uint8Array | BodyFailure,
  maxBytes: number,
  validate: Validator<Body>,
): ParsedBody<Body> {
  if (typeof bytes === 'string') {
    const message =
      bytes === 'too-slow'
        ? 'The body did not arrive within ten seconds: send as many bytes as Content-Length says.'
        : `The body must be complete and at most ${maxBytes} bytes long.`;
    return { error: badRequest(message) };
  }
  if (!isUtf8(bytes)) return { error: badRequest('The body must be valid UTF-8.') };
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(stringOf(bytes)));
  } catch {
    return { error: badRequest('The body must be valid JSON.') };
  }
  if (validate(value)) return { body: value };
  return { error: badRequest(describe(validate.errors ?? [])) };
}

/** A body of at most `maxBytes` that is valid by the schema, which is compiled with the first body. */
export function jsonBody<Body>(schema: JsonSchema, maxBytes = MAX_BODY_BYTES): JsonBody<Body> {
  let validate: Validator<Body> | undefined;
  return {
    maxBytes,
    schema,
    parse: (bytes) => {
      validate ??= compileSchema<Body>(schema);
      return parseJson(bytes, maxBytes, validate);
    },
  };
}

function stringOf(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8');
}

/** Longest name of an unknown field that is repeated to its sender. */
const MAX_QUOTED_NAME_LENGTH = 80;

function whatIsWrong({ keyword, params, message, parentSchema }: ErrorObject): string {
  // Of these, ajv doesn't say what would be right.
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'const') return `must be ${params.allowedValue}`;
  if (keyword === 'anyOf') return `must be ${parentSchema?.description ?? 'something else'}`;
  if (keyword !== 'additionalProperties') return message ?? 'is not valid';
  const name = String((params as { additionalProperty?: unknown }).additionalProperty);
  return `has a field that is not known here, ${JSON.stringify(name.slice(0, MAX_QUOTED_NAME_LENGTH))}`;
}

function describe(errors: readonly ErrorObject[]): string {
  // Of alternatives each has an error, and the last one is of them all.
  const [first, last] = [errors[0], errors.at(-1)];
  const error = last?.keyword === 'anyOf' ? last : first;
  if (error === undefined) return 'The body is not valid.';
  const field = error.instancePath.slice(1).replaceAll('/', '.');
  return `${field === '' ? 'The body' : field} ${whatIsWrong(error)}.`;
}
