/**
 * Records what a node is asked and answers, by operation: the examples of both OpenAPI documents. That examples are
 * valid by their schemas, `checkExamples` proves.
 *
 * The record is the same in every run: what differs (times, keys, hashes, figures of the machine) is masked, and long
 * lists are cut. The first call under a name counts, so that a scene may make others of the kind.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { ErrorCode } from '../../../src/engine/api-errors.ts';
import type { PurserNode } from '../../../src/node/node.ts';
import { BuyerClient } from '../../support/buyer-client.ts';
import { eventually } from '../../support/eventually.ts';
import { jsonObject } from '../../support/http-request.ts';
import { OperatorClient } from '../../support/operator-client.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import type { OpenApiDocument } from '../openapi/documented-answers.ts';
import { callsOf } from '../openapi/openapi-promises.ts';
import { known } from '../scene.ts';
import { masked } from './masks.ts';

export const EXAMPLES_FILE = join(repositoryRoot(), 'src', 'http', 'openapi', 'recorded-examples.ts');

const HEAD = [
  '// Recorded by `npm run api:examples`: change the routes, or what test/contract/examples/ calls, instead.',
  "import type { Named, RecordedCalls } from './recorded-call.ts';",
  '',
].join('\n');

export type Api = 'buyers' | 'operators';
// biome-ignore lint/suspicious/noExplicitAny: a scene knows what it asked for.
type Loose = any;

interface Call {
  readonly bodies: Record<string, unknown>;
  readonly answers: Record<number, Record<string, unknown>>;
  parameters: Readonly<Record<string, string>>;
}

export interface Asked {
  /** The name of the example. */
  readonly as?: string;
  /** JSON, unless it is a text. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The error that it must be answered; without it, it must succeed. */
  readonly refused?: ErrorCode;
}

/** A node's answer: the fields of its body, and its `ETag`. */
export interface Answered {
  readonly fields: Loose;
  readonly tag: string;
}

export class Recorder {
  readonly #calls: Readonly<Record<Api, Record<string, Call>>> = { buyers: {}, operators: {} };
  readonly #errors: Record<string, object> = {};
  #documents: Readonly<Record<Api, OpenApiDocument>> | undefined;
  #operatorUrl = '';
  #token = '';
  #buyers: BuyerClient | undefined;

  /** Calls go to this node from now on. */
  async use({ operatorUrl, operatorToken, buyerUrl }: PurserNode): Promise<void> {
    const documentAt = async (url: string): Promise<OpenApiDocument> =>
      JSON.parse(await (await fetch(`${url}/openapi.json`)).text());
    this.#documents = { buyers: await documentAt(buyerUrl), operators: await documentAt(operatorUrl) };
    this.#operatorUrl = operatorUrl;
    this.#token = operatorToken;
    this.close();
    this.#buyers = new BuyerClient(buyerUrl);
  }

  close(): void {
    this.#buyers?.close();
  }

