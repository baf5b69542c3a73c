/**
 * Suppliers, asked from a thread of their own: thousands of requests that are under way for seconds cost the
 * main thread, which decides every purchase, two messages each. Their sockets, timers and answers, and the
 * garbage of all that, are the other thread's.
 *
 * What always holds: a question has one answer, whatever happens to the thread; its death is fatal. Rejected:
 * the same client in the main thread. Of 2,000 purchases that were answered in one moment, each was one more
 * piece of work in the way of purchases of own stock, whose p99 was twice as long.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Suppliers } from '../engine/suppliers.ts';
import type { Supply } from '../engine/supplies.ts';
import type {
  SupplierQuestion,
  SupplierReply,
  SupplierRequest,
  SupplierThreadData,
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

export class SupplierThread implements SupplierPort {
  readonly #options: SupplierThreadOptions;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(options: SupplierThreadOptions) {
    this.#options = options;
  }

  /**
   * Resolves when it is ready. With the node and not with the first question, if there are suppliers: then a node
   * that has run out of file descriptors has a thread to say so. A node without suppliers does without the thread.
   */
  async start(): Promise<void> {
    if (this.#options.suppliers().size === 0) return;
    const worker = this.#open();
    await once(worker, 'message');
    this.#guard(worker);
  }

  async purchase(supply: Supply): Promise<PurchaseAnswer> {
    const answer = await this.#ask({ kind: 'purchase', supply }, supply.supplierId);
    return (answer as PurchaseAnswer | undefined) ?? { kind: 'failed', why: ENDED };
  }

  async progress(supply: Supply): Promise<ProgressAnswer> {
    const answer = await this.#ask({ kind: 'progress', supply }, supply.supplierId);
    return (answer as ProgressAnswer | undefined) ?? { kind: 'silent', why: ENDED };
  }

  readonly askStock: AskStock = async (source) =>
    (await this.#ask({ kind: 'stock', source }, source.supplierId)) as StockAnswer | undefined;

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
    for (const settle of this.#waiting.values()) settle(undefined);
    this.#waiting.clear();
  }

  /** Undefined when it was broken off. As many at once as there are holds and followers. */
  #ask(question: SupplierQuestion, supplierId: number): Promise<Answer> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const worker = this.#worker ?? this.#guard(this.#open());
    this.#lastId += 1;
    const id = this.#lastId;
    const request: SupplierRequest = { id, question, supplier: this.#options.suppliers().get(supplierId) };
    worker.postMessage(request);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  #open(): Worker {
    const { masterKey, timeoutMs, dnsServer } = this.#options;
    const workerData: SupplierThreadData = { masterKey, timeoutMs, dnsServer };
    const worker = new Worker(new URL('./supplier-worker.js', import.meta.url), { workerData });
    worker.on('message', (replies: readonly SupplierReply[]) => {
      for (const { id, answer } of replies) {
        const settle = this.#waiting.get(id);
        this.#waiting.delete(id);
        settle?.(answer);
      }
    });
    this.#worker = worker;
    return worker;
  }

  #guard(worker: Worker): Worker {
    const { onFatal } = this.#options;
    worker.on('error', onFatal);
    worker.on('exit', () => {
      if (!this.#isClosed) onFatal(new Error('the thread that asks suppliers has ended'));
    });
    return worker;
  }
}
