/**
 * Holds a server's answers against the OpenAPI document that it gives itself, the buyers' or the operators'.
 *
 * Every schema is closed first: clients must ignore fields that they don't know, but an answer must not have any that
 * the document doesn't. Answers that were seen are remembered, so that a test can ask which promises of the document
 * nobody ever got.
 */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ErrorCode } from '../../../src/engine/api-errors.ts';
import { TEMPORARY } from '../../../src/http/openapi/answer-headers.ts';
import { ANSWERS_TO_BROWSERS } from '../../../src/http/pages/page-files.ts';

export interface OpenApiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: OpenApiSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** An answer, of either API. */
export interface SeenReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** Parsed; an empty object when it isn't a JSON object. */
  readonly body: object;
}

interface Media {
  /** Both absent where it is bytes of any type. */
  readonly schema?: OpenApiSchema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface DocumentedError {
  readonly code: string;
  readonly status: number;
  /** What it always has beside the fields of every error. */
  readonly fields?: readonly string[];
}

export interface OpenApiResponse {
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  /** Absent when there is no body. */
  readonly content?: Readonly<Record<string, Media>>;
  readonly 'x-errors'?: readonly DocumentedError[];
}

export interface OpenApiParameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly description?: string;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  /** Roles, in the operators' document. */
  readonly 'x-roles'?: readonly string[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiSchema>>;
    readonly parameters: Readonly<Record<string, OpenApiParameter>>;
    readonly headers: Readonly<
      Record<string, { readonly required: boolean; readonly schema: OpenApiSchema }>
    >;
  };
}

const DOCUMENT_ID = 'openapi.json';
const HINT =
  'What a route answers is what its operation says: change one of the two (src/http/**/*operations*).';

/** What the transport and node's parser bring along; no part of the API. */
const TRANSPORT_HEADERS = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);
/** The document has one sentence for them; `test/http/operator/browsers.cases.ts` says who has them. */
const BROWSER_HEADERS = new Set(ANSWERS_TO_BROWSERS.map(([name]) => name));

/** The validators of one document. To compile them takes longer than all validation. */
class DocumentValidators {
  /** The document as a whole is no schema; whether it is sound, `test/suites/fuzz/` asks a linter. */
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
    formats: { int64: true, double: true },
  });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#ajv.addSchema(closed(document), DOCUMENT_ID);
  }

  /** The error of a value by the schema that the fragment points to, if any. */
  errorsOf(fragment: string, value: unknown): string | undefined {
    let validate = this.#validators.get(fragment);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: DOCUMENT_ID + fragment });
      this.#validators.set(fragment, validate);
    }
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors);
  }
}

/** By the document's text: servers that give the same share them, those that don't can't. */
const validatorsOf = new Map<string, DocumentValidators>();

export class DocumentedAnswers {
  readonly document: OpenApiDocument;
  /** The kinds of answers checked: `POST /orders 409 PRICE_CHANGED`, `GET /health 200`. */
  readonly seen = new Set<string>();
  /** The fields of every success checked, when they are noted: `POST /orders delivery.items`. */
  readonly seenFields = new Set<string>();
  readonly #validators: DocumentValidators;
  readonly #notesFields: boolean;
  readonly #forms: readonly { readonly template: string; readonly form: RegExp }[];

