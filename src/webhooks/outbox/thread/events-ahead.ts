/**
 * Removes events that never came up: they were written ahead of the cursor (`OutboxStore.commit`) by a node that
 * crashed before the cursor was. The facts that gave them are read again, and give the same, unless a later version of
 * the program reads them; until then nobody must count or show them. In steps, so that no turn is long, and few pages
 * are touched at a time.
 */
import type { OutboxBatch } from '../../../persistence/webhooks/outbox-file.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';

/** Accounts looked at and events removed in one. */
const STEP = 256;

export class EventsAhead {
  readonly #store: OutboxStore;
  readonly #last: number;
  #isDone: boolean;
  #nextAccountId = 0;

  constructor(store: OutboxStore) {
    this.#store = store;
    this.#last = store.lastNumber();
    this.#isDone = !store.hasEventsAhead;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** One step. Another one needs what this one gave to be written. */
  remove(batch: OutboxBatch): void {
    for (let left = STEP; left > 0; left -= 1) {
      const accountId = this.#store.accountWithEvents(this.#nextAccountId);
      if (accountId === undefined) {
        this.#store.endAhead(batch);
        this.#isDone = true;
        return;
      }
      for (const event of this.#store.events(accountId, this.#last + 1)) {
        if (left === 0) return;
        this.#store.removeEvent(batch, event);
        left -= 1;
      }
      this.#nextAccountId = accountId + 1;
    }
  }
}
