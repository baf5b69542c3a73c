/**
 * A day of fifty chats with a shop's bot: a real node, a real bot that is killed again and again, and a Bot API that floods,
 * fails and loses answers. In the end the bot is left in peace until it has told all, and the chats are compared with the
 * ledger.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { Random } from '../../support/random.ts';
import { BotApi } from '../../support/telegram/bot-api.ts';
import { OperatorProxy } from '../../support/telegram/operator-proxy.ts';
import { BotProcess } from './bot-process.ts';
import { Comparison } from './comparison.ts';
import { Killer } from './killer.ts';
import { Person } from './person.ts';
import { Shop } from './shop.ts';

const CHATS = 50;
/** So many do something at a time: a bot that begins anew comes to an end with what it finds. */
const AT_A_TIME = 10;
const FAULT_CHANCE = 0.01;
const PATIENCE_MS = 300_000;

export class Day {
  readonly shop: Shop;
  readonly api: BotApi;
  readonly proxy: OperatorProxy;
  readonly bot: BotProcess;
  readonly killer: Killer;
  readonly persons: readonly Person[];
  readonly #random: Random;
  readonly #refunded = new Set<number>();

  private constructor(shop: Shop, api: BotApi, proxy: OperatorProxy, bot: BotProcess, random: Random) {
    this.shop = shop;
    this.api = api;
    this.proxy = proxy;
    this.bot = bot;
    this.#random = random;
    this.killer = new Killer(new Random(random.between(1, 2 ** 31)), () => bot.kill());
    this.persons = Array.from({ length: CHATS }, (_, index) => {
      const language = random.pick(['en', 'en', 'ru', 'zh', 'de']);
      const traits = { isPoor: index % 10 === 3, mayBlock: index % 10 === 6 };
      return new Person(api.chat(language), shop, new Random(random.between(1, 2 ** 31)), traits);
    });
    api.gate = this.killer.gate('Telegram');
    proxy.gate = this.killer.gate('operator');
  }

  static async open(folder: string, random: Random): Promise<Day> {
    const shop = await Shop.open(join(folder, 'node'));
    const api = await BotApi.start();
    const proxy = await OperatorProxy.start(shop.node.operatorUrl);
    const bot = await BotProcess.start({
      folder: join(folder, 'bot'),
      telegramUrl: api.url,
      operatorUrl: proxy.url,
      operatorToken: await shop.botToken(),
    });
    return new Day(shop, api, proxy, bot, random);
  }

  async close(): Promise<void> {
    await this.bot.stop();
    await this.proxy.stop();
    await this.api.stop();
    await this.shop.close();
  }

  /** All begin in peace, and live until the bot was killed so often. */
  async live(kills: number): Promise<void> {
    await Promise.all(this.persons.map((person) => person.begin()));
    this.api.faults.atRandom(this.#random, FAULT_CHANCE, ['flood', 'bad-gateway', 'cut', 'lost-answer']);
    this.killer.begin(kills);
    const isOver = () => this.killer.isDone;
    const idle = [...this.persons];
    const act = async () => {
      while (!isOver()) {
        const [person] = idle.splice(this.#random.between(0, idle.length - 1), 1);
        await person?.act();
        if (person !== undefined) idle.push(person);
      }
    };
    await Promise.all([...Array.from({ length: AT_A_TIME }, act), this.#serve(isOver)]);
  }

  /** Waits until the bot has told all, and compares. */
  async end(): Promise<Comparison> {
    this.api.faults.end();
    for (const person of this.persons) await this.#last(person);
    await this.shop.deliver();
    await eventually('all updates are taken', () => this.api.updates.unconfirmed.length === 0, PATIENCE_MS);
    const found = await this.#whenAllIsTold();
    await Promise.all(this.persons.map((person) => person.askAll()));
    return found;
  }

  /** Copies that came twice without a kill: the answer to the first was lost. */
  get lostAnswers(): number {
    const { faults } = this.api;
    return faults.count('lost-answer', 'sendMessage') + faults.count('lost-answer', 'sendDocument');
  }

  /** An order behind all others of the account: when it has come, so have they. */
  async #last(person: Person): Promise<void> {
    const { productId } = this.shop.goodsOf('items');
    const { accountId } = person;
    const credit = { amountUsdt: 5, reference: `last-${accountId}` };
    await this.shop.json('POST', `/accounts/${accountId}/credits`, credit);
    const { orderId } = await this.shop.json<{ orderId: number }>('POST', '/orders', {
      accountId,
      productId,
    });
    await this.shop.json('POST', `/orders/${orderId}/pay`, {});
    person.byApi.add(orderId);
  }

  async #whenAllIsTold(): Promise<Comparison> {
    let found = new Comparison(this.shop, this.#refunded);
    const deadlineMs = performance.now() + PATIENCE_MS;
    do {
      if (this.bot.failure !== undefined) throw new Error(this.bot.failure);
      await delay(1_000);
      found = new Comparison(this.shop, this.#refunded);
      for (const person of this.persons) await found.compare(person);
    } while (found.differences.length > 0 && performance.now() < deadlineMs);
    return found;
  }

  /** The clerk. */
  async #serve(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      if (this.bot.failure !== undefined) throw new Error(this.bot.failure);
      await this.shop.deliver();
      const person = this.#random.pick(this.persons);
      const orderId = [...person.byApi].at(-1);
      if (orderId !== undefined && this.#random.chance(0.05)) {
        this.#refunded.add(orderId);
        await this.shop.refund(orderId);
      }
      await delay(200);
    }
  }
}
