/**
 * Clears up behind the deliveries in small steps, so that no batch is long: says in their rows what was cancelled,
 * and removes what ended too long ago.
 *
 * Deleting a webhook cancels a million events at once by one number in the queue's row; the rest is done here.
 */
import type { OutboxBatch } from '../../../persistence/webhooks/outbox-file.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import type { DeliveryQueue } from './delivery-queue.ts';

const EVENTS_PER_STEP = 1_000;
/** How often it looks for what is too old. */
const FORGET_MS = 5_000;

export interface SweeperOptions {
  readonly store: OutboxStore;
  readonly queues: ReadonlyMap<number, DeliveryQueue>;
  /** `--webhook-history`. */
  readonly historyMs: number;
  /** The queue's retries, which wait for it, may begin. */
  readonly onSwept: (queue: DeliveryQueue) => void;
}

export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #swept = new Set<DeliveryQueue>();
  /** The queue that is swept waits for an attempt under way. */
  #isWaiting = false;
  #nextForgetMs = 0;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** Whether there is a step to be made at once. */
  get isDue(): boolean {
    return this.#swept.size > 0 && !this.#isWaiting;
  }

  /** When to look for what is too old, if anything has ended. */
  get nextForgetMs(): number {
    return this.#nextForgetMs;
  }

  /** The queue has cancelled events whose rows don't say so. */
  add(queue: DeliveryQueue): void {
    this.#swept.add(queue);
    this.#isWaiting = false;
  }

  /** Something was written: maybe what became of the attempt that it waits for. */
  written(): void {
    this.#isWaiting = false;
  }

  /** One step among the events whose rows are on disk: those below `writtenBelow`. How many of them are cancelled now. */
  cancel(batch: OutboxBatch, nowMs: number, writtenBelow: number): number {
    const { store, onSwept } = this.#options;
    let cancelled = 0;
    this.#isWaiting = this.#swept.size > 0;
    for (const queue of this.#swept) {
      let left = EVENTS_PER_STEP;
      let sweptBelow = Math.min(queue.cancelBelow, writtenBelow);
      for (const event of store.events(queue.accountId, queue.sweptBelow, sweptBelow)) {
        if (left === 0 || queue.busy.has(event.number)) {
          sweptBelow = event.number;
          break;
        }
        left -= 1;
        if (event.status !== 'pending') continue;
        store.putEvent(batch, { ...event, status: 'cancelled', dueAtMs: nowMs }, event);
        cancelled += 1;
      }
      if (sweptBelow > queue.sweptBelow) {
        queue.sweptBelow = sweptBelow;
        store.putQueue(batch, queue.accountId, queue.rowAfter(new Set()));
        this.#isWaiting = false;
      }
      if (queue.isSwept) {
        this.#swept.delete(queue);
        onSwept(queue);
      }
      if (left === 0) break;
    }
    return cancelled;
  }

  /** One step, when it is time, of removing what ended longer ago than the history is kept and isn't being replayed. */
  forget(batch: OutboxBatch, nowMs: number): void {
    if (nowMs < this.#nextForgetMs) return;
    const { store, queues, historyMs } = this.#options;
    let steps = 0;
    const lists = new Map<number, number>();
    for (const event of store.endedBefore(Math.max(0, nowMs - historyMs), EVENTS_PER_STEP)) {
      const { accountId, number, content } = event;
      steps += 1;
      if (queues.get(accountId)?.busy.has(number)) continue;
      store.removeEvent(batch, event);
      if ('listNumber' in content) lists.set(number, (lists.get(number) ?? 0) + 1);
    }
    for (const [number, fewer] of lists) store.leaveList(batch, number, fewer);
    this.#nextForgetMs = steps < EVENTS_PER_STEP ? nowMs + FORGET_MS : nowMs;
  }
}
