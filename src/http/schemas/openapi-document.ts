/** The answer of GET /openapi.json: what an OpenAPI document has at its top, and no more. */
import type { JsonSchema } from './json-schema.ts';

const PARTS = {
  openapi: { type: 'string', description: 'The version of OpenAPI.' },
  info: { type: 'object' },
  servers: { type: 'array', items: { type: 'object' } },
  tags: { type: 'array', items: { type: 'object' } },
  paths: { type: 'object' },
  components: { type: 'object' },
} as const satisfies Record<string, JsonSchema>;

export const OPENAPI_DOCUMENT: JsonSchema = {
  title: 'OpenApiDocument',
  description: 'See https://spec.openapis.org/oas/v3.1.0.',
  type: 'object',
  required: Object.keys(PARTS),
  properties: PARTS,
};
