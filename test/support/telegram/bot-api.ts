/**
 * A Bot API of the tests' own over HTTP, made from Telegram's public documentation: a real bot talks to it, and the test
 * has its chats in the hand. Each call passes a gate, at which a test may end the bot or the connection.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Chat } from './chat.ts';
import { Faults } from './faults.ts';
import { FloodLimits } from './flood-limits.ts';
import { type Command, METHODS, type Scene } from './methods.ts';
import type { Gate } from './moment.ts';
import { readParameters } from './parameters.ts';
import { blocked, Refusal, tooMany } from './refusal.ts';
import { Updates } from './updates.ts';

export const BOT_TOKEN = '7012345678:AAHtests-of-our-own-0123456789abcdef';
const BOT = { id: 7_012_345_678, is_bot: true, first_name: 'Shop', username: 'tests_shop_bot' };
/** Ids have more than 32 bits. */
const FIRST_CHAT_ID = 6_200_000_000;
const FIRST_QUERY_ID = 4_382_000_000_000_000_000n;

export class BotApi implements Scene {
  readonly bot: typeof BOT;
  readonly updates: Updates;
  readonly chats = new Map<number, Chat>();
  readonly limits = new FloodLimits();
  readonly faults = new Faults();
  readonly commands = new Map<string, readonly Command[]>();
  /** How often each method was asked. */
  readonly asked = new Map<string, number>();
  gate: Gate = () => undefined;
  /** How far away it is: each answer takes so long. */
  latencyMs = 0;
  readonly #server: Server;
  #messages = 0;
  #queries = 0;

  private constructor(bot: typeof BOT, firstUpdateId: number) {
    this.bot = bot;
    this.updates = new Updates(firstUpdateId);
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  /** Each bot has numbers of its own for its updates. */
  static async start(bot = BOT, firstUpdateId = 815_000_001): Promise<BotApi> {
    const api = new BotApi(bot, firstUpdateId);
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Of somebody new. */
  chat(language = 'en'): Chat {
    const id = FIRST_CHAT_ID + 7_919 * this.chats.size;
    const chat = new Chat(id, language, {
      updates: this.updates,
      bot: this.bot,
      nextMessageId: () => ++this.#messages,
      nextQueryId: () => String(FIRST_QUERY_ID + BigInt(++this.#queries)),
    });
    this.chats.set(id, chat);
    return chat;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const url = new URL(request.url ?? '', this.url);
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? [];
    const outcome = await this.#outcome(token, method, request, url, gone.signal);
    if (outcome === 'cut') return void response.destroy();
    const { status, body } = outcome;
    response.once('finish', () => this.gate(method, 'answered'));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  async #outcome(
    token: string | undefined,
    method: string,
    request: IncomingMessage,
    url: URL,
    gone: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: object } | 'cut'> {
    try {
      if (token === undefined) throw new Refusal(404, 'Not Found');
      if (token !== BOT_TOKEN) throw new Refusal(401, 'Unauthorized');
      const parameters = await readParameters(request, url);
      this.asked.set(method, (this.asked.get(method) ?? 0) + 1);
      if (this.gate(method, 'asked') === 'cut') return 'cut';
      const fault = this.faults.take(method);
      if (fault === 'cut') return 'cut';
      if (fault === 'flood') throw tooMany(1);
      if (fault === 'blocked') throw blocked();
      if (fault === 'bad-gateway') throw new Refusal(502, 'Bad Gateway');
      const carryOut = METHODS[method];
      if (carryOut === undefined) throw new Refusal(404, 'Not Found: method not found');
      const result = await carryOut(this, parameters, gone);
      if (this.latencyMs > 0) await delay(this.latencyMs);
      if (gone.aborted || this.gate(method, 'carried out') === 'cut' || fault === 'lost-answer') return 'cut';
      return { status: 200, body: { ok: true, result } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.code, body: error.json };
    }
  }
}
