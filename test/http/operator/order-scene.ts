/**
 * Random orders in a folder with a journal and a checkpoint, and the state that memory has of them: what the listing of
 * orders reads. Beside it every order as it is, in a plain map.
 */
import { NO_ADJUSTMENTS } from '../../../src/engine/adjustments.ts';
import { apply } from '../../../src/engine/apply.ts';
import type { Fact } from '../../../src/engine/fact.ts';
import { KeyFilter } from '../../../src/engine/key-filter.ts';
import { NO_ITEM, NO_KEY, type Order, type OrderStatus } from '../../../src/engine/orders.ts';
import { EPOCH_MS, NO_REQUEST, PER_MS } from '../../../src/engine/request-number.ts';
import type { State } from '../../../src/engine/state.ts';
import { CheckpointFold } from '../../../src/persistence/checkpoint/checkpoint-fold.ts';
import { OrderIndex } from '../../../src/persistence/checkpoint/order-index.ts';
import { openLogReader } from '../../../src/persistence/journal/open-log.ts';
import { recover } from '../../../src/persistence/recovery.ts';
import { worldFacts } from '../../engine/commands.ts';
import { JournalFolder } from '../../persistence/journal-folder.ts';
import type { Random } from '../../support/random.ts';

export const ACCOUNTS = 4;
export const PRODUCTS = 3;
/** Request ids begin later than the other tests. */
export const START_MS = EPOCH_MS + 1_000_000_000;
const BALANCE_MICROS = 1e12;
export const RECIPIENTS = ['@anna', '@Anna', '@bruno_1', '@carla'];

export class OrderScene {
  readonly orders = new Map<number, Order>();
  nowMs = START_MS;
  readonly #random: Random;
  readonly #path: string;
  #folder: JournalFolder;
  #state: State;
  /** Facts that the journal doesn't have yet. */
  #facts: Fact[] = [];

  private constructor(path: string, folder: JournalFolder, random: Random) {
    this.#path = path;
    this.#folder = folder;
    this.#random = random;
    this.#state = recover(folder.log, folder.tables, new KeyFilter()).state;
    const world = { accounts: ACCOUNTS, products: PRODUCTS, balanceMicros: BALANCE_MICROS, stock: 1_000_000 };
    for (const fact of worldFacts(world)) this.#happen(fact);
  }

  static async open(path: string, random: Random): Promise<OrderScene> {
    return new OrderScene(path, await JournalFolder.open(path), random);
  }

  /** What a listing reads. */
  get sources() {
    const { history, tables } = this.#folder;
    return { engine: { state: this.#state }, history, orderIndex: new OrderIndex(tables) };
  }

  /** A purchase, an order from the bot, or a step of an order that is there. */
  happen(): void {
    const random = this.#random;
    if (random.chance(0.5)) this.nowMs += random.between(0, 900);
    const orderId = this.orders.size + 1;
    const order = this.#newOrder(orderId);
    const choice = random.next();
    if (choice < 0.6) this.#place({ ...order, status: 'completed' });
    else if (choice < 0.7) this.#place({ ...order, status: 'pending_delivery' });
    else if (choice < 0.8)
      this.#happen({ kind: 'OrderOpened', order: { ...order, idempotencyKey: NO_KEY }, atMs: this.nowMs });
    else if (orderId > 1) this.#step(this.orders.get(random.between(1, orderId - 1)) ?? order);
  }

  /** The checkpoint gets all there is; memory keeps it until `forget`. */
  async fold(steps?: { transactionFacts: number; stepFacts: number }): Promise<void> {
    const { log, tables, history } = this.#folder;
    this.#state.cut();
    await this.#write();
    const fold = new CheckpointFold(tables, openLogReader(this.#path), undefined, steps);
    fold.foldThrough(log.head.position);
    fold.mergeKeys();
    await fold.close();
    history.refresh();
  }

  forget(): void {
    this.#state.dropOlder();
  }

  async restart(): Promise<void> {
    await this.#write();
    await this.#folder.close();
    this.#folder = await JournalFolder.open(this.#path);
    this.#state = recover(this.#folder.log, this.#folder.tables, new KeyFilter()).state;
  }

  async close(): Promise<void> {
    await this.#write();
    await this.#folder.close();
  }

  async #write(): Promise<void> {
    if (this.#facts.length > 0) await this.#folder.append(this.#facts);
    this.#facts = [];
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
      createdAtMs: this.nowMs,
    };
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
    this.#facts.push(fact);
    if ('order' in fact) this.orders.set(fact.order.orderId, fact.order);
  }
}
