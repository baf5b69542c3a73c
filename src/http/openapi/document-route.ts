/**
 * GET /openapi.json: what an API is, for programs. Made when it is first asked for, and kept. The body is the document
 * itself.
 */
import type { Operation } from '../operation.ts';
import type { RequestContext } from '../request-context.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';

/** The top level of an OpenAPI document, and no more. */
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

export const DOCUMENT_PATH = '/openapi.json';

export function documentOperation(tag: string): Operation {
  return {
    operationId: 'getOpenApiDocument',
    tag,
    summary: 'Read this document',
    answers: [
      {
        status: 200,
        description: 'The OpenAPI document, without the envelope of other answers.',
        schema: ANSWER,
      },
    ],
    errors: [],
  };
}

/** Answers with what `document` returns the first time. */
export function answerDocument(document: () => object): (context: RequestContext) => void {
  let json: string | undefined;
  return (context) => {
    json ??= JSON.stringify(document());
    context.send(200, json);
  };
}
