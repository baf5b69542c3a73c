/**
 * A person of a chat: loads the wallet, buys by button and by API, asks this and that, blocks the bot at times. One thing is
 * done after the other, and each is waited for, so what must be in the ledger in the end is known beforehand.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Random } from '../../support/random.ts';
import type { Chat, Shown } from '../../support/telegram/chat.ts';
import { type Goods, PACK, type Shop } from './shop.ts';

/** The ways to answer a question. The first press counts. */
const PRESSES = [['yes'], ['yes', 'yes'], ['yes', 'no'], ['no'], ['no', 'no'], ['no', 'yes']] as const;
const QUESTIONS = ['/balance', '/products', '/orders', '/key', '/webhook', '/help'];
const TOPUP_USDT = 200;
const KEY = /\bpk_live_[\da-f]{24,}/g;
const AMOUNT = /\d+\.\d{3,6}/g;
/** A bot that is killed all the time has the work of fifty. */
const PATIENCE_MS = 300_000;

export class Person {
  readonly chat: Chat;
  accountId = 0;
  /** Orders that were made by API. */
  readonly byApi = new Set<number>();
  /** Orders that `/order` was asked for: their items are shown again. */
  readonly askedFor = new Set<number>();
  /** Purchases that a press made, as `product x quantity`. */
  readonly bought: string[] = [];
  /** Orders whose copy a blocked bot may have passed over. */
  readonly excused = new Set<number>();
  /** Amounts of deposits that were paid: a message that comes twice is paid once. */
  readonly #paid = new Set<number>();
  /** The wallet holds at least so much. */
  #walletUsdt = 0;
  /** The wallet of some stays empty. */
  readonly #isPoor: boolean;
  readonly #mayBlock: boolean;
  readonly #random: Random;
  readonly #shop: Shop;

  constructor(chat: Chat, shop: Shop, random: Random, traits: { isPoor: boolean; mayBlock: boolean }) {
    this.chat = chat;
    this.#shop = shop;
    this.#random = random;
    this.#isPoor = traits.isPoor;
    this.#mayBlock = traits.mayBlock;
  }

