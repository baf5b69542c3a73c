/**
 * `purser bot`: a chat bot between a shop and its customers in Telegram, wired as three loops: updates
 * of chats, lines of the shop's feed, and copies that are due.
 *
 * Invariant: what Telegram delivered is carried out, and what a line of the feed makes due is sent, wherever the process is
 * killed (`state/bot-state.ts`); no purchase is made twice (`conversations/buy.ts`). No text of an item, key or token is
 * in a log line.
 */
import { once, setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { BotError, type Composer, GrammyError } from 'grammy';
import { answer, type BotContext, chatIdOf } from './context.ts';
import { balance } from './conversations/balance.ts';
import { buy } from './conversations/buy.ts';
import { help } from './conversations/help.ts';
import { key } from './conversations/key.ts';
import { commandsOf } from './conversations/menu.ts';
import { orders } from './conversations/orders.ts';
import { products } from './conversations/products.ts';
import { questions } from './conversations/questions.ts';
import { start } from './conversations/start.ts';
import { topup } from './conversations/topup.ts';
import { webhook } from './conversations/webhook.ts';
import { Copies } from './copies/copies.ts';
import { DueCopies } from './copies/due-copies.ts';
import { OperatorCalls } from './shop/operator-calls.ts';
import { Shop } from './shop/shop.ts';
import { BotState } from './state/bot-state.ts';
import type { KeptUpdate } from './telegram/kept-update.ts';
import { isGone, type Telegram, type TelegramOptions, telegramOf } from './telegram/telegram.ts';
import { UpdateQueue } from './telegram/update-queue.ts';
import type { Texts } from './texts/text.ts';

export interface BotOptions extends TelegramOptions {
  readonly operator: { readonly url: string; readonly token: string };
  /** A folder of the bot's own. */
  readonly stateFolder: string;
  readonly texts: Texts;
  /** From when on a new bot sends copies, Unix milliseconds; default: now. */
  readonly sinceMs?: number | undefined;
  /** How often it says how it is, where that has changed; default: 30 s. */
  readonly sayEveryMs?: number;
}

/** In this order; the last takes what no other knows. */
const CONVERSATIONS: readonly (() => Composer<BotContext>)[] = [
  start,
  balance,
  topup,
  products,
  buy,
  questions,
  orders,
  key,
  webhook,
  help,
];
/** The time for work that is under way at a stop. The next start carries out what hasn't ended by then. */
const STOP_MS = 5_000;

/** Runs until `signal` is aborted. Rejects when nothing gets better by waiting. */
export async function runBot(options: BotOptions, signal: AbortSignal): Promise<void> {
  const state = await BotState.open(options.stateFolder);
  try {
    await new RunningBot(options, state, signal).run();
  } finally {
    await state.close();
  }
}

class RunningBot {
  readonly #options: BotOptions;
  readonly #state: BotState;
  /** Nothing new is begun. */
  readonly #stop = new AbortController();
  /** Nothing is waited for any more. */
  readonly #end = new AbortController();
  readonly #calls: OperatorCalls;
  readonly #shop: Shop;
  readonly #telegram: Telegram;
  #failure: Error | undefined;

  constructor(options: BotOptions, state: BotState, signal: AbortSignal) {
    this.#options = options;
    this.#state = state;
    // Each chat that waits listens.
    setMaxListeners(0, this.#stop.signal, this.#end.signal);
    const stop = () => this.#stop.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const { operator, say } = options;
    const waits = { signal: this.#stop.signal, say, onHopeless: this.#onHopeless };
    this.#calls = new OperatorCalls({ ...operator, ...waits });
    this.#shop = new Shop(this.#calls);
    state.onFailure = ({ message }) => this.#onHopeless(`the state can't be kept: ${message}`);
    this.#telegram = telegramOf(options, this.#stop.signal, this.#end.signal);
  }

  async run(): Promise<void> {
    const { texts, say, sinceMs, sayEveryMs } = this.#options;
    const { bot, api, pace } = this.#telegram;
    const state = this.#state;
    const shop = this.#shop;
    const { signal } = this.#stop;
    const wired = { state, shop, texts, signal, say, onHopeless: this.#onHopeless };
    const copies = new Copies({ ...wired, api, pace });
    const dueCopies = new DueCopies({
      ...wired,
      calls: this.#calls,
      sinceMs,
      sayEveryMs,
      onDue: (due) => copies.hurry(due),
    });
    const updates = new UpdateQueue({
      ...wired,
      api: bot.api,
      handle: this.#handle,
      onFlood: (chatId) => this.#note(chatId, texts.tooMany),
    });
    this.#converse();
    const running = this.#whole(async () => {
      await bot.init(signal as Parameters<typeof bot.init>[0]);
      state.keepFor(bot.botInfo.id);
      // Before any customer can be answered.
      await dueCopies.begin();
      say(`@${bot.botInfo.username} answers`);
      bot.api.setMyCommands(commandsOf(texts)).catch(() => {});
      await Promise.all([updates, dueCopies, copies].map((part) => this.#whole(() => part.run())));
    });
    await Promise.race([
      running.then(() => updates.end()),
      once(signal, 'abort').then(() => delay(STOP_MS, undefined, { ref: false })),
    ]);
    this.#end.abort();
    await this.#calls.close();
    if (this.#failure !== undefined) throw this.#failure;
  }

  readonly #onHopeless = (reason: string): void => {
    this.#failure ??= new Error(reason);
    this.#stop.abort();
  };

  /** A part that fails ends all of them. */
  async #whole(part: () => Promise<void>): Promise<void> {
    try {
      await part();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#onHopeless(reasonOf(error));
    }
  }

  #converse(): void {
    const { bot } = this.#telegram;
    const { texts } = this.#options;
    bot.use(async (ctx, next) => {
      const chatId = chatIdOf(ctx);
      // Who writes has not blocked the bot, or not any more.
      this.#state.setBlocked(chatId, false);
      ctx.shop = this.#shop.telling(() => this.#note(chatId, texts.wait));
      ctx.texts = texts;
      ctx.state = this.#state;
      ctx.isAnswered = false;
      await next();
      await answer(ctx);
    });
    for (const conversation of CONVERSATIONS) bot.use(conversation());
  }

  readonly #handle = async ({ chatId, update }: KeptUpdate): Promise<void> => {
    try {
      await this.#telegram.bot.handleUpdate(update);
    } catch (thrown) {
      const error = thrown instanceof BotError ? thrown.error : thrown;
      if (this.#stop.signal.aborted) throw error;
      if (isGone(error)) return this.#state.setBlocked(chatId, true);
      // A request to Telegram has codes in it; what it answered has none.
      const reason = error instanceof GrammyError ? error.description : (error as Error).message;
      this.#options.say(`An update could not be carried out: ${reason}`);
      this.#note(chatId, this.#options.texts.failed);
    }
  };

  /** Says something that nothing depends on. */
  #note(chatId: number, text: string): void {
    this.#telegram.bot.api.sendMessage(chatId, text).catch(() => {});
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof GrammyError)) return (error as Error).message;
  const { description } = error;
  if (description === undefined) return 'the server of --telegram-api is no Bot API';
  return [401, 404].includes(error.error_code)
    ? `Telegram refuses the bot's token: ${description}`
    : description;
}
