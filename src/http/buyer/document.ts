/**
 * GET /openapi.json: what this API is, for programs. Made when it is first asked for, and kept. The body is the document
 * itself.
 */
import { openApiDocument } from '../openapi/openapi-document.ts';
import type { DocumentedRoute, Operation } from '../operation.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import type { OpenRoute } from './buyer-route.ts';

/** What an OpenAPI document has at its top, and no more. */
const PARTS = {
  openapi: { type: 'string', description: 'The version of OpenAPI.' },
  info: { type: 'object' },
  servers: { type: 'array', items: { type: 'object' } },
  tags: { type: 'array', items: { type: 'object' } },
  paths: { type: 'object' },
  components: { type: 'object' },
} as const satisfies Record<string, JsonSchema>;

const ANSWER: JsonSchema = {
  title: 'OpenApiDocument',
  description: 'See https://spec.openapis.org/oas/v3.1.0.',
  type: 'object',
  required: Object.keys(PARTS),
  properties: PARTS,
};

const EXAMPLE = {
  openapi: '3.1.0',
  info: { title: 'Purser buyer API', version: '1.0.0' },
  servers: [],
  tags: [],
  paths: {},
  components: {},
};

const GET_DOCUMENT: Operation = {
  operationId: 'getOpenApiDocument',
  tag: 'Service',
  summary: 'Read this document',
  answers: [
    {
      status: 200,
      description: 'The OpenAPI document, without the envelope of other answers.',
      content: { schema: ANSWER, examples: { abridged: EXAMPLE } },
    },
  ],
  errors: [],
};

/** `others` are all other routes of the API. */
export function documentRoute(basePath: string, others: readonly DocumentedRoute[]): OpenRoute {
  const itself = { method: 'GET', path: '/openapi.json', operation: GET_DOCUMENT };
  let json: string | undefined;
  return {
    ...itself,
    handle: (context) => {
      json ??= JSON.stringify(openApiDocument(basePath, [...others, itself]));
      context.send(200, json);
    },
  };
}
