/**
 * The progress of each account's webhook events, as the backup tells it on the way.
 *
 * Invariant: no event counts as told that nobody can have been told of. A queue may have come further than the facts
 * that are restored. Its progress counts up to these: behind them the same numbers are other events, with other ids.
 * Events that were cancelled since, because the webhook was removed, count as told.
 */
import type { QueueProgress } from '../backup/chunk-entries.ts';
import { eventNumber } from '../persistence/webhooks/event-row.ts';

/** The lowest number of an event. */
export const LOWEST_NUMBER = 1;

export class RestoredQueues {
  readonly #queues = new Map<number, { readonly firstOpen: number; readonly pending: ReadonlySet<number> }>();

  /** Takes the progress of accounts, which replaces earlier progress of the same ones. */
  take(queues: readonly QueueProgress[]): void {
    for (const { accountId, firstOpen, pending } of queues) {
      this.#queues.set(accountId, { firstOpen, pending: new Set(pending) });
    }
  }

  /** The history of `epoch` is left behind the fact at `position`. */
  fork(position: number, epoch: number): void {
    // A group that was open there closes at the fork, with fewer products than in the history that was left.
    const untold = eventNumber(position, 'catalog.updated', epoch);
    for (const [accountId, { firstOpen, pending }] of this.#queues) {
      if (firstOpen > untold) this.#queues.set(accountId, { firstOpen: untold, pending });
    }
  }

  /** Whether the event must be delivered. */
  isOpen(accountId: number, number: number): boolean {
    const queue = this.#queues.get(accountId);
    return queue === undefined || number >= queue.firstOpen || queue.pending.has(number);
  }

  /** No lower one must be. */
  lowestOpen(accountId: number): number {
    const queue = this.#queues.get(accountId);
    if (queue === undefined) return LOWEST_NUMBER;
    let lowest = queue.firstOpen;
    for (const number of queue.pending) lowest = Math.min(lowest, number);
    return Math.max(LOWEST_NUMBER, lowest);
  }
}
