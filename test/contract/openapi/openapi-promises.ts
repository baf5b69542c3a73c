/** Promises of an OpenAPI document, as lists that can be held against the answers that were seen. */
import assert from 'node:assert/strict';
import type {
  DocumentedAnswers,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiSchema,
} from './documented-answers.ts';

export interface DocumentedCall {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

export function callsOf({ paths }: OpenApiDocument): DocumentedCall[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

/** `POST /orders 409 PRICE_CHANGED`, `GET /health 200`. */
export function promisedAnswers({ method, path, operation }: DocumentedCall): string[] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    const codes = response['x-errors'];
    const answer = `${method} ${path} ${status}`;
    return codes === undefined ? [answer] : codes.map(({ code }) => `${answer} ${code}`);
  });
}

/** The fields of a call's successes: `POST /orders delivery.items`. */
export function promisedFields(
  document: OpenApiDocument,
  { method, path, operation }: DocumentedCall,
): string[] {
  return Object.entries(operation.responses).flatMap(([status, { content }]) => {
    const schema = content?.['application/json']?.schema;
    if (!status.startsWith('2') || schema === undefined) return [];
    return fieldsOf(document, schema, `${method} ${path} `);
  });
}

function fieldsOf(document: OpenApiDocument, schema: OpenApiSchema, prefix: string): string[] {
  const { $ref, properties = {}, items } = schema;
  if ($ref !== undefined) {
    const title = $ref.replace('#/components/schemas/', '');
    return fieldsOf(document, document.components.schemas[title] ?? assert.fail(title), prefix);
  }
  if (items !== undefined) return fieldsOf(document, items, prefix);
  return Object.entries(properties).flatMap(([name, inner]) => [
    prefix + name,
    ...fieldsOf(document, inner, `${prefix}${name}.`),
  ]);
}

/** The document is no example of itself. */
const WITHOUT_EXAMPLE = 'getOpenApiDocument';

/** Fails when an example isn't valid by its schema, or JSON has none: it was recorded for other routes, or not at all. */
export function checkExamples(answers: DocumentedAnswers): void {
  for (const { method, path, operation } of callsOf(answers.document)) {
    if (operation.operationId === WITHOUT_EXAMPLE) continue;
    const at = ['paths', path, method.toLowerCase()];
    const { requestBody, responses } = operation;
    const contents = [
      ...(requestBody === undefined ? [] : [{ at: [...at, 'requestBody'], ...requestBody }]),
      ...Object.entries(responses).map(([status, response]) => ({
        at: [...at, 'responses', status],
        ...response,
      })),
    ];
    for (const { at: owner, content } of contents) {
      if (content?.['application/json'] === undefined) continue;
      const examples = Object.values(content['application/json'].examples ?? {});
      assert.ok(
        examples.length > 0,
        `no example of ${owner.join(' ')}: call it in test/contract/examples/shop.ts, and run \`npm run api:examples\``,
      );
      for (const { value } of examples) {
        answers.checkValue([...owner, 'content', 'application/json', 'schema'], value);
      }
    }
  }
}

/** Each number of a document, of bodies, parameters and headers, by its place: `int64`, `double` or what else it says. */
export function numberFormats(part: unknown, place = ''): [place: string, type: string, format: unknown][] {
  if (typeof part !== 'object' || part === null) return [];
  const { type, format } = part as { readonly type?: unknown; readonly format?: unknown };
  const types = [type].flat().filter((name) => name === 'integer' || name === 'number');
  const inner = Object.entries(part).flatMap(([name, value]) =>
    name === 'examples' ? [] : numberFormats(value, `${place}/${name}`),
  );
  return [...types.map((name): [string, string, unknown] => [place, name, format]), ...inner];
}

/** Objects with fields that are no named schema, by their place. */
export function unnamedObjects({ paths, components }: OpenApiDocument): string[] {
  const inner = Object.entries(components.schemas).flatMap(([name, { properties = {}, items }]) =>
    [...Object.entries(properties), ['items', items]].flatMap(([field, schema]) =>
      placesOf(schema, `/${name}/${field}`, isObject),
    ),
  );
  return [...placesOf(paths, '', isObject), ...inner];
}

function isObject({ properties }: OpenApiSchema): boolean {
  return properties !== undefined;
}

/** Texts of answers, headers aside, of which a list says that there are no others; by their place. */
export function closedTexts({ paths, components }: OpenApiDocument): string[] {
  const requested = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (requested.has(name)) continue;
      requested.add(name);
      follow(components.schemas[name]);
    }
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  for (const { requestBody } of operations) follow(requestBody);
  const answered = Object.entries(components.schemas).filter(([name]) => !requested.has(name));
  const isClosed = ({ type, enum: values, const: only }: OpenApiSchema) =>
    type === 'string' && (values !== undefined || only !== undefined);
  return [
    ...answered.flatMap(([name, schema]) => placesOf(schema, `/${name}`, isClosed)),
    ...operations.flatMap(({ operationId, responses }) => placesOf(responses, operationId, isClosed)),
  ].filter((place) => !/anyOf\/\d+$/.test(place));
}

/** The places of the schemas that `isMeant`. */
function placesOf(part: unknown, place: string, isMeant: (schema: OpenApiSchema) => boolean): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.entries(part).flatMap(([name, value]) =>
    name === 'examples' || name === 'x-errors' ? [] : placesOf(value, `${place}/${name}`, isMeant),
  );
  return isMeant(part as OpenApiSchema) ? [place, ...inner] : inner;
}
