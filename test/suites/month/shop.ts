/**
 * The node of the month, and those who talk to it: buyers, and operators each with a token of their own.
 *
 * Invariant: a call that a kill has cut off is asked again, the same, of the node that was started after it (`insist`);
 * any other lost connection is an error. So all that was begun is answered in the shift in which it began.
 */
import assert from 'node:assert/strict';
import { setImmediate as tick } from 'node:timers/promises';
import { BuyerClient } from '../../support/buyer-client.ts';
import { eventually } from '../../support/eventually.ts';
import { type PurserProcess, startPurser } from '../../support/nodes/purser-process.ts';
import { OperatorClient } from '../../support/operator-client.ts';
import { SHIFTS, type Shift } from './calendar.ts';
import { movedNode } from './month-node.ts';
import type { Operator } from './staff.ts';

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body & { readonly requestId: string; readonly error?: string; readonly message?: string };
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;
/** Later times of a shift, after its node was killed. */
const AFTER_KILL_MS = 60 * 60_000;

export class Shop {
  readonly #dataDir: string;
  readonly #tokens = new Map<Operator, string>();
  #clients = new Map<Operator, OperatorClient>();
  #process: PurserProcess | undefined;
  #buyers: BuyerClient | undefined;
  #current: Shift = SHIFTS[0] ?? assert.fail();
  /** While the node is away. */
  #back: Promise<void> | undefined;
  #starts = 0;

  private constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  static async open(dataDir: string): Promise<Shop> {
    const shop = new Shop(dataDir);
    await shop.#start(0);
    return shop;
  }

  get shift(): Shift {
    return this.#current;
  }

  get buyers(): BuyerClient {
    assert.ok(this.#buyers);
    return this.#buyers;
  }

  /** From now on. */
  setToken(operator: Operator, token: string): void {
    this.#tokens.set(operator, token);
    this.#clients.delete(operator);
  }

  /** Any call, and its whole answer, whatever it is. */
  async ask<Body = object>(
    operator: Operator,
    method: string,
    path: string,
    body?: unknown,
    headers: Headers = {},
  ): Promise<Answer<Body>> {
    const type: Headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    // Whoever has computed for seconds hears only now that the server closed connections that were idle meanwhile.
    for (let turns = 0; turns < 2; turns += 1) await tick();
    const client = this.#clientOf(operator);
    const { status, body: parsed, text } = await client.request(method, path, { ...type, ...headers }, sent);
    return { status, body: parsed as unknown as Answer<Body>['body'], text };
  }

  /** A call that must succeed. */
  async tell<Body = object>(...call: Parameters<Shop['ask']>): Promise<Answer<Body>['body']> {
    const { status, body, text } = await this.ask<Body>(...call);
    assert.ok(status >= 200 && status < 300, `${call[0]}: ${call[1]} ${call[2]}: ${status} ${text}`);
    return body;
  }

  /** Until it is answered. `isFirst`: nothing was cut off before. */
  async insist<T>(call: () => Promise<T>): Promise<{ answer: T; isFirst: boolean }> {
    for (let isFirst = true; ; isFirst = false) {
      await this.#back;
      const starts = this.#starts;
      try {
        return { answer: await call(), isFirst };
      } catch (error) {
        const isCutOff = this.#back !== undefined || this.#starts > starts;
        if (!isCutOff || error instanceof assert.AssertionError) throw error;
      }
    }
  }

  /** kill -9, whatever is under way, and another start in the same shift. */
  async killAndStart(): Promise<void> {
    let isBack = () => {};
    this.#back = new Promise((resolve) => {
      isBack = resolve;
    });
    await this.#process?.kill();
    this.#leave();
    await this.#start(AFTER_KILL_MS);
    this.#back = undefined;
    isBack();
  }

  /** Nothing may be under way but what is to end in the next shift. */
  async nextShift(): Promise<void> {
    const next = SHIFTS[this.#current.index + 1];
    assert.ok(next && this.#process);
    process.kill(this.#process.pid, 'SIGUSR2');
    await eventually('the next shift', async () => {
      const { requestId } = await this.tell('root', 'GET', '/ready');
      return Number(requestId.split('_')[1]) >= next.fromMs;
    });
    this.#current = next;
  }

  /** SIGTERM; it must end well. */
  async stop(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    this.#leave();
    assert.equal((await process?.stop()) ?? 0, 0, process?.output());
  }

  async kill(): Promise<void> {
    await this.#process?.kill();
    this.#leave();
  }

  #leave(): void {
    this.#buyers?.close();
    this.#clients = new Map();
  }

  async #start(intoShiftMs: number): Promise<void> {
    this.#starts += 1;
    const { index, fromMs } = this.#current;
    const times = [fromMs + intoShiftMs, ...SHIFTS.slice(index + 1).map((shift) => shift.fromMs)];
    this.#process = await startPurser({ dataDir: this.#dataDir, ...movedNode(times) });
    this.#tokens.set('root', this.#process.operatorToken);
    this.#buyers = new BuyerClient(this.#process.buyerUrl);
  }

  #clientOf(operator: Operator): OperatorClient {
    const known = this.#clients.get(operator);
    if (known !== undefined) return known;
    const token = this.#tokens.get(operator) ?? assert.fail(`${operator} has no token`);
    assert.ok(this.#process);
    const client = new OperatorClient(this.#process.operatorUrl, token);
    this.#clients.set(operator, client);
    return client;
  }
}
