/**
 * Calls of the operator API that get their answer, whatever happens on the way: what can't be reached, is not ready, or
 * has lost its answer is asked again until the bot is stopped. So each call must be one that may be repeated: by its
 * nature, by its `Idempotency-Key`, or because the caller looks what became of it.
 *
 * A shop that was restored refuses a bot everything until its sales are open: that is waited for, too. A token that does
 * not open is the bot's end.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { pauseAfter } from '../../shared/retry.ts';
import { textLines } from '../../shared/text-lines.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The shop has said no. */
export class ShopRefusal extends Error {
  override readonly name = 'ShopRefusal';
  readonly code: string;
  readonly fields: Fields;

  constructor(code: string, message: string, fields: Fields) {
    super(message);
    this.code = code;
    this.fields = fields;
  }

  static is(error: unknown, ...codes: readonly string[]): error is ShopRefusal {
    return error instanceof ShopRefusal && (codes.length === 0 || codes.includes(error.code));
  }
}

export interface ShopCall {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Below the API's base, with its query. */
  readonly path: string;
  readonly body?: Fields;
  readonly key?: string;
}

export interface CallsOptions {
  /** The operator API's base. */
  readonly url: string;
  readonly token: string;
  readonly signal: AbortSignal;
  /** Hears of the first failure of a row of them, and of every twentieth. */
  readonly say: (line: string) => void;
  /** Nothing gets better by waiting. */
  readonly onHopeless: (reason: string) => void;
}

/** A payment is answered when a supplier has answered. */
const ANSWER_TIMEOUT_MS = 120_000;
/** The server sends an empty line of the feed every 15 s. */
const SILENCE_MS = 45_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const CONNECTIONS = 64;
/** How long a chat waits before it is told that it waits. */
const PATIENCE_MS = 4_000;
/** The last is of a node of a cluster while another takes over. */
const PASSING = ['INTERNAL_ERROR', 'NOT_READY', 'NOT_LEADING'];

export class OperatorCalls {
  readonly #options: CallsOptions;
  readonly #agent: Dispatcher;
  readonly #onWait: (() => void) | undefined;

  constructor(options: CallsOptions, agent: Dispatcher = newAgent(), onWait?: () => void) {
    this.#options = options;
    this.#agent = agent;
    this.#onWait = onWait;
  }

  /** The same, for who wants to be told, once, when an answer takes long. */
  telling(onWait: () => void): OperatorCalls {
    let isTold = false;
    return new OperatorCalls(this.#options, this.#agent, () => {
      if (!isTold) onWait();
      isTold = true;
    });
  }

  /** Rejects with `ShopRefusal`, and when the bot is stopped. */
  async call(call: ShopCall): Promise<Fields> {
    const patience = this.#onWait && setTimeout(this.#onWait, PATIENCE_MS);
    try {
      return await this.#insist(() => this.#send(call));
    } finally {
      clearTimeout(patience);
    }
  }

  /** The bytes of a file, or `too-large` when it has more than `most`. Rejects as `call` does. */
  file(path: string, most: number): Promise<Uint8Array | 'too-large'> {
    return this.#insist(async () => {
      const response = await this.#request({ method: 'GET', path });
      if (response.statusCode !== 200) return refuse(response.statusCode, await response.body.text());
      if (Number(response.headers['content-length'] ?? 0) <= most) return response.body.bytes();
      await response.body.dump();
      return 'too-large';
    });
  }

  /**
   * Lines of the feed at `path`, those that came together in one list. Ends when the node closes it; rejects with
   * whatever goes wrong, and when `end` is aborted: its reader knows where to go on.
   */
  async *feed(path: string, end: AbortSignal): AsyncGenerator<Fields[]> {
    const signal = AbortSignal.any([this.#options.signal, end]);
    const response = await this.#request({ method: 'GET', path }, { bodyTimeout: SILENCE_MS, signal });
    if (response.statusCode !== 200) refuse(response.statusCode, await response.body.text());
    for await (const lines of textLines(response.body)) yield lines.map((line) => JSON.parse(line));
  }

  /** The `seq` behind which the feed of this time begins. */
  feedStart(fromMs: number): Promise<number> {
    return this.#insist(async () => {
      const response = await this.#request({ method: 'GET', path: `/feed?from=${fromMs}` });
      if (response.statusCode !== 200) return refuse(response.statusCode, await response.body.text());
      response.body.on('error', () => {}).destroy();
      return Number(response.headers['x-feed-after']);
    });
  }

  /** Waits after a failure, `failures`th of a row. Rejects with it when waiting doesn't help. */
  async pause(error: unknown, failures: number): Promise<void> {
    const { signal, say, onHopeless } = this.#options;
    signal.throwIfAborted();
    if (ShopRefusal.is(error, 'UNAUTHORIZED')) {
      onHopeless(`the node refuses the operator token: ${error.message}`);
      signal.throwIfAborted();
    }
    if (ShopRefusal.is(error) && !(await this.#isPassing(error))) throw error;
    if (failures === 1 || failures % 20 === 0) say(`The shop is asked again: ${(error as Error).message}`);
    await delay(pauseAfter(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), undefined, { signal });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #insist<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let failures = 1; ; failures += 1) {
      this.#options.signal.throwIfAborted();
      try {
        return await attempt();
      } catch (error) {
        await this.pause(error, failures);
      }
    }
  }

  /** Whether a refusal is one of the moment. Calls that a bot may always make are refused while its shop is closed. */
  async #isPassing({ code }: ShopRefusal): Promise<boolean> {
    if (code !== 'FORBIDDEN') return PASSING.includes(code);
    return this.#send({ method: 'GET', path: '/products?limit=1' }).then(
      () => false,
      () => true,
    );
  }

  async #send(call: ShopCall): Promise<Fields> {
    const response = await this.#request(call);
    const text = await response.body.text();
    return response.statusCode < 300
      ? fieldsOf(text, response.statusCode)
      : refuse(response.statusCode, text);
  }

  #request({ method, path, body, key }: ShopCall, more = {}): Promise<Dispatcher.ResponseData> {
    const { url, token, signal } = this.#options;
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    };
    return request(`${url}${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      dispatcher: this.#agent,
      // A call that changes something goes on to its end when the bot is stopped.
      ...(method === 'GET' ? { signal } : {}),
      ...more,
    });
  }
}

function newAgent(): Agent {
  return new Agent({
    connections: CONNECTIONS,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });
}

function refuse(status: number, text: string): never {
  const { error, message, ...fields } = fieldsOf(text, status);
  if (typeof error !== 'string') throw new Error(`the operator API answered ${status}`);
  throw new ShopRefusal(error, String(message), fields);
}

function fieldsOf(text: string, status: number): Fields {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === 'object' && fields !== null && 'success' in fields) return fields as Fields;
  } catch {
    // Somebody else has answered, such as a proxy.
  }
  throw new Error(`something that is not an operator API answered ${status}: check --operator`);
}
