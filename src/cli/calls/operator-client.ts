/**
 * Calls to the operator API, one connection each: a command makes one or two and ends.
 *
 * Every request that changes something says why, as far as the operator does (`reason.ts`). Every failure is a
 * `CommandFailure`, with one line that says what to do. Only a call with an `Idempotency-Key` is
 * repeated, when its answer is lost; of all others the message says then that the outcome is unknown.
 */
import type { Readable } from 'node:stream';
import { type Dispatcher, errors, request } from 'undici';
import { codeOf } from '../../shared/error-code.ts';
import { isJsonObject, type JsonObject } from '../terminal/answer-text.ts';
import { CommandFailure } from '../terminal/failure.ts';
import { repeatWhenLost } from './lost-answer.ts';
import type { OperatorTarget } from './operator-target.ts';

const ANSWER_TIMEOUT_MS = 30_000;
/**
 * The longest wait of an upload for an answer, and for the upload itself when it stalls. After a large one the server
 * still has to make the last of it durable.
 */
const UPLOAD_TIMEOUT_MS = 300_000;
/** Enough for every withdrawal that `stock withdraw` permits, unless items are very large. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

export interface OperatorCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the API's base, with a leading slash and its query. */
  readonly path: string;
  readonly body?: JsonObject;
  readonly headers?: Headers;
  /** The `Idempotency-Key`, of a call that may be repeated with it. */
  readonly key?: string | undefined;
}

export interface FollowOptions {
  readonly accept?: string;
  /** Gets the headers of the answer, before its first bytes. */
  readonly onOpen?: (headers: Dispatcher.ResponseData['headers']) => void;
}

export interface Upload {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly contentType: string;
  readonly body: Readable;
  /** Undefined when it isn't known beforehand. */
  readonly sizeBytes: number | undefined;
  readonly key?: string | undefined;
}

export interface Answer {
  /** The answer's text as the server sent it. */
  readonly text: string;
  readonly body: JsonObject;
}

type Options = Omit<Dispatcher.RequestOptions, 'path' | 'origin'>;
type Headers = Readonly<Record<string, string>>;

export class OperatorClient {
  readonly #target: OperatorTarget;
  readonly #reason: () => Promise<string | undefined>;

  /** `reason` says why something is changed; it is asked before each request that changes anything. */
  constructor(target: OperatorTarget, reason: () => Promise<string | undefined> = async () => undefined) {
    this.#target = target;
    this.#reason = reason;
  }

  async call({ key, ...call }: OperatorCall): Promise<Answer> {
    const reason = call.method === 'GET' ? undefined : await this.#reason();
    const headers = { ...call.headers, ...keyHeader(key) };
    return repeatWhenLost(key, () => this.#call({ ...call, headers }, reason));
  }

  async #call(
    { method, path, body, headers = {} }: OperatorCall,
    reason: string | undefined,
  ): Promise<Answer> {
    if (method === 'DELETE') return this.#send(withReason(path, reason), { method }, headers);
    const said = reason === undefined ? body : { ...body, reason };
    if (said === undefined) return this.#send(path, { method }, headers);
    const json = { 'content-type': 'application/json', ...headers };
    return this.#send(path, { method, body: JSON.stringify(said) }, json);
  }

  /** Streams the body without holding it. */
  async upload({ method, path, contentType, body, sizeBytes, key }: Upload): Promise<Answer> {
    return this.#send(
      withReason(path, await this.#reason()),
      { method, headersTimeout: UPLOAD_TIMEOUT_MS, body },
      {
        'content-type': contentType,
        ...keyHeader(key),
        ...(sizeBytes === undefined ? {} : { 'content-length': String(sizeBytes) }),
      },
    );
  }

  /** Asks why, if that is to be asked; for who draws on the terminal afterwards. */
  async askReason(): Promise<void> {
    await this.#reason();
  }