  /** A call of an operator, as `POST /accounts`. `token` is that of the owner unless it is given. */
  async operator(call: string, asked: Asked = {}, token = this.#token): Promise<Answered> {
    const [method = '', path = ''] = call.split(' ');
    const { text, headers } = sent(asked);
    const reply = await new OperatorClient(this.#operatorUrl, token).request(method, path, headers, text);
    return this.record('operators', call, asked, reply.status, reply.text, reply.headers.get('etag'));
  }

  async buyer(apiKey: string, call: string, asked: Asked = {}): Promise<Answered> {
    const [method = '', path = ''] = call.split(' ');
    const { text, headers } = sent(asked);
    const key = apiKey === '' ? {} : { 'x-api-key': apiKey };
    const reply = await known(this.#buyers).raw(method, path, { ...key, ...headers }, text);
    return this.record('buyers', call, asked, reply.status, reply.text, String(reply.headers.etag));
  }

  /** Asks an operator's call again and again, and keeps nothing of it. */
  async until(what: string, call: string, isSo: (fields: Loose) => boolean): Promise<void> {
    const [method = '', path = ''] = call.split(' ');
    const client = new OperatorClient(this.#operatorUrl, this.#token);
    await eventually(what, async () => isSo(jsonObject((await client.json(method, path)).text)));
  }

  /** A call whose answer has no end: nothing of it is kept but what was asked. */
  async endless(call: string, token = this.#token): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(`${this.#operatorUrl}${call.split(' ')[1]}`, { headers });
    await reply.body?.cancel();
    this.record('operators', call, {}, reply.status, '');
  }

  record(
    api: Api,
    call: string,
    { as = 'usual', body, headers = {}, refused }: Asked,
    status: number,
    text: string,
    tag: string | null = null,
  ): Answered {
    const fields: Loose = jsonObject(text);
    if (refused !== undefined) {
      const { success, error, message, requestId, ...own } = fields;
      assert.equal(error, refused, text);
      if (Object.keys(own).length > 0) this.#errors[refused] = masked(own);
      return { fields, tag: '' };
    }
    assert.ok(status < 300, `${call}: ${text}`);
    const { operationId, parameters } = this.#operationOf(api, call);
    this.#calls[api][operationId] ??= { bodies: {}, answers: {}, parameters: {} };
    const kept = this.#calls[api][operationId];
    if (typeof body === 'object') kept.bodies[as] ??= masked(body);
    if (Object.keys(fields).length > 0) {
      kept.answers[status] ??= {};
      kept.answers[status][as] ??= masked(fields);
    }
    const { 'content-type': _, ...shown } = headers;
    kept.parameters = { ...masked({ ...parameters, ...shown }), ...kept.parameters };
    return { fields, tag: tag ?? '' };
  }

  /** The text that the file should have. */
  text(): string {
    const { buyers, operators } = this.#calls;
    return [
      HEAD,
      `export const BUYER_CALLS: RecordedCalls = ${rows(buyers)};`,
      `export const OPERATOR_CALLS: RecordedCalls = ${rows(operators)};`,
      '/** The fields that single errors have beside those of every error. */',
      `export const ERROR_FIELDS: Readonly<Record<string, Named>> = ${rows(this.#errors)};\n`,
    ].join('\n');
  }

  #operationOf(api: Api, call: string): { operationId: string; parameters: Record<string, string> } {
    const [method, whole = ''] = call.split(' ');
    const [path = '', query = ''] = whole.split('?');
    for (const { method: verb, path: template, operation } of callsOf(known(this.#documents)[api])) {
      const names = Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
      const form = new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
      const values = verb === method ? form.exec(path)?.slice(1) : undefined;
      if (values === undefined) continue;
      const inPath = names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]);
      const parameters = Object.fromEntries([...inPath, ...new URLSearchParams(query)]);
      return { operationId: operation.operationId, parameters };
    }
    return assert.fail(`no operation is ${call}`);
  }
}

function sent({ body, headers = {} }: Asked) {
  if (body === undefined) return { headers, text: undefined };
  if (typeof body === 'string') return { headers: { 'content-type': 'text/plain', ...headers }, text: body };
  return { headers: { 'content-type': 'application/json', ...headers }, text: JSON.stringify(body) };
}

/** A line for each operation. */
function rows(table: Readonly<Record<string, unknown>>): string {
  const lines = Object.keys(table)
    .sort()
    .map((name) => `  ${name}: ${JSON.stringify(table[name], withoutEmpty)},\n`);
  return `{\n${lines.join('')}}`;
}

/** Parts of a call that it hasn't. A body may be empty. */
function withoutEmpty(name: string, value: unknown): unknown {
  const isPart = name === 'bodies' || name === 'answers' || name === 'parameters';
  return isPart && Object.keys(value as object).length === 0 ? undefined : value;
}
