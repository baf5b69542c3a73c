/**
 * The OpenAPI 3.1 document of an API, the buyers' or the operators', made by walking its routes.
 *
 * Everything in it comes from what the server runs on: the routes and their operations, the schemas that validate
 * requests and describe answers, the table of errors. Its examples are what a contract test was answered. Nothing about
 * a single route is written here; a document kept by hand would be another truth.
 */
import { API_ERRORS, type ErrorCode } from '../../engine/api-errors.ts';
import { MAX_BODY_BYTES } from '../json-body.ts';
import {
  type Answer,
  type DescribedRoute,
  type ErrorAnswer,
  errorsOf,
  type Operation,
  type OtherBodies,
} from '../operation.ts';
import { errorAnswer, errorExample, fieldsOfError } from '../schemas/error.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import { headersOfAnswer, headersOfErrors } from './answer-headers.ts';
import { type ApiDescription, charged, type ErrorWords } from './api-description.ts';
import { DocumentComponents } from './document-components.ts';
import { withNumberFormats } from './number-formats.ts';
import type { Named, RecordedCall } from './recorded-call.ts';
import { documentedPath, parametersOf } from './request-parameters.ts';
import type { Side } from './schema-components.ts';

/** `routes` have paths relative to `basePath`. */
export function openApiDocument(
  api: ApiDescription,
  basePath: string,
  routes: readonly DescribedRoute[],
): object {
  const { title, version, summary, description, tags, securitySchemes } = api;
  const writer = new OperationWriter(api, [
    ...new Set(routes.flatMap((route) => errorsOf(route).map(({ code }) => code))),
  ]);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes.toSorted(byPlace(Object.keys(tags)))) {
    const path = documentedPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: writer.write(route) };
  }
  return withNumberFormats({
    openapi: '3.1.0',
    info: {
      title,
      version,
      summary,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath, description: 'This server.' }],
    tags: Object.entries(tags).map(([name, words]) => ({ name, description: words })),
    paths,
    components: { securitySchemes, ...writer.components.all() },
  }) as object;
}

/** Routes come tag by tag, and by path within one: who adds a route says nowhere where it stands. */
function byPlace(tags: readonly string[]): (one: DescribedRoute, other: DescribedRoute) => number {
  const placeOf = ({ operation, path, method }: DescribedRoute) =>
    `${String(tags.indexOf(operation.tag)).padStart(3, '0')} ${path} ${method}`;
  return (one, other) => (placeOf(one) < placeOf(other) ? -1 : 1);
}

class OperationWriter {
  readonly components = new DocumentComponents();
  readonly #api: ApiDescription;
  readonly #errorAnswer: JsonSchema;

  /** `codes` are all that its operations can answer with. */
  constructor(api: ApiDescription, codes: readonly ErrorCode[]) {
    this.#api = api;
    this.#errorAnswer = errorAnswer(codes);
  }

  write(route: DescribedRoute): object {
    const { operation, access } = route;
    const { operationId, tag, summary, description, answers } = operation;
    if (this.#api.tags[tag] === undefined)
      throw new Error(`${operationId}: ${tag} is no tag of the document`);
    const parameters = parametersOf(route, this.components, this.#recorded(operationId).parameters);
    const request = this.#request(operation);
    const responses = answers.map((answer) => [answer.status, this.#answer(route, answer)]);
    return {
      operationId,
      tags: [tag],
      summary,
      description: description === undefined ? access.words : `${description}\n\n${access.words}`,
      security: access.security,
      ...access.extensions,
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(request === undefined ? {} : { requestBody: request }),
      responses: { ...Object.fromEntries(responses), ...this.#errors(route) },
    };
  }

  #request({ operationId, body, otherBodies }: Operation): object | undefined {
    if (body === undefined) return otherBodies && { required: true, content: contents(otherBodies) };
    const { maxBytes = MAX_BODY_BYTES, isOptional = false } = body;
    const json = `${otherBodies === undefined ? 'A JSON object' : 'As JSON, an object'} of at most ${maxBytes} bytes`;
    return {
      required: !isOptional,
      description: `${json}${isOptional ? '; no body means `{}`.' : '.'}`,
      content: {
        ...this.#json(body.schema, 'request', this.#recorded(operationId).bodies),
        ...contents(otherBodies),
      },
    };
  }

  #answer(route: DescribedRoute, answer: Answer): object {
    const { status, description, schema, others } = answer;
    const headers = this.components.headers(headersOfAnswer(route, answer));
    if (schema === undefined && others === undefined) return { description, headers };
    const examples = this.#recorded(route.operation.operationId).answers?.[status];
    const json = schema === undefined ? {} : this.#json(schema, 'answer', examples);
    return { description, headers, content: { ...json, ...contents(others) } };
  }

  #recorded(operationId: string): RecordedCall {
    return this.#api.recorded[operationId] ?? {};
  }

  #json(schema: JsonSchema, side: Side, examples: Named = {}): object {
    const named = Object.entries(examples).map(([name, value]) => [name, { value }]);
    return {
      'application/json': {
        schema: this.components.schemas.reference(schema, side),
        ...(named.length === 0 ? {} : { examples: Object.fromEntries(named) }),
      },
    };
  }

  #errors(route: DescribedRoute): object {
    const errors = errorsOf(route);
    const statuses = new Set(errors.map(({ status }) => status));
    const responses = Array.from(statuses, (status) => {
      const ofStatus = errors.filter((error) => error.status === status);
      return [status, this.#errorsOfStatus(route, ofStatus)];
    });
    return Object.fromEntries(responses);
  }

  #errorsOfStatus(route: DescribedRoute, errors: readonly ErrorAnswer[]): object {
    const { operation } = route;
    const codes = errors.map(({ code }) => code);
    const examples = codes.map((code) => [code, errorExample(code, this.#api.wordsOf(code).message)]);
    return {
      description: codes.map((code) => errorText(operation, code, this.#api.wordsOf(code))).join('\n\n'),
      headers: this.components.headers(headersOfErrors(route, errors)),
      content: this.#json(this.#errorAnswer, 'answer', Object.fromEntries(examples)),
      'x-errors': errors.map((error) => advice(operation, error, this.#api.wordsOf(error.code))),
    };
  }
}

function contents(others: OtherBodies = {}): object {
  const plain = Object.entries(others).map(([type, words]) => [
    type,
    type === '*/*' ? {} : { schema: { type: 'string', description: words } },
  ]);
  return Object.fromEntries(plain);
}

/** Advice on an error to people; `advice` is that to programs. */
function errorText({ isIdempotent }: Operation, code: ErrorCode, { when, action }: ErrorWords): string {
  const text = `\`${code}\`: ${when} ${action}`;
  if (!isIdempotent) return text;
  const key = API_ERRORS[code].mayRetrySameKey
    ? 'The same key may be sent again.'
    : 'The next attempt needs a new key.';
  const money =
    charged(code) === 'no'
      ? 'Nothing is charged.'
      : 'It may have been charged: send the same key again to find out.';
  return `${text} ${money} ${key}`;
}

/** Advice to programs on an error; for a purchase, also what became of its key and the money. */
function advice(
  { isIdempotent }: Operation,
  { code, status }: ErrorAnswer,
  { when, action }: ErrorWords,
): object {
  const { mayRetrySameKey } = API_ERRORS[code];
  const ofPurchase = isIdempotent ? { mayRetrySameKey, charged: charged(code) } : {};
  const fields = fieldsOfError(code);
  return { code, status, when, action, ...ofPurchase, ...(fields.length === 0 ? {} : { fields }) };
}
