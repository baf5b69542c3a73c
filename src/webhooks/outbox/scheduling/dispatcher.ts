/**
 * The dispatcher chooses whose attempt begins next. Accounts are served one after the other, in a circle; each has
 * as many attempts under way as its queue allows, and all together as many as the sender has places.
 *
 * Accounts whose latest attempt failed get at most a quarter of all places: a thousand endpoints that hang, each of
 * them in its right, can't take the places of those that answer, nor the memory that as many half-made connections
 * need. One that hangs on a busy account uses five places when all its attempts are in time. Attempts under way are in
 * memory and bounded by the places; waiting events are read from the store when they are next.
 */
import type { OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import { type DeliveryQueue, NOTHING_DUE } from './delivery-queue.ts';
import type { FreshEvents } from './fresh-events.ts';

export interface DispatcherOptions {
  readonly store: OutboxStore;
  readonly fresh: FreshEvents;
  readonly nowMs: () => number;
  /** Attempts under way, in all. */
  readonly places: number;
  /** How many retries an event can have. */
  readonly retries: number;
  /** Events that could not be attempted for so long are discarded. */
  readonly longestWaitMs: number;
  /** False while nothing more may be begun: what has ended is not on disk. */
  readonly mayBegin: () => boolean;
  /**
   * False while the journal says more of the account's webhook than was read: nothing is started. See `WebhookChanges`.
   */
  readonly isCurrent: (queue: DeliveryQueue) => boolean;
  /** Whether nobody knows any more what the event says. */
  readonly isGone: (event: OutboxEvent) => boolean;
  /** Starts an attempt. `ended` is called for it later, never at once. */
  readonly start: (queue: DeliveryQueue, event: OutboxEvent) => void;
  /** Ends an event without another attempt. */
  readonly end: (queue: DeliveryQueue, event: OutboxEvent, status: 'discarded' | 'cancelled') => void;
}

const PAUSE_MS = 250;
/** The share of all places for accounts whose latest attempt failed. */
const FAILING_SHARE = 1 / 4;

export class Dispatcher {
  readonly #options: DispatcherOptions;
  /** Queues that may have an attempt to start, in the order in which they are served. */
  readonly #ready = new Set<DeliveryQueue>();
  readonly #readyFailing = new Set<DeliveryQueue>();
  /** Queues that have an attempt to start later, with its time, in milliseconds of `nowMs`. */
  readonly #waiting = new Map<DeliveryQueue, number>();
  #nextWakeMs = NOTHING_DUE;
  #underWay = 0;
  /** Attempts under way that count as those of failing accounts. */
  readonly #failing = new Set<OutboxEvent>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** When `dispatch` has something to do, unless something happens before. */
  get nextWakeMs(): number {
    return this.#nextWakeMs;
  }

  /** The queue has something to start, or will have at a time it knows. */
  offer(queue: DeliveryQueue): void {
    (queue.isFailing ? this.#readyFailing : this.#ready).add(queue);
    (queue.isFailing ? this.#ready : this.#readyFailing).delete(queue);
  }

  /** Starts all that may be started. */
  dispatch(): void {
    const { places, mayBegin } = this.#options;
    const nowMs = this.#options.nowMs();
    if (nowMs >= this.#nextWakeMs) this.#wake(nowMs);
    this.#serve(this.#ready, nowMs, () => this.#underWay < places && mayBegin());
    this.#serve(
      this.#readyFailing,
      nowMs,
      () => this.#underWay < places && this.#failing.size < places * FAILING_SHARE && mayBegin(),
    );
  }

  /** An attempt has ended. The event stays busy until its outcome is on disk. */
  ended(queue: DeliveryQueue, event: OutboxEvent): void {
    this.#underWay -= 1;
    this.#failing.delete(event);
    if (event.loggedAttempts === 0) queue.firstsUnderWay -= 1;
    else queue.retriesUnderWay -= 1;
    this.offer(queue);
  }

  /** The sender refused an attempt: nothing was sent. The event starts again soon, in its order. */
  refused(queue: DeliveryQueue, event: OutboxEvent): void {
    queue.pausedUntilMs = this.#options.nowMs() + PAUSE_MS;
    this.returned(queue, event);
  }

  /**
   * Nothing was sent, because the webhook has changed. The event starts again in its order, as soon as the change is
   * read.
   */
  returned(queue: DeliveryQueue, event: OutboxEvent): void {
    queue.busy.delete(event.number);
    if (event.loggedAttempts > 0) queue.nextDueAtMs = Math.min(queue.nextDueAtMs, event.dueAtMs);
    else if (event.number < queue.cancelBelow) queue.openFirsts.delete(event.number);
    else queue.again = [...queue.again, event].sort((a, b) => a.number - b.number);
    this.ended(queue, event);
  }

  #serve(queues: Set<DeliveryQueue>, nowMs: number, mayStart: () => boolean): void {
    for (const queue of queues) {
      if (!mayStart()) return;
      // It stays ready until more of the journal is read.
      if (!this.#options.isCurrent(queue)) continue;
      queues.delete(queue);
      if (this.#startOne(queue, nowMs)) queues.add(queue);
      else this.#waitFor(queue, nowMs);
    }
  }

  /** False when the queue has nothing to start now. */
  #startOne(queue: DeliveryQueue, nowMs: number): boolean {
    if (queue.subscriber.webhook === null || queue.pausedUntilMs > nowMs) return false;
    const event = this.#takeFirst(queue) ?? this.#takeRetry(queue, nowMs);
    if (event === undefined) return false;
    queue.busy.set(event.number, event);
    const { start, end, isGone, longestWaitMs } = this.#options;
    const isTooOld = (event.attempts === 0 && nowMs - event.dueAtMs > longestWaitMs) || isGone(event);
    if (event.number < queue.cancelBelow) end(queue, event, 'cancelled');
    else if (isTooOld) end(queue, event, 'discarded');
    else this.#count(queue, event, start);
    return true;
  }

  #count(queue: DeliveryQueue, event: OutboxEvent, start: DispatcherOptions['start']): void {
    if (event.loggedAttempts === 0) queue.firstsUnderWay += 1;
    else queue.retriesUnderWay += 1;
    this.#underWay += 1;
    if (queue.isFailing) this.#failing.add(event);
    start(queue, event);
  }

  #takeFirst(queue: DeliveryQueue): OutboxEvent | undefined {
    if (!queue.mayStartFirst()) return undefined;
    const refused = queue.again.shift();
    if (refused !== undefined) return refused;
    const event = this.#options.fresh.take(queue) ?? this.#readFirst(queue);
    queue.next = (event?.number ?? queue.last) + 1;
    if (event !== undefined) queue.openFirsts.add(event.number);
    return event;
  }

  #readFirst(queue: DeliveryQueue): OutboxEvent | undefined {
    for (const event of this.#options.store.events(queue.accountId, queue.next, queue.last + 1)) {
      const isOpen = event.status === 'pending' && event.loggedAttempts === 0;
      if (isOpen && !queue.busy.has(event.number)) return event;
    }
    return undefined;
  }

  #takeRetry(queue: DeliveryQueue, nowMs: number): OutboxEvent | undefined {
    const { store, retries } = this.#options;
    if (!queue.mayStartRetry(nowMs, retries)) return undefined;
    queue.nextDueAtMs = NOTHING_DUE;
    for (const { dueAtMs, number } of store.due(queue.accountId)) {
      if (queue.busy.has(number)) continue;
      queue.nextDueAtMs = dueAtMs;
      if (dueAtMs > nowMs) return undefined;
      const event = store.event(queue.accountId, number);
      if (event === undefined)
        throw new Error(`event ${number} of account ${queue.accountId} is due and isn't there`);
      return event;
    }
    return undefined;
  }

  /** Remembers when the queue is to be looked at again; not when it waits for one of its own attempts to end. */
  #waitFor(queue: DeliveryQueue, nowMs: number): void {
    const wakeMs = queue.pausedUntilMs > nowMs ? queue.pausedUntilMs : queue.nextDueAtMs;
    if (queue.subscriber.webhook === null || wakeMs === NOTHING_DUE || wakeMs <= nowMs) {
      this.#waiting.delete(queue);
    } else {
      this.#waiting.set(queue, wakeMs);
      this.#nextWakeMs = Math.min(this.#nextWakeMs, wakeMs);
    }
  }

  #wake(nowMs: number): void {
    this.#nextWakeMs = NOTHING_DUE;
    for (const [queue, wakeMs] of this.#waiting) {
      if (wakeMs <= nowMs) {
        this.#waiting.delete(queue);
        this.offer(queue);
      } else {
        this.#nextWakeMs = Math.min(this.#nextWakeMs, wakeMs);
      }
    }
  }
}
