/**
 * The connections that send one request together: a single one as a rule, twenty when a key is to arrive
 * twenty times at once. The next request leaves when the last of them has its answer (a closed loop), or when the
 * lane's pacer says so.
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
  /** The number of the next request, or -1 when no more are to be sent. */
  take(): number;
  answered(nowMs: number): void;
  /** One squad has nothing left to do. */
  rest(): void;
  fail(error: Error): void;
}

export class Squad implements Sender {
  readonly lane: Lane;
  readonly #window: SquadWindow;
  readonly #request: Buffer;
  #connections: readonly Connection[] = [];
  #awaiting = 0;
  #sentAtMs = 0;
  #account = 0;
  #product = 0;
  #keyNumber = 0;

  constructor(window: SquadWindow, lane: Lane) {
    this.#window = window;
    this.lane = lane;
    this.#request = window.requests.create();
  }

  async connect(host: string, port: number): Promise<void> {
    const opening = Array.from({ length: this.lane.plan.copies }, () =>
      Connection.open(host, port, {
        onReply: (status, bytes, start, end) => this.#answered(status, bytes, start, end),
        onFailure: (error) => this.#window.fail(error),
      }),
    );
    this.#connections = await Promise.all(opening);
  }

  /** The connections are free: begins the next request, if it is time for one. */
  next(nowMs: number): void {
    const { pacer } = this.lane;
    if (pacer === undefined) this.send(nowMs);
    else pacer.offer(this, nowMs);
  }

  /** Sends the next request, or tells the window that there was none left to send. Latency counts from `fromMs`. */
  send(fromMs: number): void {
    const keyNumber = this.#window.take();
    if (keyNumber < 0) {
      this.#window.rest();
      return;
    }
    const { accounts, products, choice } = this.lane.plan;
    if (choice === 'contest') {
      this.#account = accounts.first + (keyNumber % accounts.count);
      this.#product = products.first + Math.floor(keyNumber / accounts.count);
    } else {
      this.#account = this.#window.random.between(accounts.first, accounts.first + accounts.count - 1);
      this.#product = this.#window.random.between(products.first, products.first + products.count - 1);
    }
    this.#keyNumber = keyNumber;
    this.#window.requests.patch(this.#request, this.#account, this.#product, keyNumber);
    this.#awaiting = this.#connections.length;
    this.#sentAtMs = fromMs;
    for (const connection of this.#connections) connection.send(this.#request);
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  #answered(status: number, bytes: Buffer, start: number, end: number): void {
    if (this.#awaiting === 0) throw new Error('an answer came that nobody had asked for');
    const nowMs = performance.now();
    this.#window.answers.add(
      status,
      this.lane.index,
      this.#account,
      this.#product,
      this.#keyNumber,
      bytes,
      start,
      end,
    );
    this.#window.answered(nowMs);
    if (this.#window.measuring) this.lane.record(status, nowMs - this.#sentAtMs);
    this.#awaiting -= 1;
    if (this.#awaiting === 0) this.next(nowMs);
  }
}
