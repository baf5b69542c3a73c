/**
 * Random orders in a folder with a journal and a checkpoint, and the state that memory has of them: what the listing of
 * orders reads. Beside it every order as it is, in a plain map.
 */
import { NO_ADJUSTMENTS } from '../../../src/engine/adjustments.ts';
import { apply } from '../../../src/engine/apply/apply.ts';
import type { Fact } from '../../../src/engine/fact.ts';
import { NO_ITEM, NO_KEY, type Order, type OrderStatus } from '../../../src/engine/orders.ts';
import { epochBegun } from '../../../src/engine/recovery/epoch-begun.ts';
import { EPOCH_MS, NO_REQUEST, PER_MS } from '../../../src/engine/request-number.ts';
import type { State } from '../../../src/engine/state.ts';
import { checkpointIn } from '../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold, type FoldLimits } from '../../../src/persistence/checkpoint/checkpoint-fold.ts';
import { OrderIndex } from '../../../src/persistence/checkpoint/order-index.ts';
import { openLogReader } from '../../../src/persistence/journal/open-log.ts';
import { recover } from '../../../src/persistence/recovery.ts';
import { worldFacts } from '../../engine/commands.ts';
import { JournalFolder } from '../../persistence/journal/journal-folder.ts';
import type { Random } from '../../support/random.ts';

export const ACCOUNTS = 4;
export const PRODUCTS = 3;
/** Request ids begin later than the other tests. */
export const START_MS = EPOCH_MS + 1_000_000_000;
const BALANCE_MICROS = 1e12;
export const RECIPIENTS = ['@anna', '@Anna', '@bruno_1', '@carla'];

/** Far more than anybody can walk through. */
const SKIP_ORDERS = 1e9;
const LOST_ORDERS = 40;

export class OrderScene {
  readonly orders = new Map<number, Order>();
  /** All that happened. */
  readonly facts: Fact[] = [];
  nowMs = START_MS;
  readonly #random: Random;
  readonly #path: string;
  #folder: JournalFolder;
  #state: State;
  /** Facts that the journal has. */
  #written = 0;
  /** Orders that restores have lost, and nobody has recovered. */
  readonly #lost: Order[] = [];

  private constructor(path: string, folder: JournalFolder, random: Random) {
    this.#path = path;
    this.#folder = folder;
    this.#random = random;
    this.#state = recover(folder.log, folder.checkpoint).state;
    const world = { accounts: ACCOUNTS, products: PRODUCTS, balanceMicros: BALANCE_MICROS, stock: 1_000_000 };
    for (const fact of worldFacts(world)) this.#happen(fact);
  }

  static async open(path: string, random: Random): Promise<OrderScene> {
    return new OrderScene(path, await JournalFolder.open(path), random);
  }

