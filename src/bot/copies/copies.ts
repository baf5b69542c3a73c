/**
 * Courtesy copies: from the lines of the feed to the chats.
 *
 * Invariant: a line's copy is on disk as due before the place in the feed is behind the line, and until it was sent; an
 * order's copy is due once, though its line may come again. At most one request of a copy is under way, over all chats, and
 * its end is on disk before the next begins: so a bot that is killed sends at most that one request again.
 *
 * A copy of one order is a message, and then a file. Copies that a chat has waiting together, and those of many chats, are
 * one request: a file with the orders below it. So what comes faster than a chat may be written to still comes within a
 * second or two. A chat that has to wait, or has blocked the bot, keeps none of the others waiting, and nor does a copy that
 * fails, such as that of a file which the node can't read: it is put off, and comes when it can.
 *
 * Rejected: several requests at once, which a kill would repeat; items in the state, where a disk could give them away.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Api, GrammyError, InputFile } from 'grammy';
import { pauseAfter } from '../../shared/retry.ts';
import { ShopRefusal } from '../shop/operator-calls.ts';
import { chatIdOf, type Order, type Shop } from '../shop/shop.ts';
import type { BotState, DueCopy } from '../state/bot-state.ts';
import type { ChatPace } from '../telegram/chat-pace.ts';
import { isGone, isPassing, waitMsOf } from '../telegram/telegram.ts';
import type { Texts } from '../texts/text.ts';
import {
  captionOf,
  type DeliveredOrder,
  deliveredOrder,
  documentOf,
  messageOf,
  type TelegramFile,
  textFileOf,
} from './copy-text.ts';

/** Orders whose copies go together at most. */
const MOST_TOGETHER = 30;
/** With more chats waiting, copies are one request each: a bot may send 30 a second. */
const MANY_CHATS = 10;
/** Characters of items that go together. */
const MOST_OF_FILE = 4 * 1024 * 1024;
/** Orders that are read before their turn. */
const MOST_READ = 300;
const READ_AGE_MS = 5_000;
const MOST_CHATS_KNOWN = 100_000;
const TIMEOUT_MS = 60_000;
const UPLOAD_TIMEOUT_MS = 300_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** A copy that could not be sent is put off: for longer than the pause, so that others come in between. */
const FIRST_LATE_MS = 2 * FIRST_PAUSE_MS;
const LONGEST_LATE_MS = 30_000;
const IDLE_MS = 60_000;

export interface CopiesOptions {
  readonly api: Api;
  readonly pace: ChatPace;
  readonly shop: Shop;
  readonly state: BotState;
  readonly texts: Texts;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Copies of one account, by their numbers. */
type Waiting = [number: number, copy: DueCopy][];

interface Told extends DeliveredOrder {
  readonly number: number;
  readonly isTold: boolean;
}

export class Copies {
  readonly #options: CopiesOptions;
  /** By account. */
  readonly #chats = new Map<number, number>();
  /** Orders that were read, or are being read, by number. */
  readonly #orders = new Map<number, { readonly order: Promise<Order | undefined>; readonly atMs: number }>();
  /** Copies that could not be sent, by number: how often by now, and when they are tried again. */
  readonly #late = new Map<number, { readonly failures: number; readonly atMs: number }>();
  #hasNew = false;
  #wake: () => void = () => {};

  constructor(options: CopiesOptions) {
    this.#options = options;
  }

