/** The headers that an answer may carry beside the transport's own. Which carry which: `answer-headers.ts`. */
import type { JsonSchema } from '../schemas/json-schema.ts';

interface ResponseHeader {
  readonly description: string;
  /** Whether every answer that can carry it does. */
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: 'Identifies this answer when you ask support; the same as `requestId` in the body.',
    required: true,
    schema: { type: 'string' },
  },
  'Cache-Control': {
    description: 'Answers must not be cached.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  'Idempotent-Replayed': {
    description:
      'Present when an earlier request with the same key got this answer, and it is repeated here.',
    required: false,
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': {
    description: 'How long to wait before the next try, in whole seconds.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'RateLimit-Policy': {
    description: 'The limit: `q` requests in `w` seconds. Absent when the account has no limit.',
    required: false,
    schema: { type: 'string', pattern: '^"default";q=[0-9]+;w=60$' },
  },
  RateLimit: {
    description: 'What is left: `r` requests now, and one more in `t` seconds.',
    required: false,
    schema: { type: 'string', pattern: '^"default";r=[0-9]+;t=[0-9]+$' },
  },
  ETag: {
    description:
      'A SHA-256 in hexadecimal digits, in quotes: of the whole content of a file, or a name for what PATCH can change of a product, or for the catalog as you see it.',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-f]{64}"$' },
  },
  'Content-Encoding': {
    description: 'Present when the body is compressed, which `Accept-Encoding` permits.',
    required: false,
    schema: { type: 'string', const: 'gzip' },
  },
  'Accept-Ranges': {
    description: 'A part of the file can be requested with `Range`.',
    required: true,
    schema: { type: 'string', const: 'bytes' },
  },
  'Content-Range': {
    description: 'Which bytes the answer has, and the size of the whole file.',
    required: true,
    schema: { type: 'string', pattern: '^bytes ([0-9]+-[0-9]+|\\*)/[0-9]+$' },
  },
  'Content-Disposition': {
    description: 'Browsers save the file. Its name has no extension; its type is in Content-Type.',
    required: true,
    schema: { type: 'string', pattern: '^attachment; filename="[^".]+"$' },
  },
  'X-Content-Type-Options': {
    description: 'Browsers must use the type in Content-Type, and not guess another.',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
  },
  'X-Feed-After': {
    description: 'The `seq` after which the lines begin.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'X-Accel-Buffering': {
    description: 'Tells proxies to pass lines on at once.',
    required: true,
    schema: { type: 'string', const: 'no' },
  },
} as const satisfies Record<string, ResponseHeader>;

export type HeaderName = keyof typeof RESPONSE_HEADERS;
