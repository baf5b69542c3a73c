/**
 * For how long the event that waits longest could have been attempted: one that waits for its first attempt since it
 * came up, one that is to be attempted again since that is due. An event whose attempt is under way doesn't wait.
 *
 * Reads a row or two of each account that has something waiting, so it is asked now and then, and not counted along:
 * waiting events are on disk, and change with every event.
 */
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import { type Lane, NOTHING_DUE } from './lane.ts';

/** Milliseconds; 0 when nothing waits. */
export function longestWaitMs(lanes: Iterable<Lane>, store: OutboxStore, nowMs: number): number {
  let sinceMs = nowMs;
  for (const lane of lanes) {
    if (lane.subscriber.webhook === null) continue;
    sinceMs = Math.min(sinceMs, firstDueMs(lane, store));
    if (lane.nextDueAtMs < sinceMs) sinceMs = Math.min(sinceMs, retryDueMs(lane, store));
  }
  return nowMs - sinceMs;
}

function firstDueMs(lane: Lane, store: OutboxStore): number {
  if (!lane.hasFirst) return NOTHING_DUE;
  const [known] = lane.again.length > 0 ? lane.again : lane.fresh;
  if (known !== undefined) return known.dueAtMs;
  for (const { status, loggedAttempts, number, dueAtMs } of store.events(
    lane.accountId,
    lane.next,
    lane.last + 1,
  )) {
    if (status === 'pending' && loggedAttempts === 0 && !lane.busy.has(number)) return dueAtMs;
  }
  return NOTHING_DUE;
}

/** The time that the earliest retry is due; the lane's `nextDueAtMs` may be too early. */
function retryDueMs(lane: Lane, store: OutboxStore): number {
  for (const { dueAtMs, number } of store.due(lane.accountId)) {
    if (!lane.busy.has(number)) return dueAtMs;
  }
  return NOTHING_DUE;
}
