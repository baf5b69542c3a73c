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
  'RateLimit-Policy': {
    description: 'How many requests in how many seconds; absent when the account has no limit.',
    required: false,
    schema: { type: 'string', pattern: '^"default";q=[0-9]+;w=60$' },
  },
  RateLimit: {
    description: 'How many requests are left, and in how many seconds one more is.',
    required: false,
    schema: { type: 'string', pattern: '^"default";r=[0-9]+;t=[0-9]+$' },
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
