/** The answer of GET /openapi.json: an OpenAPI document, of which no more is said than what every one has. */
import type { JsonSchema } from './json-schema.ts';

export const OPENAPI_DOCUMENT: JsonSchema = {
  title: 'OpenApiDocument',
  description: 'See https://spec.openapis.org/oas/v3.1.',
  type: 'object',
  required: ['openapi', 'info', 'paths'],
  properties: {
    openapi: { type: 'string' },
    info: { type: 'object' },
    paths: { type: 'object' },
  },
};
