/**
 * Outcomes of events until they are written: delivered, to be attempted again, given up or cancelled; or, by a replay,
 * pending with a new schedule, due at once. And how many there are of each, so that nobody counts rows.
 */
import type { AttemptRow, OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import type { OutboxBatch } from '../../../persistence/webhooks/outbox-file.ts';
import type { OutboxCounters } from '../../../persistence/webhooks/outbox-rows.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import { isDelivered } from '../../delivery/delivery-result.ts';
import type { EndedAttempt } from './attempts.ts';
import type { DeliveryQueue } from './delivery-queue.ts';

/** Outcomes that wait to be written: nothing more begins. */
const MAX_WAITING = 1_000;

/** An attempt, or an end without one. */
export type EndedEvent = { readonly queue: DeliveryQueue; readonly event: OutboxEvent } & (
  | EndedAttempt
  | { readonly status: 'discarded' | 'cancelled' }
);

export interface Outcome {
  readonly queue: DeliveryQueue;
  readonly event: OutboxEvent;
  /** The event as it is now. */
  readonly after: OutboxEvent;
}

export class EventOutcomes {
  readonly #store: OutboxStore;
  readonly #retryWaitsMs: readonly number[];
  readonly #counters: { -readonly [Name in keyof OutboxCounters]: OutboxCounters[Name] };
  readonly #failing = new Set<DeliveryQueue>();
  #ended: EndedEvent[] = [];
  #replayed: Outcome[] = [];

  constructor(
    store: OutboxStore,
    retryWaitsMs: readonly number[],
    counters: OutboxCounters,
    queues: Iterable<DeliveryQueue>,
  ) {
    this.#store = store;
    this.#retryWaitsMs = retryWaitsMs;
    this.#counters = { ...counters };
    for (const queue of queues) this.#noteHealth(queue);
  }

  /** Accounts whose latest attempt failed, and who still have a webhook. */
  get failingReceivers(): number {
    let count = 0;
    for (const { subscriber } of this.#failing) if (subscriber.webhook !== null) count += 1;
    return count;
  }

  /**
   * The accounts above `after` whose latest attempt failed, and who still have a webhook, by their ids; at most
   * `limit`.
   */
  failingAbove(after: number, limit: number): number[] {
    const ids = Array.from(this.#failing)
      .filter(({ accountId, subscriber }) => accountId > after && subscriber.webhook !== null)
      .map(({ accountId }) => accountId);
    return ids.sort((one, other) => one - other).slice(0, limit);
  }

  /** Counts of the events on disk and in the open batch. */
  get counters(): OutboxCounters {
    return { ...this.#counters };
  }

  /** Whether any event has ended at all. */
  get hasEnded(): boolean {
    const { delivered, discarded, cancelled } = this.#counters;
    return delivered + discarded + cancelled > 0;
  }

  /** Ended events that wait to be written. */
  get waiting(): number {
    return this.#ended.length;
  }

  /** Whether nothing more may begin before these are written. */
  get isFull(): boolean {
    return this.waiting >= MAX_WAITING;
  }

  get hasReplays(): boolean {
    return this.#replayed.length > 0;
  }

  add(ended: EndedEvent): void {
    if ('result' in ended) {
      ended.queue.isFailing = !isDelivered(ended.result) && !isBrokenOff(ended);
      this.#noteHealth(ended.queue);
    }
    this.#ended.push(ended);
  }

  /** False when there is no such event or no webhook, or when the event is pending or cancelled. */
  replay(batch: OutboxBatch, queue: DeliveryQueue, number: number, nowMs: number): boolean {
    const event = this.#store.event(queue.accountId, number);
    if (event === undefined || queue.subscriber.webhook === null) return false;
    const hasEnded = event.status === 'delivered' || event.status === 'discarded';
    if (!hasEnded || queue.busy.has(number) || number < queue.cancelBelow) return false;
    const after = { ...event, status: 'pending', attempts: 0, dueAtMs: nowMs } as const;
    this.#store.putEvent(batch, after, event);
    queue.busy.set(number, after);
    this.#replayed.push({ queue, event, after });
    this.#counters.pending += 1;
    return true;
  }

  /** So many events came up, and so many were cancelled by the sweeper. */
  count(cameUp: number, cancelled: number): void {
    this.#counters.pending += cameUp - cancelled;
    this.#counters.cancelled += cancelled;
  }

  /** Writes all of them, and where their queues stand; and of what came up, `cameUp`, events that have no outcome yet. */
  write(batch: OutboxBatch, nowMs: number, cameUp: readonly OutboxEvent[]): Outcome[] {
    const ended = this.#ended.splice(0).map((one) => this.#writeOne(batch, one, nowMs));
    const firsts = new Map<DeliveryQueue, Set<number>>();
    for (const { queue, event } of ended) {
      if (!queue.openFirsts.has(event.number)) continue;
      const numbers = firsts.get(queue) ?? new Set();
      firsts.set(queue, numbers.add(event.number));
    }
    for (const [queue, numbers] of firsts) {
      this.#store.putQueue(batch, queue.accountId, queue.rowAfter(numbers));
    }
    const written = new Set(ended.map(({ event }) => event));
    for (const event of cameUp) if (!written.has(event)) this.#store.putEvent(batch, event);
    return [...ended, ...this.#replayed.splice(0)];
  }

  #noteHealth(queue: DeliveryQueue): void {
    if (queue.isFailing) this.#failing.add(queue);
    else this.#failing.delete(queue);
  }

  #writeOne(batch: OutboxBatch, ended: EndedEvent, nowMs: number): Outcome {
    const { queue, event } = ended;
    const isAttempt = 'result' in ended;
    let after = isAttempt ? this.#afterAttempt(ended, nowMs) : endOf(event, ended.status, nowMs);
    const { loggedAttempts } = after;
    if (loggedAttempts > event.loggedAttempts) {
      const row = isAttempt ? { startedAtMs: ended.shownStartMs, ...ended.result } : notAttempted(nowMs);
      if (loggedAttempts === 1) after = { ...after, firstAttempt: row };
      else this.#store.putAttempt(batch, event.accountId, event.number, loggedAttempts, row);
    }
    this.#store.putEvent(batch, after, event);
    if (isAttempt && after.status !== 'delivered' && !isBrokenOff(ended)) this.#counters.failedAttempts += 1;
    if (after.status !== 'pending') {
      this.#counters.pending -= 1;
      this.#counters[after.status] += 1;
    }
    return { queue, event, after };
  }

  #afterAttempt(ended: Extract<EndedEvent, EndedAttempt>, nowMs: number): OutboxEvent {
    const { queue, event, result, startedAtMs } = ended;
    // One that was broken off says nothing of the webhook as it is now: its event is due again at once.
    const attempts = event.attempts + (isBrokenOff(ended) ? 0 : 1);
    const after = { ...event, attempts, loggedAttempts: event.loggedAttempts + 1 };
    if (isDelivered(result)) return { ...after, status: 'delivered', dueAtMs: nowMs };
    if (event.number < queue.cancelBelow) return { ...after, status: 'cancelled', dueAtMs: nowMs };
    if (isBrokenOff(ended)) return { ...after, dueAtMs: nowMs };
    const waitMs = this.#retryWaitsMs[attempts - 1];
    if (waitMs === undefined) return { ...after, status: 'discarded', dueAtMs: nowMs };
    // From the start of the attempt, because receivers that fail slowly shall not stretch the schedule.
    return { ...after, dueAtMs: startedAtMs + waitMs };
  }
}

function isBrokenOff({ result }: EndedAttempt): boolean {
  return result.error?.code === 'replaced';
}

/** The event as it is once it has ended without an attempt; one that is given up has a row that tells operators why. */
function endOf(event: OutboxEvent, status: 'discarded' | 'cancelled', nowMs: number): OutboxEvent {
  const loggedAttempts = event.loggedAttempts + (status === 'discarded' ? 1 : 0);
  return { ...event, status, loggedAttempts, dueAtMs: nowMs };
}

function notAttempted(nowMs: number): AttemptRow {
  const message = 'no attempt was made: it had waited for its first attempt longer than the history is kept';
  return { startedAtMs: nowMs, durationMs: 0, error: { code: 'waited', message } };
}