  /** There are new ones. Their orders are read at once, beside what is being sent. */
  hurry(due: readonly DueCopy[]): void {
    for (const copy of due) if (this.#orders.size < MOST_READ) this.#orderOf(copy).catch(() => {});
    this.#hasNew = true;
    this.#wake();
  }

  /** Until the bot is stopped; a request that is under way is ended first. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    for (let failures = 0; !signal.aborted; ) {
      const waitMs = await this.#next().catch((error: unknown) => {
        if (signal.aborted) return 0;
        // The shop has refused one copy, which is put off: the others need no rest.
        if (ShopRefusal.is(error)) return 0;
        if (!isPassing(error)) throw error;
        failures += 1;
        return pauseAfter(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
      });
      if (waitMs === 0) failures = 0;
      else await this.#rest(waitMs);
    }
  }

  /** Sends what is next. How long there is nothing to be sent: 0 when something was. */
  async #next(): Promise<number> {
    const { pace, state } = this.#options;
    this.#hasNew = false;
    const nowMs = performance.now();
    const accounts = this.#accounts(nowMs);
    let waitMs = Math.min(IDLE_MS, ...this.#lateMs(nowMs));
    for (const [accountId, waiting] of accounts) {
      try {
        const chatId = await this.#chatOf(accountId);
        if (chatId === undefined || state.isBlocked(chatId)) {
          this.#end(waiting.map(([number]) => number));
          continue;
        }
        const chatWaitMs = pace.waitMs(chatId);
        waitMs = Math.min(waitMs, chatWaitMs);
        if (chatWaitMs > 0) continue;
        await this.#send(chatId, waiting.slice(0, MOST_TOGETHER), accounts.size > MANY_CHATS);
        return 0;
      } catch (error) {
        this.#putOff(waiting, error as Error);
        throw error;
      }
    }
    return Math.max(1, waitMs);
  }

  /** The first of these copies: the others are tried without it. */
  #putOff([first]: Waiting, { message }: Error): void {
    const { signal, say } = this.#options;
    if (first === undefined || signal.aborted) return;
    const [number, { orderId }] = first;
    const failures = (this.#late.get(number)?.failures ?? 0) + 1;
    const atMs = performance.now() + pauseAfter(failures, FIRST_LATE_MS, LONGEST_LATE_MS);
    this.#late.set(number, { failures, atMs });
    if (failures === 1 || failures % 20 === 0) say(`The copy of order ${orderId} is sent again: ${message}`);
  }

  /** In how many milliseconds each copy that was put off is tried again. */
  #lateMs(nowMs: number): number[] {
    return Array.from(this.#late.values(), ({ atMs }) => atMs - nowMs).filter((ms) => ms > 0);
  }

  /** The copies that wait and that are not put off, by account: who waits longest comes first. */
  #accounts(nowMs: number): Map<number, Waiting> {
    const accounts = new Map<number, Waiting>();
    for (const entry of this.#options.state.copies.entries()) {
      const [number, { accountId }] = entry;
      if ((this.#late.get(number)?.atMs ?? 0) > nowMs) continue;
      const waiting = accounts.get(accountId);
      if (waiting === undefined) accounts.set(accountId, [entry]);
      else waiting.push(entry);
    }
    return accounts;
  }

  /** Undefined of an account that is no chat's. */
  async #chatOf(accountId: number): Promise<number | undefined> {
    const known = this.#chats.get(accountId);
    if (known !== undefined) return known;
    const account = await this.#options.shop.account(accountId);
    const chatId = account && chatIdOf(account);
    if (chatId === undefined) return undefined;
    if (this.#chats.size >= MOST_CHATS_KNOWN) this.#chats.clear();
    this.#chats.set(accountId, chatId);
    return chatId;
  }

  /** One request for a chat: of copies that wait together, or the next part of one. */
  async #send(chatId: number, waiting: Waiting, isCrowded: boolean): Promise<void> {
    const { state, texts, shop } = this.#options;
    const orders = await this.#read(waiting);
    const [first] = orders;
    if (first === undefined) return;
    if (first.downloadUrl !== undefined) {
      const { html, file } = await documentOf(texts, shop, first);
      if (await this.#request(chatId, html, file)) this.#end([first.number]);
      return;
    }
    const together = fittingOf(orders);
    const numbers = together.map(({ number }) => number);
    const untold = together.filter(({ isTold }) => !isTold);
    const html = untold.length === 0 ? undefined : captionOf(texts, untold);
    if (together.every(({ items }) => items.length === 0)) {
      if (html === undefined || (await this.#request(chatId, html))) this.#end(numbers);
    } else if (together.length === 1 && !first.isTold && !isCrowded) {
      if (await this.#request(chatId, messageOf(texts, first).html)) state.tellCopies(numbers);
    } else if (await this.#request(chatId, html, textFileOf(texts, together))) this.#end(numbers);
  }

  /** The orders as they are now. An order that the account has no more, after a restore of the shop, has no copy. */
  async #read(waiting: Waiting): Promise<Told[]> {
    const { shop } = this.#options;
    const read = await Promise.all(
      waiting.map(async ([number, copy]) => {
        const order = await this.#orderOf(copy);
        return order && { ...(await deliveredOrder(shop, order)), number, isTold: copy.isTold ?? false };
      }),
    );
    const gone = waiting.filter((_entry, index) => read[index] === undefined);
    this.#end(gone.map(([number]) => number));
    return read.filter((each) => each !== undefined);
  }

  /** The order as it is, or was some seconds ago. */
  #orderOf({ orderId, accountId }: DueCopy): Promise<Order | undefined> {
    const nowMs = performance.now();
    const read = this.#orders.get(orderId);
    if (read !== undefined && nowMs - read.atMs < READ_AGE_MS) return read.order;
    const order = this.#options.shop.order(accountId, orderId, true);
    this.#orders.set(orderId, { order, atMs: nowMs });
    order.catch(() => this.#orders.delete(orderId));
    return order;
  }

  #end(numbers: readonly number[]): void {
    const { state } = this.#options;
    for (const number of numbers) {
      this.#orders.delete(state.copies.get(number)?.orderId ?? 0);
      this.#late.delete(number);
    }
    state.endCopies(numbers);
  }

  /**
   * Whether it is done: Telegram has taken it, or nobody ever will, for a copy that it refuses must not hold up the others.
   * Otherwise the chat has to wait. Rejects when Telegram has to be left alone.
   */
  async #request(chatId: number, html: string | undefined, file?: TelegramFile): Promise<boolean> {
    const { state, say, pace } = this.#options;
    try {
      if (file !== undefined) await this.#upload(chatId, html, file);
      else if (html !== undefined) await this.#message(chatId, html);
    } catch (error) {
      if (!(error instanceof GrammyError) || isPassing(error)) throw error;
      const waitMs = waitMsOf(error);
      if (waitMs !== undefined) {
        pace.holdBack(chatId, waitMs);
        return false;
      }
      if (isGone(error)) state.setBlocked(chatId, true);
      else say(`Telegram refuses a copy: ${error.description}`);
    }
    return true;
  }

  async #message(chatId: number, html: string): Promise<void> {
    const more = { parse_mode: 'HTML', link_preview_options: { is_disabled: true } } as const;
    await this.#options.api.sendMessage(chatId, html, more, within(TIMEOUT_MS));
  }

  async #upload(chatId: number, caption: string | undefined, { name, bytes }: TelegramFile): Promise<void> {
    const more = caption === undefined ? {} : { caption, parse_mode: 'HTML' as const };
    await this.#options.api.sendDocument(chatId, new InputFile(bytes, name), more, within(UPLOAD_TIMEOUT_MS));
  }

  async #rest(ms: number): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    if (this.#hasNew || this.#options.signal.aborted) return;
    await delay(ms, undefined, { signal: woken.signal }).catch(() => {});
  }
}

/** Orders from the first on that one file has room for, without the ones that deliver a file of their own. */
function fittingOf(orders: readonly Told[]): Told[] {
  let size = 0;
  return orders.filter(({ downloadUrl, items }, index) => {
    if (downloadUrl !== undefined) return false;
    size += items.reduce((sum, item) => sum + item.length, 0);
    return index === 0 || size <= MOST_OF_FILE;
  });
}

function within(ms: number): Parameters<Api['sendMessage']>[3] {
  return AbortSignal.timeout(ms) as Parameters<Api['sendMessage']>[3];
}