  /** Streams the answer of a GET until it ends. Fails when the server sends nothing for `silenceMs`. */
  async *follow(
    path: string,
    silenceMs: number,
    { accept, onOpen }: FollowOptions = {},
  ): AsyncGenerator<Buffer> {
    const { url } = this.#target;
    try {
      const response = await this.#request(
        path,
        { method: 'GET', bodyTimeout: silenceMs },
        accept === undefined ? {} : { accept },
      );
      if (response.statusCode !== 200) unwrap(url, response.statusCode, await readBounded(response.body));
      onOpen?.(response.headers);
      for await (const chunk of response.body) yield chunk as Buffer;
    } catch (error) {
      throw isKnown(error) ? error : unreachable(url, 'GET', error);
    }
  }

  async #send(path: string, options: Options, headers: Headers): Promise<Answer> {
    const { url } = this.#target;
    try {
      const response = await this.#request(path, options, { ...headers, accept: 'application/json' });
      const text = await readBounded(response.body);
      return { text, body: unwrap(url, response.statusCode, text) };
    } catch (error) {
      throw isKnown(error) ? error : unreachable(url, options.method, error);
    }
  }

  #request(path: string, options: Options, headers: Headers): Promise<Dispatcher.ResponseData> {
    const { url, token } = this.#target;
    return request(`${url}${path}`, {
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
      ...options,
      headers: { ...headers, authorization: `Bearer ${token}` },
      reset: true,
    });
  }
}

function keyHeader(key: string | undefined): Headers {
  return key === undefined ? {} : { 'idempotency-key': key };
}

/** Where a call has no JSON body, its query says why. */
function withReason(path: string, reason: string | undefined): string {
  if (reason === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ reason })}`;
}

function isKnown(error: unknown): boolean {
  return error instanceof CommandFailure;
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > MAX_ANSWER_BYTES) throw new CommandFailure('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Statuses that proxies answer with when the node's own answer did not come. */
const GATEWAY_STATUSES: readonly number[] = [502, 504];

/** The body of a success; throws `CommandFailure` for an error of the API. */
function unwrap(url: string, status: number, text: string): JsonObject {
  const body = parseJson(text);
  if (isJsonObject(body)) {
    if (body.success === true && status < 300) return body;
    if (body.success === false && typeof body.error === 'string') {
      const { error, message = '', requestId = 'none' } = body;
      throw new CommandFailure(String(message), {
        refusal: { code: error, requestId: String(requestId), body: JSON.stringify(body) },
      });
    }
  }
  throw new CommandFailure(
    `${url} answered ${status} with a body that is not from the operator API; check --operator and PURSER_OPERATOR_URL`,
    { isLost: GATEWAY_STATUSES.includes(status) },
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const NOT_CONNECTED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused; is the node running? Start it with `purser serve`, or name another',
  ENOTFOUND: 'no such host; check --operator and PURSER_OPERATOR_URL',
  EAI_AGAIN: 'its name could not be looked up; check --operator and PURSER_OPERATOR_URL',
  EHOSTUNREACH: 'no route to it; check --operator and PURSER_OPERATOR_URL',
  ENETUNREACH: 'no route to it; check --operator and PURSER_OPERATOR_URL',
  UND_ERR_CONNECT_TIMEOUT: 'it does not accept connections; check --operator and PURSER_OPERATOR_URL',
};

function unreachable(url: string, method: string, error: unknown): CommandFailure {
  const code = codeOf(error);
  const advice = code === undefined ? undefined : NOT_CONNECTED[code];
  if (advice !== undefined) return new CommandFailure(`cannot reach ${url}: ${advice}`, { cause: error });
  if (error instanceof errors.RequestContentLengthMismatchError) {
    return new CommandFailure('the file changed during the upload; nothing was added', { cause: error });
  }
  const reason =
    error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError
      ? 'no answer in time'
      : `the connection broke (${code ?? (error instanceof Error ? error.message : String(error))})`;
  const outcome =
    method === 'GET' ? '' : '; it is unknown whether the change was made: check before you repeat it';
  return new CommandFailure(`${url}: ${reason}${outcome}`, { isLost: true, cause: error });
}
