/**
 * Checks, from outside, that what the server acknowledged is true: reads every answer of every window after
 * the window, adds it to its own books, and at the end compares the books with what the server then says.
 *
 * The audit shares no code with the server, and proves: no item was delivered twice or out of nowhere, no order id was
 * given twice, every total is the product's price, a key sent many times at once made one order, every wallet adds up
 * to the micro-USDT, and acknowledged orders can be fetched and are what the answer said.
 */
import { isDeepStrictEqual } from 'node:util';
import type { BuyerBody, BuyerClient } from '../../test/support/buyer-client.ts';
import { type AnswerRecord, readAnswers } from '../load/answer-log.ts';
import type { IndexRange, LanePlan } from '../load/plan.ts';
import { inParallel } from '../measure/in-parallel.ts';
import { type KeptOrder, OrderSample } from './order-sample.ts';
import { SeenNumbers } from './seen-numbers.ts';
import type { Violations } from './violations.ts';
import type { World } from './world.ts';

/** One window's lane and what it may be told instead of a delivery. */
export interface AuditedLane {
  readonly plan: LanePlan;
  /** Refusals that are right in this scenario, e.g. `OUT_OF_STOCK` in a contest. */
  readonly refusals: readonly string[];
}

export interface LaneTally {
  /** Orders, each counted once however often it was answered. */
  orders: number;
  readonly refused: Map<string, number>;
}

export interface AcknowledgedOrder {
  /** Index in the world's list. */
  readonly account: number;
  /** Index in the world's list. */
  readonly product: number;
  /** The answer's body. */
  readonly text: string;
}

const callsAtOnce = 16;
const mostKept = 250_000;

export class Audit {
  readonly #sample: OrderSample;
  readonly #world: World;
  readonly #violations: Violations;
  readonly #orderIds = new SeenNumbers();
  #whole: { readonly accounts: IndexRange; readonly orders: OrderSample } | undefined;
  #orders = 0;
  #answers = 0;

  constructor(world: World, violations: Violations, sample: OrderSample) {
    this.#world = world;
    this.#violations = violations;
    this.#sample = sample;
  }

  /** Acknowledged orders so far. */
  get orders(): number {
    return this.#orders;
  }

  /** Answers that were read and checked so far. */
  get answers(): number {
    return this.#answers;
  }

  /** All orders of these accounts will be fetched again, not only a sample, while there is room for them. */
  keepAllOf(accounts: IndexRange): void {
    this.#whole = { accounts, orders: new OrderSample(mostKept, 0) };
  }

