/**
 * Events whose schedule starts anew, until that is on disk. They are due at once, beside what waits
 * for its first attempt.
 */
import type { OutboxBatch } from '../../../persistence/webhooks/outbox-file.ts';
import { endedKey } from '../../../persistence/webhooks/outbox-rows.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import type { Ended } from './ended-attempts.ts';
import type { Lane } from './lane.ts';

export class Replays {
  readonly #store: OutboxStore;
  #replayed: Ended[] = [];

  constructor(store: OutboxStore) {
    this.#store = store;
  }

  get size(): number {
    return this.#replayed.length;
  }

  /** False when there is no such event or no webhook, or when the event is pending or cancelled. */
  add(batch: OutboxBatch, lane: Lane, number: number, nowMs: number): boolean {
    const event = this.#store.event(lane.accountId, number);
    if (event === undefined || lane.subscriber.webhook === null) return false;
    const hasEnded = event.status === 'delivered' || event.status === 'discarded';
    if (!hasEnded || lane.busy.has(number) || number < lane.cancelBelow) return false;
    const after = { ...event, status: 'pending', attempts: 0, dueAtMs: nowMs } as const;
    this.#store.removeEnded(batch, endedKey(event));
    this.#store.putEvent(batch, after);
    this.#store.putDue(batch, after);
    lane.busy.set(number, after);
    this.#replayed.push({ lane, event, after, isFailure: false });
    return true;
  }

  /** Those that go with the turn that is made now. */
  take(): Ended[] {
    return this.#replayed.splice(0);
  }
}
