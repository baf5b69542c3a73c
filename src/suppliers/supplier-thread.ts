/**
 * Suppliers, asked from a thread of their own: thousands of requests that are under way for seconds cost the
 * main thread, which decides every purchase, two messages each. Their sockets, timers and answers, and the
 * garbage of all that, are the other thread's.
 *
 * What always holds: a question has one answer, whatever happens to the thread. Its death is fatal, once it was
 * ready. One that can't start, for want of file descriptors, has asked nobody anything: its questions are answered
 * so, and a later one starts it anew. Rejected: the same client in the main thread. Of 2,000 purchases that were
 * answered in one moment, each was one more piece of work in the way of purchases of own stock, whose p99 was twice
 * as long.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SupplierPurchase } from '../engine/supplier-purchases.ts';
import type { Suppliers } from '../engine/suppliers.ts';
import {
  type SupplierQuestion,
  type SupplierReply,
  type SupplierRequest,
  type SupplierThreadData,
  supplierIdOf,
} from './supplier-messages.ts';
import type { ProgressAnswer, PurchaseAnswer, SupplierPort } from './supplier-port.ts';
import type { AskStock, StockAnswer } from './supplier-stock.ts';

export interface SupplierThreadOptions extends SupplierThreadData {
  /** The table as it is at the time of a question. */
  readonly suppliers: () => Suppliers;
  readonly onFatal: (error: unknown) => void;
}

type Answer = SupplierReply['answer'];
const ENDED = 'the node stops';
/** After a start that failed. */
const START_AGAIN_MS = 1_000;

export class SupplierThread implements SupplierPort {
  readonly #options: SupplierThreadOptions;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #worker: Worker | undefined;
  #isReady = false;
  #startAgainAtMs = Number.NEGATIVE_INFINITY;
  #whyNotStarted = '';
  #lastId = 0;
  #isClosed = false;

  constructor(options: SupplierThreadOptions) {
    this.#options = options;
  }

  /**
   * Resolves when it is ready; rejects when it can't be. With the node, if there are suppliers; otherwise with the
   * first question: a node without suppliers does without the thread.
   */
  async start(): Promise<void> {
    if (this.#options.suppliers().size > 0) await once(this.#open(), 'message');
  }

  async purchase(supplierPurchase: SupplierPurchase): Promise<PurchaseAnswer> {
    const answer = await this.#ask({ kind: 'purchase', supplierPurchase });
    if (answer !== undefined) return answer as PurchaseAnswer;
    return this.#isClosed ? { kind: 'failed', why: ENDED } : { kind: 'unreached', why: this.#whyNotStarted };
  }

  async progress(supplierPurchase: SupplierPurchase): Promise<ProgressAnswer> {
    const answer = await this.#ask({ kind: 'progress', supplierPurchase });
    if (answer !== undefined) return answer as ProgressAnswer;
    return { kind: 'silent', why: this.#isClosed ? ENDED : this.#whyNotStarted };
  }

  readonly askStock: AskStock = async (source) =>
    (await this.#ask({ kind: 'stock', source })) as StockAnswer | undefined;

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
    this.#answerNone();
  }

  /** Undefined when it was broken off, or when there is no thread. As many at once as there are holds and followers. */
  #ask(question: SupplierQuestion): Promise<Answer> {
    if (this.#isClosed) return Promise.resolve(undefined);
    if (this.#worker === undefined && performance.now() < this.#startAgainAtMs)
      return Promise.resolve(undefined);
    const worker = this.#worker ?? this.#open();
    this.#lastId += 1;
    const id = this.#lastId;
    const supplier = this.#options.suppliers().get(supplierIdOf(question));
    worker.postMessage({ id, question, supplier } satisfies SupplierRequest);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  #open(): Worker {
    const { masterKey, timeoutMs, dnsServer } = this.#options;
    const workerData: SupplierThreadData = { masterKey, timeoutMs, dnsServer };
    const worker = new Worker(new URL('./supplier-worker.js', import.meta.url), { workerData });
    worker.on('message', (replies: readonly SupplierReply[]) => this.#hear(replies));
    worker.on('error', (error) => this.#failed(worker, error));
    worker.on('exit', () => this.#failed(worker, new Error('the thread that asks suppliers has ended')));
    this.#worker = worker;
    return worker;
  }

  /** The first message, which is empty, says that it is ready. */
  #hear(replies: readonly SupplierReply[]): void {
    this.#isReady = true;
    for (const { id, answer } of replies) {
      const settle = this.#waiting.get(id);
      this.#waiting.delete(id);
      settle?.(answer);
    }
  }

  #failed(worker: Worker, error: unknown): void {
    // What failed before it was ready ends afterwards.
    if (this.#isClosed || worker !== this.#worker) return;
    if (this.#isReady) return this.#options.onFatal(error);
    this.#worker = undefined;
    this.#startAgainAtMs = performance.now() + START_AGAIN_MS;
    this.#whyNotStarted = `the thread that asks suppliers can't start: ${(error as Error).message}`;
    this.#answerNone();
  }

  #answerNone(): void {
    for (const settle of this.#waiting.values()) settle(undefined);
    this.#waiting.clear();
  }
}
