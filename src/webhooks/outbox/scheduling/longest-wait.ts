/**
 * For how long the event that waits longest could have been attempted: one that waits for its first attempt since it
 * came up, one that is to be attempted again since that is due. An event whose attempt is under way doesn't wait.
 *
 * Reads a row or two of each account that has something waiting, so it is asked now and then, and not counted along:
 * waiting events are on disk, and change with every event.
 */
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import { type DeliveryQueue, NOTHING_DUE } from './delivery-queue.ts';

/** Milliseconds; 0 when nothing waits. */
export function longestWaitMs(queues: Iterable<DeliveryQueue>, store: OutboxStore, nowMs: number): number {
  let sinceMs = nowMs;
  for (const queue of queues) {
    if (queue.subscriber.webhook === null) continue;
    sinceMs = Math.min(sinceMs, firstDueMs(queue, store));
    if (queue.nextDueAtMs < sinceMs) sinceMs = Math.min(sinceMs, retryDueMs(queue, store));
  }
  return nowMs - sinceMs;
}

function firstDueMs(queue: DeliveryQueue, store: OutboxStore): number {
  if (!queue.hasFirst) return NOTHING_DUE;
  const [known] = queue.again.length > 0 ? queue.again : queue.fresh;
  if (known !== undefined) return known.dueAtMs;
  for (const { status, loggedAttempts, number, dueAtMs } of store.events(
    queue.accountId,
    queue.next,
    queue.last + 1,
  )) {
    if (status === 'pending' && loggedAttempts === 0 && !queue.busy.has(number)) return dueAtMs;
  }
  return NOTHING_DUE;
}

/** The time that the earliest retry is due; the queue's `nextDueAtMs` may be too early. */
function retryDueMs(queue: DeliveryQueue, store: OutboxStore): number {
  for (const { dueAtMs, number } of store.due(queue.accountId)) {
    if (!queue.busy.has(number)) return dueAtMs;
  }
  return NOTHING_DUE;
}