  /** Reads one window's answers: a list of chunks from each load process. Returns a tally for each lane. */
  readWindow(
    scenario: string,
    lanes: readonly AuditedLane[],
    answers: readonly (readonly Buffer[])[],
  ): LaneTally[] {
    const tallies = lanes.map((): LaneTally => ({ orders: 0, refused: new Map() }));
    for (const chunks of answers) {
      const firstAnswers = new Map<string, string>();
      for (const chunk of chunks) {
        for (const record of readAnswers(chunk)) {
          const lane = lanes[record.lane];
          const tally = tallies[record.lane];
          this.#answers += 1;
          if (lane === undefined || tally === undefined) throw new Error('an answer of no lane');
          if (lane.plan.copies > 1 && this.#isRepeat(scenario, record, firstAnswers)) continue;
          this.#read(scenario, record, lane, tally);
        }
      }
    }
    return tallies;
  }

  /** Enters the body of one 201 in the books. */
  readOrder(scenario: string, order: AcknowledgedOrder): void {
    const body = parse(order.text);
    this.#orders += 1;
    const wrong = this.#book(order, body);
    if (wrong !== undefined) this.#violations.add(`${scenario}: ${wrong}: ${order.text}`);
    if (body.orderId === undefined) return;
    const { accounts, orders } = this.#whole ?? {};
    const offset = order.account - (accounts?.first ?? 0);
    const isKept = accounts !== undefined && offset >= 0 && offset < accounts.count;
    const sample = isKept && orders !== undefined ? orders : this.#sample;
    sample.offer({ account: order.account, orderId: body.orderId, text: order.text });
  }

  /** Compares the books with the server's balances and orders. Resolves to how many orders are gone or other now. */
  async compare(buyer: BuyerClient): Promise<number> {
    await inParallel(this.#world.accounts, callsAtOnce, async (account, index) => {
      const { status, body } = await buyer.balance(account.apiKey);
      const expectedMicros = account.creditedMicros - account.spentMicros;
      const actualMicros = Math.round((body.balanceUsdt ?? Number.NaN) * 1_000_000);
      if (status === 200 && actualMicros === expectedMicros) return;
      this.#violations.add(
        `wallet ${index}: credited minus acknowledged is ${expectedMicros} micro-USDT, GET /balance says ${actualMicros} (${status})`,
      );
    });
    const orders = [...this.#sample.orders, ...(this.#whole?.orders.orders ?? [])];
    let lost = 0;
    await inParallel(orders, callsAtOnce, async (order) => {
      if (!(await this.#isKept(buyer, order))) lost += 1;
    });
    return lost;
  }

  #read(scenario: string, record: AnswerRecord, lane: AuditedLane, tally: LaneTally): void {
    const text = record.body.toString('utf8');
    if (record.status !== 201) {
      const code = parse(text).error ?? 'no error code';
      tally.refused.set(code, (tally.refused.get(code) ?? 0) + 1);
      if (!lane.refusals.includes(code))
        this.#violations.add(`${scenario}: answered ${record.status} ${text}`);
      return;
    }
    tally.orders += 1;
    this.readOrder(scenario, { account: record.account, product: record.product, text });
  }

  /** Enters an order in the books and says what is wrong with it. */
  #book(order: AcknowledgedOrder, body: BuyerBody): string | undefined {
    const account = this.#world.accounts[order.account];
    const product = this.#world.products[order.product];
    if (account === undefined || product === undefined) return 'an order of nobody or for nothing';
    account.spentMicros += Math.round((body.totalPriceUsdt ?? Number.NaN) * 1_000_000);
    product.sold += 1;
    if (body.success !== true || body.status !== 'completed') return 'not a completed order';
    if (!Number.isSafeInteger(body.orderId) || (body.orderId ?? -1) < 0) return 'no order id';
    if (!this.#orderIds.add(body.orderId ?? 0)) return 'an order id that was given before';
    if (body.productId !== product.productId || body.quantity !== 1) return 'another product or quantity';
    if (body.totalPriceUsdt !== product.priceUsdt) return 'another total than was expected';
    const items = body.delivery?.items ?? [];
    if (items.length !== 1) return `${items.length} items instead of 1`;
    const delivery = this.#world.items.deliver(items[0] ?? '', order.product);
    return delivery === 'first'
      ? undefined
      : `an item that was ${delivery === 'again' ? 'delivered before' : delivery}`;
  }

  /** True for all but the first answer to a key; they must be the same but for `requestId`. */
  #isRepeat(scenario: string, record: AnswerRecord, firstAnswers: Map<string, string>): boolean {
    const key = `${record.lane}/${record.keyNumber}`;
    const { requestId: _, ...rest } = parse(record.body.toString('utf8'));
    const answer = `${record.status} ${JSON.stringify(rest)}`;
    const first = firstAnswers.get(key);
    if (first === undefined) {
      firstAnswers.set(key, answer);
      return false;
    }
    if (first !== answer) this.#violations.add(`${scenario}: one key, two answers: ${first} and ${answer}`);
    return true;
  }

  async #isKept(buyer: BuyerClient, order: KeptOrder): Promise<boolean> {
    const apiKey = this.#world.accounts[order.account]?.apiKey ?? '';
    const { status, body, text } = await buyer.order(apiKey, order.orderId);
    const { requestId: _, balanceAfterUsdt: __, ...acknowledged } = parse(order.text);
    const { requestId: ___, ...fetched } = body;
    if (status === 200 && isDeepStrictEqual(fetched, acknowledged)) return true;
    this.#violations.add(
      `order ${order.orderId} was acknowledged as ${order.text}, is now ${status} ${text}`,
    );
    return false;
  }
}

function parse(text: string): BuyerBody {
  try {
    return JSON.parse(text) as BuyerBody;
  } catch {
    return {} as BuyerBody;
  }
}
