/**
 * The threads that sign and send. The outbox is the queue, and a bounded one: the pool is never handed more than it
 * has places for, so nothing waits in it, and what a crash of the process takes is at most what was under way.
 *
 * They start when somebody has a webhook, or with the first attempt: a node without webhooks never pays for them. There
 * may be no file descriptor left for a thread then: attempts are refused, and threads are started again a while later.
 */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { START_AGAIN_MS } from '../../threads/worker-link.ts';
import type { DeliveryResult } from './delivery-result.ts';
import type { DeliveryTask, DeliveryWorkerData } from './delivery-task.ts';

/** One thread sends thousands a second; the main thread and the disk need the other cores more. */
const MAX_THREADS = 4;
const YOUNG_GENERATION_MB = 8;

interface Threads {
  readonly pool: Piscina<DeliveryTask, DeliveryResult>;
  /** Before, a failure is one of the start, and nothing was sent. */
  hasAnswered: boolean;
}

export class DeliveryPool {
  readonly #workerData: DeliveryWorkerData;
  #threads: Threads | undefined;
  #startAgainAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(workerData: DeliveryWorkerData) {
    this.#workerData = workerData;
  }

  /** Attempts will come: the first needn't wait for threads then. */
  prepare(): void {
    if (this.#threads === undefined && !this.#isClosed) this.#start();
  }

  /** One attempt. Never rejects: `closed` when the pool was closed meanwhile, `busy` when there are no threads now. */
  readonly send = async (task: DeliveryTask): Promise<DeliveryResult> => {
    if (this.#isClosed) return failure('closed', 'the pool is closed');
    const threads = this.#threads ?? this.#start();
    if (threads === undefined) return failure('busy', 'no thread could be started');
    try {
      const result = await threads.pool.run(task);
      threads.hasAnswered = true;
      return result;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (this.#isClosed) return failure('closed', reason);
      if (threads.hasAnswered) return failure('worker', reason);
      this.#drop(threads);
      return failure('busy', reason);
    }
  };

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#threads?.pool.destroy();
  }

  #start(): Threads | undefined {
    if (performance.now() < this.#startAgainAtMs) return undefined;
    const threads: Threads = { pool: startThreads(this.#workerData), hasAnswered: false };
    // Of a thread that had no attempt to answer for; unheard, it would end the outbox's thread.
    threads.pool.on('error', () => this.#drop(threads));
    this.#threads = threads;
    return threads;
  }

  /** A pool with a thread that could not start never gets another one. */
  #drop(threads: Threads): void {
    if (this.#threads !== threads) return;
    this.#threads = undefined;
    this.#startAgainAtMs = performance.now() + START_AGAIN_MS;
    void threads.pool.destroy();
    // It would still replace a thread whose end comes late.
    threads.pool.on('workerCreate', () => void threads.pool.destroy());
  }
}

function failure(code: 'busy' | 'closed' | 'worker', reason: string): DeliveryResult {
  return { error: { code, message: `the delivery thread failed: ${reason}` }, durationMs: 0 };
}

function startThreads(workerData: DeliveryWorkerData): Piscina<DeliveryTask, DeliveryResult> {
  const threads = Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));
  return new Piscina({
    filename: new URL('./delivery-worker.js', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    // In the other modes a thread that has no task sleeps, and its sockets and timers with it.
    atomics: 'disabled',
    concurrentTasksPerWorker: workerData.places,
    maxQueue: workerData.places,
    recordTiming: false,
    workerData,
    // Piscina tries `require` first. Node 20 has aborted, once, when a thread was ended while it required an ES module.
    execArgv: ['--no-experimental-require-module'],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}
