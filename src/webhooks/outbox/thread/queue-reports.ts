/**
 * Reports of accounts' queues for operators: whether the receiver fails, and how many events wait.
 *
 * Invariant: an account whose webhook hasn't been read from the journal has no report. Each is counted from rows when it
 * is asked for, up to a bound.
 */
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import { pendingEvents } from '../../../persistence/webhooks/pending-events.ts';
import type { DeliveryQueue } from '../scheduling/delivery-queue.ts';
import type { QueueReport } from './outbox-messages.ts';

export function reportsOf(
  accountIds: readonly number[],
  queues: ReadonlyMap<number, DeliveryQueue>,
  store: OutboxStore,
): QueueReport[] {
  return accountIds.flatMap((accountId) => {
    const queue = queues.get(accountId);
    if (queue === undefined) return [];
    const firstOpen = Math.min(queue.next, ...queue.openFirsts);
    const pending = pendingEvents(store, accountId, firstOpen, queue.cancelBelow);
    return [{ accountId, isFailing: queue.isFailing, pending }];
  });
}
