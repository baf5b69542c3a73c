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
/** How long after it has looked at all accounts for what is too old it begins anew. */
const FORGET_MS = 5_000;
/** How long it rests between two steps that found nothing. */
const REST_MS = 250;
const BEGINNING = { accountId: 0, number: 0 };

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
  /** Where the search for what is too old goes on. */
  #place = BEGINNING;

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

  /**
   * One step, when it is time, of removing what ended longer ago than the history is kept and isn't being replayed. The
   * step goes through all accounts, the oldest events of each first, since an index by the time of their end would be a row
   * more for every event.
   */
  forget(batch: OutboxBatch, nowMs: number): void {
    if (nowMs < this.#nextForgetMs) return;
    const { store, queues, historyMs } = this.#options;
    const sinceMs = Math.max(0, nowMs - historyMs);
    const { accountId: first, number: from } = this.#place;
    this.#place = BEGINNING;
    this.#nextForgetMs = nowMs + FORGET_MS;
    let looks = 0;
    let removed = 0;
    for (const event of store.eventsUntil(first, from, sinceMs)) {
      const { accountId, number, status, dueAtMs } = event;
      if (looks === EVENTS_PER_STEP) {
        this.#place = { accountId, number };
        this.#nextForgetMs = removed > 0 ? nowMs : nowMs + REST_MS;
        break;
      }
      looks += 1;
      const hasEnded = status !== 'pending' && dueAtMs < sinceMs;
      if (!hasEnded || queues.get(accountId)?.busy.has(number)) continue;
      store.removeEvent(batch, event);
      removed += 1;
    }
  }
}
