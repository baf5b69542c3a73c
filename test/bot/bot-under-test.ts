/**
 * A bot in this process, between a real node and the tests' own Bot API. It can be ended at a step of its own, as a kill
 * would: what it asks from then on is not heard, and another bot goes on with its folder.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type BotOptions, runBot } from '../../src/bot/bot.ts';
import { LANGUAGES } from '../../src/bot/texts/text.ts';
import { eventually } from '../support/eventually.ts';
import { QuietNode } from '../support/nodes/quiet-node.ts';
import { ok } from '../support/operator-client.ts';
import { BOT_TOKEN, BotApi } from '../support/telegram/bot-api.ts';
import type { Chat, Shown } from '../support/telegram/chat.ts';
import { OperatorProxy } from '../support/telegram/operator-proxy.ts';

const FLAGS = { depositAddress: ['trc20=TShop'] };

export class BotUnderTest {
  readonly node: QuietNode;
  readonly api: BotApi;
  readonly proxy: OperatorProxy;
  readonly lines: string[] = [];
  readonly #token: string;
  #running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  private constructor(node: QuietNode, api: BotApi, proxy: OperatorProxy, token: string) {
    this.node = node;
    this.api = api;
    this.proxy = proxy;
    this.#token = token;
  }

  static async open(purpose: string): Promise<BotUnderTest> {
    const node = await QuietNode.start(purpose, FLAGS);
    const { token = '' } = await ok(node.operator.json('POST', '/operators', { name: 'bot', role: 'bot' }));
    const api = await BotApi.start();
    api.limits.isOn = false;
    const bot = new BotUnderTest(node, api, await OperatorProxy.start(node.operatorUrl), token);
    bot.start();
    return bot;
  }

  get stateFolder(): string {
    return join(this.node.folder.path, 'bot');
  }

  start(more: Partial<BotOptions> = {}): void {
    const stop = new AbortController();
    this.#running = { stop, ended: this.run(more, stop.signal) };
  }

  run(more: Partial<BotOptions> = {}, signal: AbortSignal = new AbortController().signal): Promise<void> {
    const options = {
      telegramToken: BOT_TOKEN,
      telegramApi: this.api.url,
      operator: { url: this.proxy.url, token: this.#token },
      stateFolder: this.stateFolder,
      texts: LANGUAGES.en,
      paceMs: 0,
      sayEveryMs: 50,
      say: (line: string) => this.lines.push(line),
      ...more,
    };
    return runBot(options, signal);
  }

  async stop(): Promise<void> {
    this.#running?.stop.abort();
    await this.#running?.ended;
    this.#running = undefined;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.proxy.stop();
    await this.api.stop();
    await this.node.close();
  }

  /** How the bot is, as the shop tells its operators. */
  async figures(): Promise<Readonly<Record<string, unknown>>> {
    return JSON.parse((await this.node.operator.json('GET', '/bots')).text).bots[0];
  }

  /** Ends the bot at the first step of that name: what it asks then is carried out, and its answer is lost. */
  endAt(name: string): { isOver: boolean } {
    const end = { isOver: false };
    const gate = (step: string, moment: string) => {
      if (!end.isOver && moment === 'carried out' && step === name) {
        end.isOver = true;
        this.#running?.stop.abort();
      }
      return end.isOver ? 'cut' : undefined;
    };
    this.api.gate = gate;
    this.proxy.gate = gate;
    return end;
  }

  /** Another bot goes on where one was ended. */
  async goOn(): Promise<void> {
    await this.stop();
    this.api.gate = () => undefined;
    this.proxy.gate = () => undefined;
    this.start();
  }

  /** A chat that has said `/start`. */
  async chat(balanceUsdt = 0): Promise<BotChat> {
    const chat = new BotChat(this, this.api.chat());
    await chat.ask('/start');
    if (balanceUsdt > 0)
      await ok(this.node.operator.credit(await chat.accountId(), balanceUsdt, randomUUID()));
    return chat;
  }

  async product(input: object, items: readonly string[] = []): Promise<number> {
    const { productId = 0 } = await ok(
      this.node.operator.createProduct({ name: 'Pin', priceUsdt: 1.5, ...input }),
    );
    if (items.length > 0) await ok(this.node.operator.addStock(productId, items));
    return productId;
  }
}

export interface OrderRow {
  readonly orderId: number;
  readonly status: string;
  readonly totalPriceUsdt: number;
}

/** A customer's chat. */
export class BotChat {
  readonly chat: Chat;
  readonly #bot: BotUnderTest;

  constructor(bot: BotUnderTest, chat: Chat) {
    this.#bot = bot;
    this.chat = chat;
  }

  /** The first message that comes after it. */
  ask(text: string): Promise<Shown> {
    const after = this.chat.shown.length;
    this.chat.type(text);
    return this.chat.next(after, `an answer to ${text}`);
  }

  /** Presses the newest button whose data begins so. */
  press(data: string): string {
    return this.chat.press(this.chat.offered(data));
  }

  shows(text: string | RegExp): Promise<Shown> {
    const isIt = (shown: Shown) =>
      typeof text === 'string' ? shown.text.includes(text) : text.test(shown.text);
    return this.chat.next(0, String(text), isIt);
  }

  async file(text: string): Promise<Shown> {
    return this.chat.next(
      0,
      `a file with ${text}`,
      ({ document }) => document?.bytes.includes(text) === true,
    );
  }

  async accountId(): Promise<number> {
    const { text } = await this.#bot.node.operator.json(
      'GET',
      `/accounts?externalId=telegram:${this.chat.id}`,
    );
    return JSON.parse(text).accounts[0]?.accountId ?? 0;
  }

  /** The newest first. */
  async orders(): Promise<OrderRow[]> {
    const path = `/orders?accountId=${await this.accountId()}`;
    return JSON.parse((await this.#bot.node.operator.json('GET', path)).text).orders;
  }

  /** Waits until the bot has carried out all that the chats have said. */
  async settled(): Promise<void> {
    await eventually('all updates are taken', () => this.#bot.api.updates.unconfirmed.length === 0);
  }
}