  async start(): Promise<void> {
    await this.ask('/start');
    this.accountId = (await this.#shop.accountOf(this.chat.id)) ?? assert.fail('/start made no account');
  }

  /** All that is needed to buy, in the chat and by API. */
  async begin(): Promise<void> {
    await this.start();
    if (!this.#isPoor) await this.#topUp();
    await this.#newKey();
  }

  /** The first message that comes after it. */
  async ask(
    command: string,
    what = `an answer to ${command}`,
    isIt?: (shown: Shown) => boolean,
  ): Promise<Shown> {
    const after = this.chat.shown.length;
    this.chat.type(command);
    return this.chat.until(what, () => this.chat.shown.slice(after).find(isIt ?? (() => true)), PATIENCE_MS);
  }

  /** A bot that is left in peace knows the products, the balance and the key. */
  async askAll(): Promise<void> {
    await this.ask('/products', 'the products', ({ text }) =>
      ['Game <code> & more', 'Pins', 'Handbook', 'Top-up'].every((name) => text.includes(name)),
    );
    const account = await this.#shop.json<{ balanceUsdt: number; keyPrefix?: string }>(
      'GET',
      `/accounts/${this.accountId}`,
    );
    await this.ask('/balance', `the balance ${account.balanceUsdt}`, ({ text }) =>
      (text.match(/\d+(\.\d+)?/g) ?? []).map(Number).includes(account.balanceUsdt),
    );
    const { keyPrefix } = account;
    if (keyPrefix !== undefined) await this.ask('/key', 'the key', ({ text }) => text.includes(keyPrefix));
  }

  /** The key that was shown last; undefined when none was. */
  get key(): string | undefined {
    const byTime = [...this.chat.shown].sort((a, b) => a.changedMs - b.changedMs);
    return byTime.flatMap(({ text }) => text.match(KEY) ?? []).at(-1);
  }

  /** One thing, from its begin to its end. */
  async act(): Promise<void> {
    const random = this.#random;
    const isShort = !this.#isPoor && this.#walletUsdt < 10;
    if (isShort) return this.#topUp();
    const drawn = random.next();
    if (drawn < 0.3) return this.#buy();
    if (drawn < 0.55 && !this.#isPoor && this.key !== undefined) return this.#buyByApi();
    if (drawn < 0.63 || this.key === undefined) return this.#newKey();
    if (drawn < 0.7) return this.#askForOrder();
    if (drawn < 0.75 && this.#mayBlock) return this.#blockForAWhile();
    if (drawn < 0.78 && !this.#isPoor) return this.#topUp();
    await this.ask(random.pick(QUESTIONS));
  }

  async #topUp(): Promise<void> {
    let paid: { address: string; payUsdt: number } | undefined;
    await this.ask(`/topup ${TOPUP_USDT}`, 'an address and an amount', ({ text }) => {
      const address = /TShop(One|Two)/.exec(text)?.[0];
      const payUsdt = (text.match(AMOUNT) ?? []).map(Number).find((each) => Math.floor(each) === TOPUP_USDT);
      if (address === undefined || payUsdt === undefined || this.#paid.has(payUsdt)) return false;
      paid = { address, payUsdt };
      return true;
    });
    const { address, payUsdt } = paid ?? assert.fail();
    this.#paid.add(payUsdt);
    await this.#shop.pay(this.accountId, address, payUsdt, this.#random);
    this.#walletUsdt += payUsdt;
  }

  async #buy(): Promise<void> {
    const { productId, quantity, totalUsdt } = this.#choice();
    const question = await this.ask(
      `/buy ${productId} ${quantity}`,
      'the question whether to buy',
      isQuestion,
    );
    const presses = this.#random.pick(PRESSES);
    const isPaid = presses[0] === 'yes' && this.#walletUsdt >= totalUsdt;
    if (isPaid) {
      this.bought.push(`${productId} x ${quantity}`);
      this.#walletUsdt -= totalUsdt;
    }
    await this.#press(question, presses);
  }

  async #buyByApi(): Promise<void> {
    const { productId, quantity, totalUsdt } = this.#choice();
    if (this.#walletUsdt < totalUsdt) return;
    this.#walletUsdt -= totalUsdt;
    const idempotencyKey = randomUUID();
    const body = { productId, quantity, expectedPriceUsdt: totalUsdt };
    // A bot that was killed between issuing a key and showing it shows another: the old one isn't tried again.
    let refused: string | undefined;
    const orderId = await this.chat.until(
      'a key that works',
      () => {
        const { key } = this;
        if (key === undefined || key === refused) return undefined;
        return this.#shop.buyers.purchase(key, idempotencyKey, body).then(({ status, body: reply, text }) => {
          if (status === 401) {
            refused = key;
            return undefined;
          }
          assert.equal(status, 201, text);
          return reply.orderId;
        });
      },
      PATIENCE_MS,
    );
    this.byApi.add(orderId);
    if (this.chat.isBlocked) this.excused.add(orderId);
  }

  #choice(): { productId: number; quantity: number; totalUsdt: number } {
    const kind = this.#random.pick<Goods['kind']>([
      'items',
      'items',
      'items',
      'items',
      'pack',
      'file',
      'manual',
    ]);
    const { productId, priceUsdt } = this.#shop.goodsOf(kind);
    const most = { items: 3, pack: PACK, file: 1, manual: 1 }[kind];
    const quantity = kind === 'pack' ? most : this.#random.between(1, most);
    return { productId, quantity, totalUsdt: Number((priceUsdt * quantity).toFixed(2)) };
  }

  async #newKey(): Promise<void> {
    const before = this.key;
    const shown = await this.ask(
      '/newkey',
      'a question, or a key',
      (message) => isQuestion(message) || message.text.match(KEY) !== null,
    );
    const presses = before === undefined ? PRESSES[1] : this.#random.pick(PRESSES);
    if (isQuestion(shown)) await this.#press(shown, presses);
    if (presses[0] === 'no') return;
    await this.chat.until('a new key', () => (this.key === before ? undefined : true), PATIENCE_MS);
  }

  async #press(question: Shown, presses: readonly ('yes' | 'no')[]): Promise<void> {
    const after = this.chat.shown.length;
    const queries = presses.map((data) => this.chat.press(buttonOf(question, data)));
    const isDone = () =>
      question.buttons.length === 0 ||
      this.chat.shown.length > after ||
      this.chat.answers.some(({ queryId }) => queries.includes(queryId));
    await this.chat.until('the press is carried out', () => (isDone() ? true : undefined), PATIENCE_MS);
  }

  async #askForOrder(): Promise<void> {
    const orderId = [...this.byApi].at(-1);
    if (orderId === undefined) return;
    this.askedFor.add(orderId);
    await this.ask(`/order ${orderId}`, 'the order', ({ text }) => text.includes(String(orderId)));
  }

  async #blockForAWhile(): Promise<void> {
    this.chat.block();
    for (let left = this.#random.between(0, 2); left > 0 && this.key !== undefined; left -= 1)
      if (this.#walletUsdt >= 10) await this.#buyByApi();
    await this.unblock();
  }

  async unblock(): Promise<void> {
    this.chat.unblock();
    await this.ask('/start');
    for (const { orderId, status } of await this.#shop.ordersOf(this.accountId))
      if (status === 'completed' || status === 'refunded') this.excused.add(orderId);
  }
}

function isQuestion({ buttons }: Shown): boolean {
  return buttons.flat().some(({ callback_data: data }) => data?.startsWith('yes'));
}

function buttonOf(message: Shown, data: string) {
  const button = message.buttons.flat().find(({ callback_data: each }) => each?.startsWith(data));
  return { message, button: button ?? assert.fail(`no button ${data}`) };
}
