/**
 * How far each account's webhook events have come, as a backup has it: what has changed since it was shipped last.
 *
 * The reader is asked often, and reads all queues each time; so it looks again only when a hundred times as much time
 * has passed as the last look took. An account with very many events that wait for another attempt is told to begin at
 * the first of those that don't fit: some are then delivered twice after a restore, and none is lost.
 */
import { OutboxStore } from '../../persistence/webhooks/outbox-store.ts';
import type { WriteGate } from '../../threads/write-gate.ts';
import type { QueueProgress } from '../chunk-entries.ts';

const MAX_PENDING = 1_000;
/** A look may take one part in so many of the time. */
const REST = 100;

export class QueueReader {
  readonly #outbox: OutboxStore;
  /** Queues as they were shipped last, by account. */
  readonly #shipped = new Map<number, string>();
  #lookAgainAtMs = Number.NEGATIVE_INFINITY;

  constructor(folder: string, gate: WriteGate) {
    this.#outbox = OutboxStore.open(folder, gate);
  }

  /** How far the journal was read for the events that queues tell of. */
  get position(): number {
    return this.#outbox.meta().head.position;
  }

  /** All of them. Throws `DamagedDataError`. */
  all(): QueueProgress[] {
    this.#outbox.refresh();
    return Array.from(this.#outbox.queues(), ([accountId, { firstOpen, cancelBelow }]) => {
      const first = Math.max(firstOpen, cancelBelow);
      const pending: number[] = [];
      for (const { number } of this.#outbox.due(accountId)) {
        if (number < first && number >= cancelBelow) pending.push(number);
      }
      pending.sort((a, b) => a - b);
      return { accountId, firstOpen: pending[MAX_PENDING] ?? first, pending: pending.slice(0, MAX_PENDING) };
    });
  }

  /**
   * Queues that differ from those that `shipped` was told of; none when the last look was a moment ago. Throws
   * `DamagedDataError`.
   */
  changed(): QueueProgress[] {
    const nowMs = performance.now();
    if (nowMs < this.#lookAgainAtMs) return [];
    const changed = this.all().filter((queue) => this.#shipped.get(queue.accountId) !== textOf(queue));
    const endMs = performance.now();
    this.#lookAgainAtMs = endMs + REST * (endMs - nowMs);
    return changed;
  }

  /** The queues are at the target. */
  shipped(queues: readonly QueueProgress[]): void {
    for (const queue of queues) this.#shipped.set(queue.accountId, textOf(queue));
  }

  close(): Promise<void> {
    return this.#outbox.close();
  }
}

function textOf({ firstOpen, pending }: QueueProgress): string {
  return `${firstOpen} ${pending.join(' ')}`;
}