  /** The sources that a listing reads. */
  get sources() {
    const { history, checkpoint } = this.#folder;
    return { engine: { state: this.#state }, history, orderIndex: new OrderIndex(checkpoint) };
  }

  get checkpoint() {
    return this.#folder.checkpoint;
  }

  /** Any of the orders that there are; undefined while there is none. */
  anyOrder(): Order | undefined {
    return [...this.orders.values()][this.#random.between(0, Math.max(0, this.orders.size - 1))];
  }

  /** A purchase, an order from the bot, a step of an order that is there; or a restore, and what comes back after it. */
  happen(): void {
    const random = this.#random;
    if (random.chance(0.5)) this.nowMs += random.between(0, 900);
    if (random.chance(0.004)) this.#restore();
    if (random.chance(0.1)) this.#recover();
    const orderId = this.#state.lastOrderId + 1;
    const order = this.#newOrder(orderId);
    const choice = random.next();
    if (choice < 0.6) this.#place({ ...order, status: 'completed' });
    else if (choice < 0.7) this.#place({ ...order, status: 'pending_delivery' });
    else if (choice < 0.8)
      this.#happen({ kind: 'OrderOpened', order: { ...order, idempotencyKey: NO_KEY }, atMs: this.nowMs });
    else {
      const before = this.anyOrder();
      if (before !== undefined) this.#step(before);
    }
  }

  /** The checkpoint gets all there is; memory keeps it until `forget`. */
  async fold(limits?: Partial<FoldLimits>): Promise<void> {
    const { log, history } = this.#folder;
    this.#state.cut();
    await this.write();
    const fold = new CheckpointFold(checkpointIn(this.#path), openLogReader(this.#path), limits);
    fold.foldThrough(log.head.position);
    while (fold.mergePart());
    await fold.close();
    await history.refresh();
  }

  forget(): void {
    this.#state.dropOlder();
  }

  async restart(): Promise<void> {
    await this.write();
    await this.#folder.close();
    this.#folder = await JournalFolder.open(this.#path);
    this.#state = recover(this.#folder.log, this.#folder.checkpoint).state;
  }

  async close(): Promise<void> {
    await this.write();
    await this.#folder.close();
  }

  async write(): Promise<void> {
    const facts = this.facts.slice(this.#written);
    if (facts.length > 0) await this.#folder.append(facts);
    this.#written = this.facts.length;
  }

  #newOrder(orderId: number): Order {
    const random = this.#random;
    // Most orders follow their request at once, some after minutes, and some are made while the clock is set back.
    const requestMs =
      this.nowMs - (random.chance(0.9) ? random.between(0, 999) : random.between(-5_000, 90_000));
    return {
      orderId,
      accountId: random.between(1, ACCOUNTS),
      idempotencyKey: `key ${orderId}`,
      productId: random.between(1, PRODUCTS),
      quantity: 1,
      expectedPriceUsdt: 0,
      recipientUsername: random.chance(0.3) ? random.pick(RECIPIENTS) : null,
      requestNumber: random.chance(0.9) ? (requestMs - EPOCH_MS) * PER_MS + (orderId % PER_MS) : NO_REQUEST,
      status: 'processing',
      totalMicros: 0,
      balanceAfterMicros: BALANCE_MICROS,
      firstItem: NO_ITEM,
      fileId: null,
      textCount: 0,
      adjustments: NO_ADJUSTMENTS,
      priceRule: 'product',
      priceListId: null,
      createdAtMs: this.nowMs,
    };
  }

  /** Time passes, in which orders were made that are lost. */
  #restore(): void {
    const random = this.#random;
    const state = this.#state;
    const begun = epochBegun(state, {
      epoch: state.epochs.current + 1,
      hash: 'ab'.repeat(32),
      isComplete: random.chance(0.2),
      nowMs: this.nowMs,
    });
    if (begun.gap === null) return this.#happen(begun);
    let orderId = state.lastOrderId;
    for (let count = 0; count < LOST_ORDERS; count += 1) {
      this.nowMs += random.between(0, 500);
      orderId += random.between(1, random.pick([1, 3, SKIP_ORDERS / 100]));
      this.#lost.push(this.#newOrder(orderId));
    }
    const nextOrderId = state.lastOrderId + SKIP_ORDERS;
    const [gap, next] = [
      { ...begun.gap, nextOrderId },
      { ...begun.next, orderId: nextOrderId },
    ];
    this.#happen({ ...begun, gap, next, atMs: this.nowMs });
  }

  #recover(): void {
    const [lost] = this.#lost.splice(this.#random.between(0, this.#lost.length), 1);
    if (lost === undefined) return;
    const order = { ...lost, status: this.#random.pick(['completed', 'pending_delivery'] as const) };
    const money = { debitMicros: 0, waitingMicros: 0, balanceMicros: BALANCE_MICROS };
    this.#happen({ kind: 'OrderRecovered', order, items: [], ...money, atMs: this.nowMs });
  }

  #place(order: Order): void {
    this.#happen({ kind: 'OrderPlaced', order, atMs: this.nowMs });
  }

  #step(order: Order): void {
    const to = (status: OrderStatus): Order => ({ ...order, status });
    const atMs = this.nowMs;
    const balanceMicros = BALANCE_MICROS;
    if (order.status === 'processing') {
      if (this.#random.chance(0.5)) this.#happen({ kind: 'OrderCancelled', order: to('failed'), atMs });
      else this.#happen({ kind: 'OrderPaid', order: to('pending_delivery'), atMs });
    } else if (order.status === 'pending_delivery') {
      if (this.#random.chance(0.5)) this.#happen({ kind: 'OrderDelivered', order: to('completed'), atMs });
      else this.#happen({ kind: 'OrderFailed', order: to('failed'), amountMicros: 0, balanceMicros, atMs });
    } else if (order.status === 'completed') {
      this.#happen({ kind: 'OrderRefunded', order: to('refunded'), amountMicros: 0, balanceMicros, atMs });
    }
  }

  #happen(fact: Fact): void {
    apply(this.#state, fact);
    this.facts.push(fact);
    if ('order' in fact) this.orders.set(fact.order.orderId, fact.order);
  }
}
