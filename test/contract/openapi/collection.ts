/**
 * The collection of requests for Postman (format 2.1, which Bruno and Insomnia read, too), made from the buyers' OpenAPI
 * document: `examples/buyer.postman_collection.json`. Whoever imports it sets two variables and presses send.
 *
 * Rejected: a converter from npm. They bring a hundred packages, and make up values where the document has recorded ones.
 */
import { join } from 'node:path';
import { repositoryRoot } from '../../support/repository-root.ts';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from './documented-answers.ts';

export const COLLECTION_FILE = join(repositoryRoot(), 'examples', 'buyer.postman_collection.json');

const BASE_URL = 'http://127.0.0.1:8080/api/v1/buyer';
/** A new one each time that a request is sent. */
const NEW_KEY = '{{$guid}}';

export interface CollectionRequest {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly header: readonly { readonly key: string; readonly value: string; readonly disabled?: true }[];
    readonly body?: { readonly mode: 'raw'; readonly raw: string };
    readonly url: { readonly raw: string; readonly variable?: readonly { readonly key: string }[] };
    readonly auth?: { readonly type: 'noauth' };
  };
}

export interface Collection {
  readonly item: readonly { readonly name: string; readonly item: readonly CollectionRequest[] }[];
}

/** A parameter with what it was recorded with. */
type Parameter = OpenApiParameter & { readonly required?: boolean; readonly example?: unknown };

export function collectionText(document: OpenApiDocument): string {
  const item = document.tags.map(({ name }) => ({ name, item: requestsOf(document, name) }));
  const collection = {
    info: {
      name: 'Purser buyer API',
      description: 'Set the variables baseUrl and apiKey. A purchase spends real balance.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'X-API-Key', type: 'string' },
        { key: 'value', value: '{{apiKey}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: [
      { key: 'baseUrl', value: BASE_URL },
      { key: 'apiKey', value: '' },
    ],
    item,
  };
  return `${JSON.stringify(collection, undefined, 2)}\n`;
}

function requestsOf(document: OpenApiDocument, tag: string): CollectionRequest[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.tags.includes(tag))
      .flatMap(([method, operation]) => requests(document, method.toUpperCase(), path, operation)),
  );
}

/** One for each body that was recorded. */
function requests(
  document: OpenApiDocument,
  method: string,
  path: string,
  operation: OpenApiOperation,
): CollectionRequest[] {
  const { summary, security, requestBody } = operation;
  const parameters = (operation.parameters ?? []).map((parameter) => resolved(document, parameter));
  const bodies = Object.entries(requestBody?.content['application/json']?.examples ?? {});
  const open = security.length === 0 ? { auth: { type: 'noauth' as const } } : {};
  const make = (name: string, body?: unknown): CollectionRequest => ({
    name,
    request: {
      method,
      ...open,
      header: [
        ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
        ...parameters.flatMap(headerOf),
      ],
      ...(body === undefined ? {} : { body: { mode: 'raw', raw: JSON.stringify(body, undefined, 2) } }),
      url: urlOf(path, parameters),
    },
  });
  if (bodies.length === 0) return [make(summary)];
  return bodies.map(([name, { value }]) => make(bodies.length > 1 ? `${summary}: ${name}` : summary, value));
}

function resolved(document: OpenApiDocument, parameter: OpenApiParameter): Parameter {
  const name = parameter.$ref?.replace('#/components/parameters/', '');
  return name === undefined ? parameter : (document.components.parameters[name] ?? {});
}

function headerOf(parameter: Parameter): CollectionRequest['request']['header'] {
  const { name = '', in: place, required } = parameter;
  if (place !== 'header') return [];
  return [required ? { key: name, value: NEW_KEY } : { key: name, value: '', disabled: true }];
}

function urlOf(path: string, parameters: readonly Parameter[]): CollectionRequest['request']['url'] {
  const written = path.replaceAll(/\{(\w+)\}/g, ':$1');
  const variable = parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name = '', example }) => ({ key: name, value: String(example) }));
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, description }) => ({ key: name, value: '', disabled: true, description }));
  const url = {
    raw: `{{baseUrl}}${written}`,
    host: ['{{baseUrl}}'],
    path: written.slice(1).split('/'),
    ...(query.length === 0 ? {} : { query }),
    ...(variable.length === 0 ? {} : { variable }),
  };
  return url;
}
