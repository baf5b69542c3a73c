/** The history of an account's deliveries, for operators: as much of it as is durable. */
import { type Epoch, epochAt } from '../../engine/recovery/epochs.ts';
import type { WebhookEventType } from '../../engine/webhook.ts';
import { numbersKey, readNumberKey } from '../codec/number-key.ts';
import {
  type AttemptRow,
  decodeEvent,
  type EventStatus,
  eventKey,
  eventNumber,
  eventTypeOf,
  type OutboxEvent,
} from './event-row.ts';
import { readRow, readRows } from './outbox-file.ts';
import type { OutboxStore } from './outbox-store.ts';

export interface EventHistory {
  /** The event's number in the account; see `eventNumber`. */
  readonly number: number;
  readonly type: WebhookEventType;
  readonly status: EventStatus;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
  /** Unix milliseconds; only while it is pending. May be in the past: it then waits for its turn. */
  readonly nextAttemptAtMs?: number;
  /** The latest of them, oldest first. */
  readonly attempts: readonly AttemptRow[];
}

/** More than the longest schedule has; only replays make more. */
const MAX_ATTEMPTS = 25;

/** One fact gives one of them at most. */
const ORDER_EVENTS = ['order.completed', 'order.failed', 'order.refunded', 'order.items_replaced'] as const;

export class DeliveryHistory {
  readonly #store: OutboxStore;

  constructor(store: OutboxStore) {
    this.#store = store;
  }

  /** Up to `limit` events with numbers below `before`, newest first. */
  page(accountId: number, limit: number, before = Number.MAX_SAFE_INTEGER): EventHistory[] {
    const cancelBelow = this.#cancelBelow(accountId);
    // Downwards a range begins below what it ends with upwards, and both ends turn.
    const range = {
      start: eventKey(accountId, before - 1),
      end: numbersKey(accountId),
      reverse: true,
      limit,
    };
    return Array.from(readRows(this.#store.file, 'events', range), ({ key, payload }) =>
      this.#historyOf(decodeEvent(key, payload), cancelBelow),
    );
  }

  /** One event, or undefined when the account has none of this number (any more). */
  event(accountId: number, number: number): EventHistory | undefined {
    const event = this.#store.event(accountId, number);
    return event && this.#historyOf(event, this.#cancelBelow(accountId));
  }

  /**
   * The event about an order that the fact at this position of the journal gave the account; undefined when it gave
   * none.
   */
  ofFact(accountId: number, position: number, epochs: readonly Epoch[]): EventHistory | undefined {
    const epoch = epochAt(epochs, position);
    return ORDER_EVENTS.map((type) => this.event(accountId, eventNumber(position, type, epoch))).find(
      Boolean,
    );
  }

  /** Up to `limit` events with numbers from `from` on, oldest first; without their attempts. */
  events(accountId: number, from: number, limit: number): OutboxEvent[] {
    const range = { start: eventKey(accountId, from), end: numbersKey(accountId + 1), limit };
    return Array.from(readRows(this.#store.file, 'events', range), ({ key, payload }) =>
      decodeEvent(key, payload),
    );
  }

  /**
   * The number from which on the account's events came up at `sinceMs` or later. The search takes times to rise with
   * the numbers: of events around a moment when the wall clock was set back, some may be on the wrong side.
   */
  firstSince(accountId: number, sinceMs: number): number {
    let low = 0;
    let high = Number.MAX_SAFE_INTEGER;
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      const [event] = this.events(accountId, middle, 1);
      if (event === undefined || event.createdAtMs >= sinceMs) high = middle;
      else low = event.number + 1;
    }
    return low;
  }

  /** Events below it are cancelled though their rows may not say so yet. */
  #cancelBelow(accountId: number): number {
    const queue = readRow(this.#store.file, 'queues', numbersKey(accountId));
    return queue === undefined ? 0 : readNumberKey(queue, 8);
  }

  #historyOf(event: OutboxEvent, cancelBelow: number): EventHistory {
    const { number, createdAtMs, dueAtMs } = event;
    const isCancelled = event.status === 'pending' && number < cancelBelow;
    const status = isCancelled ? 'cancelled' : event.status;
    const next = status === 'pending' ? { nextAttemptAtMs: dueAtMs } : {};
    return {
      number,
      type: eventTypeOf(number),
      status,
      createdAtMs,
      ...next,
      attempts: this.#latestAttempts(event),
    };
  }

  #latestAttempts({ accountId, number, loggedAttempts, firstAttempt }: OutboxEvent): AttemptRow[] {
    const first = Math.max(1, loggedAttempts - MAX_ATTEMPTS + 1);
    const attempts = first === 1 && firstAttempt !== undefined ? [firstAttempt] : [];
    if (loggedAttempts < 2) return attempts;
    const range = { start: numbersKey(accountId, number, first), end: numbersKey(accountId, number + 1) };
    for (const { payload } of readRows(this.#store.file, 'attempts', range)) {
      attempts.push(JSON.parse(payload.toString()));
    }
    return attempts;
  }
}
