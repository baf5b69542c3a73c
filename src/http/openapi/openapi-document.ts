/**
 * The OpenAPI 3.1 document of the buyers' API, made by walking its routes.
 *
 * Everything in it comes from what the server runs on: the routes and their operations, the schemas that validate
 * requests and describe answers, the table of errors. Nothing about a single route is written here; a document kept by
 * hand would be another truth.
 */
import { API_ERRORS, type BuyerErrorCode } from '../../engine/api-errors.ts';
import { MAX_BODY_BYTES } from '../json-body.ts';
import {
  type Answer,
  type Content,
  type DocumentedRoute,
  type ErrorAnswer,
  errorsOf,
  type Operation,
  TAGS,
} from '../operation.ts';
import { errorExample, errorSchema } from '../schemas/error.ts';
import { ID, IDEMPOTENCY_KEY } from '../schemas/order.ts';
import { headersOfAnswer, headersOfErrors } from './answer-headers.ts';
import { API_DESCRIPTION, charged } from './api-description.ts';
import { RESPONSE_HEADERS } from './response-headers.ts';
import { SchemaComponents } from './schema-components.ts';

/** Of the API, not of the program (SPEC.md §1, §9). */
const API_VERSION = '1.0.0';

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The API key. It spends the wallet: keep it on your servers.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same key, as a bearer token.' },
};

const IDEMPOTENCY_KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'Use a new key for each purchase, and store it before you send. Send the identical request with the same key after a time-out or a broken connection: the purchase happens exactly once.',
  schema: IDEMPOTENCY_KEY,
  example: '1b671a64-40d5-491e-99b0-da01ff1f3341',
};

const ORDER_ID_PARAMETER = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The `orderId`.',
  schema: ID,
  example: 4711,
};

/** `routes` have paths relative to `basePath`. */
export function openApiDocument(basePath: string, routes: readonly DocumentedRoute[]): object {
  const schemas = new SchemaComponents();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describe(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Purser buyer API',
      version: API_VERSION,
      summary: 'Buy digital goods from a prepaid USDT wallet.',
      description: API_DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath, description: 'This server.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY_PARAMETER, OrderId: ORDER_ID_PARAMETER },
      headers: RESPONSE_HEADERS,
      schemas: schemas.all(),
    },
  };
}

function describe(route: DocumentedRoute, schemas: SchemaComponents): object {
  const { operation, scope } = route;
  const { operationId, tag, summary, description, body, answers } = operation;
  const needs =
    scope === undefined ? 'Needs no API key, and counts against no limit.' : `Scope: \`${scope}\`.`;
  const parameters = parametersOf(route);
  const responses = answers.map((answer) => [answer.status, response(route, answer, schemas)]);
  return {
    operationId,
    tags: [tag],
    summary,
    description: description === undefined ? needs : `${description}\n\n${needs}`,
    security: scope === undefined ? [] : Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [scope] })),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(body, schemas) }),
    responses: { ...Object.fromEntries(responses), ...errorResponses(route, schemas) },
  };
}

function parametersOf({ path, operation }: DocumentedRoute): object[] {
  const { isIdempotent, requestHeaders = [] } = operation;
  const parameters: object[] = [];
  if (path.includes('{id}')) parameters.push({ $ref: '#/components/parameters/OrderId' });
  if (isIdempotent) parameters.push({ $ref: '#/components/parameters/IdempotencyKey' });
  const optional = requestHeaders.map((header) => ({ ...header, in: 'header', schema: { type: 'string' } }));
  return [...parameters, ...optional];
}

function response(route: DocumentedRoute, answer: Answer, schemas: SchemaComponents): object {
  const { description, content } = answer;
  const headers = headersOfAnswer(route, answer);
  if (content === undefined) return { description, headers };
  return {
    description,
    headers,
    content: content === 'bytes' ? { '*/*': {} } : jsonContent(content, schemas),
  };
}

function requestBody(body: Content, schemas: SchemaComponents): object {
  const description = `A JSON object of at most ${MAX_BODY_BYTES} bytes.`;
  return { required: true, description, content: jsonContent(body, schemas) };
}

function jsonContent({ schema, examples }: Content, schemas: SchemaComponents): object {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }]);
  return { 'application/json': { schema: schemas.reference(schema), examples: Object.fromEntries(named) } };
}

function errorResponses(route: DocumentedRoute, schemas: SchemaComponents): object {
  const errors = errorsOf(route);
  const statuses = new Set(errors.map(({ status }) => status));
  const responses = Array.from(statuses, (status) => {
    const ofStatus = errors.filter((error) => error.status === status);
    return [status, errorResponse(route, ofStatus, schemas)];
  });
  return Object.fromEntries(responses);
}

function errorResponse(
  route: DocumentedRoute,
  errors: readonly ErrorAnswer[],
  schemas: SchemaComponents,
): object {
  const { operation } = route;
  const codes = errors.map(({ code }) => code);
  const references = codes.map((code) => schemas.reference(errorSchema(code)) as { $ref: string });
  const mapping = Object.fromEntries(codes.map((code, index) => [code, references[index]?.$ref]));
  const discriminator = { propertyName: 'error', mapping };
  const schema = references.length === 1 ? references[0] : { oneOf: references, discriminator };
  return {
    description: codes.map((code) => errorText(operation, code)).join('\n\n'),
    headers: headersOfErrors(route, errors),
    content: {
      'application/json': {
        schema,
        examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
      },
    },
    'x-errors': errors.map((error) => advice(operation, error)),
  };
}

/** For people, what `advice` is for programs. */
function errorText({ isIdempotent }: Operation, code: BuyerErrorCode): string {
  const { when, action, mayRetrySameKey } = API_ERRORS[code];
  const text = `\`${code}\`: ${when} ${action}`;
  if (!isIdempotent) return text;
  const key = mayRetrySameKey ? 'The same key may be sent again.' : 'The next attempt needs a new key.';
  const money =
    charged(code) === 'no'
      ? 'Nothing is charged.'
      : 'It may have been charged: send the same key again to find out.';
  return `${text} ${money} ${key}`;
}

/** For programs: what to do about an error. Of a purchase, also what became of its key and the money. */
function advice({ isIdempotent }: Operation, { code, status }: ErrorAnswer): object {
  const { when, action, mayRetrySameKey } = API_ERRORS[code];
  const ofPurchase = isIdempotent ? { mayRetrySameKey, charged: charged(code) } : {};
  return { code, status, when, action, ...ofPurchase };
}
