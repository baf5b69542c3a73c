/**
 * The threads that sign and send. The outbox is the queue, and a bounded one: the pool is never handed more than it
 * has places for, so nothing waits in it, and what a crash of the process takes is at most what was under way.
 *
 * They start with the first attempt: a node without webhooks never pays for them.
 */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { DeliveryResult } from './delivery-result.ts';
import type { DeliveryTask, DeliveryWorkerData } from './delivery-task.ts';

/** One thread sends thousands a second; the main thread and the disk need the other cores more. */
const MAX_THREADS = 4;
const YOUNG_GENERATION_MB = 8;

export class DeliveryPool {
  readonly #workerData: DeliveryWorkerData;
  #pool: Piscina<DeliveryTask, DeliveryResult> | undefined;
  #isClosed = false;

  constructor(workerData: DeliveryWorkerData) {
    this.#workerData = workerData;
  }

  /** One attempt. Never rejects: `closed` when the pool was closed meanwhile. */
  readonly send = async (task: DeliveryTask): Promise<DeliveryResult> => {
    try {
      if (this.#isClosed) throw new Error('the pool is closed');
      this.#pool ??= startThreads(this.#workerData);
      return await this.#pool.run(task);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const code = this.#isClosed ? 'closed' : 'worker';
      return { error: { code, message: `the delivery thread failed: ${reason}` }, durationMs: 0 };
    }
  };

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.destroy();
  }
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
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}
