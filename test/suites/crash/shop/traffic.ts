/**
 * Load, as the world would make it: buyers that buy, repeat and look, an operator that restocks and credits.
 *
 * Until `expectTheEnd` a failed connection or a 5xx is an error of the server; after it they are what a kill
 * looks like from outside. Every worker keeps one request under way, so the load is bounded by their number.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { BuyerReply } from '../../../support/buyer-client.ts';
import type { Random } from '../../../support/random.ts';
import { type Ledger, send } from './ledger.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { enterCredit, enterUpload, sendCredit, sendUpload } from './stage.ts';

export interface TrafficOptions {
  readonly workers: number;
  /** Purchases are not begun beyond this many. */
  readonly maxPurchases: number;
  /** Whether stock and money are added meanwhile. */
  readonly restocks: boolean;
}

export class Traffic {
  readonly #server: ServerUnderTest;
  readonly #ledger: Ledger;
  readonly #random: Random;
  readonly #options: TrafficOptions;
  #purchases = 0;
  #acknowledged = 0;
  #isOver = false;
  #stopping = false;
  #endExpected = false;

  constructor(server: ServerUnderTest, ledger: Ledger, random: Random, options: TrafficOptions) {
    this.#server = server;
    this.#ledger = ledger;
    this.#random = random;
    this.#options = options;
  }

  /** Resolves when it was stopped, the server is gone as expected, or there is nothing more to buy. */
  async run(): Promise<void> {
    const buyers = Array.from({ length: this.#options.workers }, () =>
      this.#work(() => this.#buySomething()),
    );
    const operator = this.#options.restocks ? [this.#work(() => this.#restock())] : [];
    try {
      await Promise.all([...buyers, ...operator]);
    } finally {
      this.#isOver = true;
    }
  }

  /** Resolves when so many of its purchases are acknowledged, or it is over: how soon is the machine's affair. */
  async untilAcknowledged(count: number): Promise<void> {
    while (!this.#isOver && this.#acknowledged < count) await delay(1);
  }

  /** Lets what is under way finish and begins nothing new. */
  stop(): void {
    this.#stopping = true;
  }

  /** To be called right before the server is killed. */
  expectTheEnd(): void {
    this.#endExpected = true;
  }

  async #work(step: () => Promise<void>): Promise<void> {
    while (!this.#stopping && this.#purchases < this.#options.maxPurchases) {
      try {
        await step();
      } catch (error) {
        this.#stopping = true;
        if (error instanceof assert.AssertionError || !this.#endExpected) throw error;
      }
    }
  }

  async #buySomething(): Promise<void> {
    const random = this.#random;
    const buyer = random.pick(this.#ledger.buyers);
    const { productId, priceCents } = random.pick(this.#ledger.products);
    const quantity = random.chance(0.7) ? 1 : random.between(2, 5);
    const isWrongPrice = random.chance(0.05);
    const expectedPriceUsdt = (priceCents * quantity + (isWrongPrice ? 1 : 0)) / 100;
    const isPlain = random.chance(0.5) && quantity === 1;
    const body = { productId, expectedPriceUsdt, ...(isPlain ? {} : { quantity }) };
    const attempt = this.#ledger.attempt(buyer, randomUUID(), body);
    this.#purchases += 1;

    const buy = async () => expectAnswer(await send(this.#server.buyers, attempt));
    await Promise.all(random.chance(0.1) ? [buy(), buy(), buy()] : [buy()]);

    if (attempt.answer?.status === 201) this.#acknowledged += 1;
    const orderId = attempt.answer?.body.orderId;
    if (orderId !== undefined && random.chance(0.05)) {
      const reply = await this.#server.buyers.order(buyer.apiKey, orderId);
      expectAnswer(reply);
      assert.equal(reply.status, 200, `order ${orderId} was sold, and now: ${reply.text}`);
    }
  }

  async #restock(): Promise<void> {
    const random = this.#random;
    if (random.chance(0.3)) {
      await sendCredit(
        this.#server,
        enterCredit(this.#ledger, random.pick(this.#ledger.buyers), random.between(1, 9999)),
      );
    } else {
      const upload = enterUpload(this.#ledger, random.pick(this.#ledger.products), random.between(1, 150));
      await sendUpload(this.#server, upload);
    }
  }
}

/** Until the end is expected, no answer is an error of the server. */
function expectAnswer({ status, text }: BuyerReply): void {
  if (status >= 500) throw new Error(`${status}: ${text}`);
}