  /** `text` is the document as the server gave it. */
  constructor(text: string, options: { readonly notesFields?: boolean } = {}) {
    this.#notesFields = options.notesFields ?? false;
    this.document = JSON.parse(text) as OpenApiDocument;
    this.#validators = validatorsOf.get(text) ?? new DocumentValidators(this.document);
    validatorsOf.set(text, this.#validators);
    this.#forms = Object.keys(this.document.paths).map((template) => {
      const numbered = template.replaceAll('.', '\\.').replace(/\{(id|accountId)\}/, '[1-9][0-9]{0,15}');
      const form = numbered.replace(/\{[a-z]\w*\}/i, '[^/]+');
      return { template, form: new RegExp(`^${form}$`) };
    });
  }

  /** Fails when the document doesn't tell of such an answer. `path` is relative to the API's base. */
  check(method: string, path: string, reply: SeenReply): void {
    const context = `${method} ${path} ${reply.status} ${reply.text.slice(0, 300)}\n${HINT}`;
    const [template, operation] = this.#operationOf(method, path);
    if (operation === undefined) {
      assert.equal(reply.status, 404, `an undocumented route answered: ${context}`);
      if (method !== 'HEAD') this.#validate('#/components/schemas/ErrorAnswer', reply.body, context);
      return;
    }
    const response = operation.responses[reply.status];
    assert.ok(response, `the document has no such status: ${context}`);
    this.#checkHeaders(response, reply, context);
    if (method === 'HEAD') return;
    const { error } = reply.body as { readonly error?: string };
    this.seen.add([method, template, reply.status, error].join(' ').trimEnd());
    checkError(response, reply, context);
    if (response.content === undefined) assert.equal(reply.text, '', context);
    if (!this.#isJson(response, reply, context)) return;
    const at = ['paths', template, method.toLowerCase(), 'responses', String(reply.status), 'content'];
    this.#validate(pointer([...at, 'application/json', 'schema']), reply.body, context);
    if (reply.status < 400 && this.#notesFields) this.#noteFields(`${method} ${template} `, reply.body);
  }

  /** Fails when a value isn't valid by the schema that the JSON pointer finds in the document. */
  checkValue(tokens: readonly string[], value: unknown): void {
    this.#validate(pointer(tokens), value, tokens.join(' '));
  }

  /** Fails when it is of a type that the document doesn't have. */
  #isJson({ content = {} }: OpenApiResponse, { headers }: SeenReply, context: string): boolean {
    const [type = ''] = String(headers['content-type'] ?? '').split(';');
    const isKnown = content[type] !== undefined || content['*/*'] !== undefined || type === '';
    assert.ok(isKnown, `the document has no such type of an answer, ${type}: ${context}`);
    return type === 'application/json' && content[type] !== undefined;
  }

  #operationOf(method: string, path: string): [string, OpenApiOperation | undefined] {
    const [bare = ''] = path.split('?');
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    for (const { template, form } of this.#forms) {
      const operation = this.document.paths[template]?.[verb];
      if (operation !== undefined && form.test(bare)) return [template, operation];
    }
    return ['', undefined];
  }

  #checkHeaders(response: OpenApiResponse, reply: SeenReply, context: string): void {
    const documented = new Map(Object.keys(response.headers).map((name) => [name.toLowerCase(), name]));
    for (const name of Object.keys(reply.headers)) {
      if (!TRANSPORT_HEADERS.has(name) && !BROWSER_HEADERS.has(name))
        assert.ok(documented.has(name), `undocumented header ${name}: ${context}`);
    }
    for (const [lowerCase, name] of documented) {
      const { required, schema } = this.document.components.headers[name] ?? assert.fail(name);
      const text = reply.headers[lowerCase];
      if (text === undefined) {
        // Of the errors of one status, some say when to try again, and others can't.
        const { error } = reply.body as { readonly error?: ErrorCode };
        const isOfOthers = name === 'Retry-After' && error !== undefined && !TEMPORARY.includes(error);
        assert.equal(required && !isOfOthers, false, `the header ${name} is missing: ${context}`);
        continue;
      }
      const value = schema.type === 'integer' ? Number(text) : text;
      this.#validate(
        pointer(['components', 'headers', name, 'schema']),
        value,
        `${name}: ${text}; ${context}`,
      );
    }
  }

  #validate(fragment: string, value: unknown, context: string): void {
    const errors = this.#validators.errorsOf(fragment, value);
    assert.equal(errors, undefined, `${errors}: ${context}`);
  }

  #noteFields(prefix: string, value: unknown): void {
    if (Array.isArray(value)) {
      for (const element of value) this.#noteFields(prefix, element);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        this.seenFields.add(prefix + name);
        this.#noteFields(`${prefix}${name}.`, inner);
      }
    }
  }
}

/** All errors have one schema: which codes a status has, and which fields a code, the document says beside it. */
function checkError({ 'x-errors': errors }: OpenApiResponse, { body }: SeenReply, context: string): void {
  if (errors === undefined) return;
  const { error } = body as { readonly error?: string };
  const documented = errors.find(({ code }) => code === error);
  assert.ok(documented, `the document has no such error: ${context}`);
  const fields = new Set(errors.flatMap(({ fields: own = [] }) => own));
  for (const field of fields) {
    const isIts: boolean = documented.fields?.includes(field) === true;
    assert.equal(field in body, isIts, `${field} of ${error}: ${context}`);
  }
}

/**
 * A schema in which every object refuses the fields that it doesn't name; one that names none, or says that it may have
 * others, is left open. A list of known texts allows these alone.
 */
function closed<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(closed) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, closed(inner)] as const);
  const { 'x-extensible-enum': known, ...open } = Object.fromEntries(entries);
  const copy = known === undefined ? open : { ...open, enum: known };
  const isObjectSchema = copy.type === 'object' && copy.properties !== undefined;
  return (isObjectSchema ? { additionalProperties: false, ...copy } : copy) as Value;
}

function pointer(tokens: readonly string[]): string {
  const escaped = tokens.map((token) => token.replaceAll('~', '~0').replaceAll('/', '~1'));
  return `#/${escaped.map(encodeURIComponent).join('/')}`;
}
