/**
 * What the outbox writes, a batch at a time. One that can't be written for want of room is kept and tried again, and
 * no other is begun before. The first ones clear away what a crash left beyond the cursor.
 */
import { OutboxBatch } from '../../../persistence/webhooks/outbox-file.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import { EventsAhead } from './events-ahead.ts';

export class OutboxWriter {
  readonly #store: OutboxStore;
  readonly #ahead: EventsAhead;
  #batch = new OutboxBatch();
  #unwritten: { readonly batch: OutboxBatch; readonly after: () => void } | undefined;

  constructor(store: OutboxStore) {
    this.#store = store;
    this.#ahead = new EventsAhead(store);
  }

  /** What is written next, while it is filled. */
  get batch(): OutboxBatch {
    return this.#batch;
  }

  /** A batch was closed and isn't on disk. */
  get isWaiting(): boolean {
    return this.#unwritten !== undefined;
  }

  /** Whether there is more to be cleared away. */
  get isClearing(): boolean {
    return !this.#ahead.isDone;
  }

  /** The batch is full; `after` is called when it is on disk. */
  close(after: () => void): void {
    this.#unwritten = { batch: this.#batch, after };
    this.#batch = new OutboxBatch();
  }

  /** Has one step of the clearing written next. */
  clear(): void {
    const batch = new OutboxBatch();
    this.#ahead.remove(batch);
    this.#unwritten = { batch, after: () => {} };
  }

  /** Writes what was closed. False when there is no room; throws when the disk fails otherwise. */
  write(isWantOfRoom: (error: unknown) => boolean): boolean {
    if (this.#unwritten === undefined) return true;
    const { batch, after } = this.#unwritten;
    try {
      this.#store.commit(batch);
    } catch (error) {
      if (isWantOfRoom(error)) return false;
      throw error;
    }
    this.#unwritten = undefined;
    after();
    return true;
  }
}
