/**
 * The connections that send together: a single one as a rule; several when a key is to arrive many times at once, or
 * when a buyer asks for several products at once. They send again when the last of them has its answer (a closed
 * loop), or when the lane's pacer says so.
 */
import type { Random } from '../../test/support/random.ts';
import type { AnswerLog } from './answer-log.ts';
import { Connection } from './connection.ts';
import type { Lane } from './lane.ts';
import type { Sender } from './pacer.ts';
import type { PurchaseRequests } from './purchase-request.ts';

/** The window that squads send their requests in. */
export interface SquadWindow {
  readonly requests: PurchaseRequests;
  readonly answers: AnswerLog;
  readonly random: Random;
  readonly measuring: boolean;
  /** When measuring began. */
  readonly fromMs: number;
  /** The number of the next request, or -1 when no more are to be sent. */
  take(): number;
  answered(nowMs: number): void;
  /** One squad has nothing left to do. */
  rest(): void;
  fail(error: Error): void;
}

/** A request to which no answer came, because its connection broke. Asked again with its key, it is the same one. */
export interface Unanswered {
  readonly account: number;
  readonly product: number;
  readonly idempotencyKey: string;
}

/** One request, and the connections that send copies of it. */
interface Asking {
  readonly request: Buffer;
  connections: readonly Connection[];
  product: number;
  keyNumber: number;
  /** Copies without an answer. */
  awaiting: number;
}

export class Squad implements Sender {
  readonly lane: Lane;
  readonly #window: SquadWindow;
  /** One for each product that is asked for at once. */
  readonly #asking: readonly Asking[];
  #awaiting = 0;
  #sentAtMs = 0;
  #account = 0;
  #isResting = false;

  constructor(window: SquadWindow, lane: Lane) {
    this.#window = window;
    this.lane = lane;
    this.#asking = Array.from({ length: lane.plan.basket ?? 1 }, () => ({
      request: window.requests.create(),
      connections: [],
      product: 0,
      keyNumber: 0,
      awaiting: 0,
    }));
  }

  async connect(host: string, port: number): Promise<void> {
    const open = (asking: Asking) =>
      Connection.open(host, port, {
        onReply: (status, bytes, start, end) => this.#answered(asking, status, bytes, start, end),
        onBreak: (error) => this.#broke(error),
        onFailure: (error) => this.#window.fail(error),
      });
    await Promise.all(
      this.#asking.map(async (asking) => {
        const opening = Array.from({ length: this.lane.plan.copies }, () => open(asking));
        asking.connections = await Promise.all(opening);
      }),
    );
  }

  /** The connections are free: begins the next request, if it is time for one. */
  next(nowMs: number): void {
    const { pacer } = this.lane;
    if (pacer === undefined) this.send(nowMs);
    else pacer.offer(this, nowMs);
  }

  /** Sends the next request, or tells the window that there was none left to send. Latency counts from `fromMs`. */
  send(fromMs: number): void {
    if (this.#isResting) return;
    const number = this.#window.take();
    if (number < 0) return this.#rest();
    const { accounts, products, choice } = this.lane.plan;
    let offset: number;
    if (choice === 'contest') {
      this.#account = accounts.first + (number % accounts.count);
      offset = Math.floor(number / accounts.count);
    } else {
      this.#account = this.#window.random.between(accounts.first, accounts.first + accounts.count - 1);
      offset = this.#window.random.between(0, products.count - 1);
    }
    this.#sentAtMs = fromMs;
    let keyNumber = number * this.#asking.length;
    for (const asking of this.#asking) {
      asking.product = products.first + (offset % products.count);
      asking.keyNumber = keyNumber;
      asking.awaiting = asking.connections.length;
      this.#awaiting += asking.awaiting;
      this.#window.requests.patch(asking.request, this.#account, asking.product, keyNumber);
      for (const connection of asking.connections) connection.send(asking.request);
      offset += 1;
      keyNumber += 1;
    }
  }

  /** The requests of a squad that rests of which not one copy was answered. */
  unanswered(): Unanswered[] {
    return this.#asking
      .filter(({ awaiting, connections }) => awaiting > 0 && awaiting === connections.length)
      .map(({ product, keyNumber }) => ({
        account: this.#account,
        product,
        idempotencyKey: this.#window.requests.keyOf(keyNumber),
      }));
  }

  close(): void {
    for (const { connections } of this.#asking) for (const connection of connections) connection.close();
  }

  #answered(asking: Asking, status: number, bytes: Buffer, start: number, end: number): void {
    if (asking.awaiting === 0) throw new Error('an answer came that nobody had asked for');
    const nowMs = performance.now();
    const window = this.#window;
    window.answers.add(
      status,
      this.lane.index,
      this.#account,
      asking.product,
      asking.keyNumber,
      bytes,
      start,
      end,
    );
    window.answered(nowMs);
    if (window.measuring) this.lane.record(status, nowMs - this.#sentAtMs, nowMs - window.fromMs);
    asking.awaiting -= 1;
    this.#awaiting -= 1;
    if (this.#awaiting > 0) return;
    if (this.lane.plan.once === true) this.#leave();
    else this.next(nowMs);
  }

  #broke(error: Error): void {
    if (this.lane.plan.mayBreak === true) this.#leave();
    else this.#window.fail(error);
  }

  #leave(): void {
    this.close();
    this.#rest();
  }

  #rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    this.#window.rest();
  }
}
