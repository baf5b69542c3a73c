/**
 * JSON bodies: the way from bytes to a validated object, or to the 400 that says what is wrong.
 *
 * A purchase's schema is compiled at start, each other with the first body: most nodes need few of them, and each costs
 * a start 10 ms. Unknown fields are ignored unless the schema says otherwise. The last of repeated keys counts, as
 * JSON.parse has it, and `__proto__` is a field like any other.
 */
import { isUtf8 } from 'node:buffer';
import { Ajv, type ErrorObject, type JSONSchemaType, type Schema, type ValidateFunction } from 'ajv';
import { withoutMark } from '../shared/text-reader.ts';
import { type ApiError, badRequest } from './errors.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import type { BodyFailure } from './transport/transport.ts';

/** SPEC.md §8. */
export const MAX_BODY_BYTES = 65_536;
/** Most commas, colons and brackets outside of texts in a longer body. A valid one has 10,000 places of items. */
const MAX_MARKS = 12_000;

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
  /** `parse` in slices, for a body of more than `MAX_BODY_BYTES`; `bytes` must not be changed meanwhile. */
  parseInSlices?(bytes: Uint8Array): Promise<ParsedBody<Body>>;
}

/** A body that is JSON by a schema. */
export interface CheckedBody<Body> extends JsonBody<Body> {
  check(value: unknown): ParsedBody<Body>;
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
  if (bytes.length > MAX_BODY_BYTES && hasTooManyMarks(bytes))
    return { error: badRequest('The body has more values than any valid one.') };
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(stringOf(bytes)));
  } catch {
    return NOT_JSON;
  }
  return validated(value, validate);
}

export const NOT_JSON = { error: badRequest('The body must be valid JSON.') };

function validated<Body>(value: unknown, validate: Validator<Body>): ParsedBody<Body> {
  if (validate(value)) return { body: value };
  return { error: badRequest(describe(validate.errors ?? [])) };
}

/** Small objects take `JSON.parse` a hundred times as long as a text of the same length. */
function hasTooManyMarks(bytes: Uint8Array): boolean {
  let marks = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) isInText = !isInText;
    else if (isInText && byte === BACKSLASH) at += 1;
    else if (!isInText && MARKS.has(byte)) marks += 1;
  }
  return marks > MAX_MARKS;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MARKS = new Set(Buffer.from(',:[{'));

/** A body of at most `maxBytes` that is valid by the schema, which is compiled with the first body. */
export function jsonBody<Body>(schema: JsonSchema, maxBytes = MAX_BODY_BYTES): CheckedBody<Body> {
  let compiled: Validator<Body> | undefined;
  const validate = () => {
    compiled ??= compileSchema<Body>(schema);
    return compiled;
  };
  return {
    maxBytes,
    schema,
    parse: (bytes) => parseJson(bytes, maxBytes, validate()),
    check: (value) => validated(value, validate()),
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
