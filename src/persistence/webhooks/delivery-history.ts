/**
 * What operators are told about an account's deliveries. It reads the outbox's file beside the thread that writes
 * it, and sees what is durable.
 */
import type { WebhookEventType } from '../../engine/webhook.ts';
import { readNumberKey } from '../lmdb/lmdb-environment.ts';
import { decodeEvent, type EventStatus, eventKey, eventTypeOf, type OutboxEvent } from './event-row.ts';
import { numbersKey, type OutboxFile, openOutboxFile, readRow, readRows } from './outbox-file.ts';
import type { AttemptRow } from './outbox-store.ts';

export interface EventHistory {
  /** Of the account; see `eventNumber`. */
  readonly number: number;
  readonly type: WebhookEventType;
  readonly status: EventStatus;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
  /** Unix milliseconds; only while it is pending. May be in the past: it then waits for its turn. */
  readonly nextAttemptAtMs?: number;
  /** Oldest first. */
  readonly attempts: readonly AttemptRow[];
}

export class DeliveryHistory {
  readonly #file: OutboxFile;

  private constructor(file: OutboxFile) {
    this.#file = file;
  }

  /** Opens the outbox of a data folder for reading. */
  static open(folder: string): DeliveryHistory {
    return new DeliveryHistory(openOutboxFile(folder));
  }

  async close(): Promise<void> {
    await this.#file.environment.close();
  }

  /** Up to `limit` events with numbers below `before`, newest first. */
  page(accountId: number, limit: number, before = Number.MAX_SAFE_INTEGER): EventHistory[] {
    this.#file.environment.root.resetReadTxn();
    const cancelBelow = this.#cancelBelow(accountId);
    // Downwards a range begins below what it ends with upwards, and both ends turn.
    const range = {
      start: eventKey(accountId, before - 1),
      end: numbersKey(accountId),
      reverse: true,
      limit,
    };
    return Array.from(readRows(this.#file, 'events', range), ({ key, payload }) =>
      this.#historyOf(decodeEvent(key, payload), cancelBelow),
    );
  }

  /** One event, or undefined when the account has none of this number (any more). */
  event(accountId: number, number: number): EventHistory | undefined {
    this.#file.environment.root.resetReadTxn();
    const key = eventKey(accountId, number);
    const payload = readRow(this.#file, 'events', key);
    if (payload === undefined) return undefined;
    return this.#historyOf(decodeEvent(key, payload), this.#cancelBelow(accountId));
  }

  /** Events below it are cancelled though their rows may not say so yet. */
  #cancelBelow(accountId: number): number {
    const lane = readRow(this.#file, 'lanes', numbersKey(accountId));
    return lane === undefined ? 0 : readNumberKey(lane, 8);
  }

  #historyOf(event: OutboxEvent, cancelBelow: number): EventHistory {
    const { accountId, number, createdAtMs, dueAtMs } = event;
    const isCancelled = event.status === 'pending' && number < cancelBelow;
    const status = isCancelled ? 'cancelled' : event.status;
    const range = { start: numbersKey(accountId, number), end: numbersKey(accountId, number + 1) };
    const attempts = Array.from(
      readRows(this.#file, 'attempts', range),
      ({ payload }) => JSON.parse(payload.toString()) as AttemptRow,
    );
    const next = status === 'pending' ? { nextAttemptAtMs: dueAtMs } : {};
    return { number, type: eventTypeOf(number), status, createdAtMs, ...next, attempts };
  }
}
