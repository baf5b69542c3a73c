/** The fields of every JSON answer of the API (SPEC.md §1). */
import type { JsonSchema } from './json-schema.ts';

const SUCCESS = { type: 'boolean', const: true, description: 'True on success, false on error.' } as const;

export const REQUEST_ID = {
  type: 'string',
  description: 'Identifies this answer when you ask support; the same as the header X-Request-Id.',
} as const;

/** A successful answer: `success` first, `requestId` last, and between them `properties`, all of which it has. */
export function answerSchema(
  title: string,
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return {
    title,
    description,
    type: 'object',
    required: ['success', ...Object.keys(properties), 'requestId'],
    properties: { success: SUCCESS, ...properties, requestId: REQUEST_ID, ...optional },
  };
}
