/**
 * Reports of accounts' lanes for operators: whether the receiver fails, and how many events wait.
 *
 * Invariant: an account whose webhook hasn't been read from the journal has no report. Each is counted from rows when it
 * is asked for, up to a bound.
 */
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import { pendingEvents } from '../../../persistence/webhooks/pending-events.ts';
import type { Lane } from '../scheduling/lane.ts';
import type { LaneReport } from './outbox-messages.ts';

export function reportsOf(
  accountIds: readonly number[],
  lanes: ReadonlyMap<number, Lane>,
  store: OutboxStore,
): LaneReport[] {
  return accountIds.flatMap((accountId) => {
    const lane = lanes.get(accountId);
    if (lane === undefined) return [];
    const firstOpen = Math.min(lane.next, ...lane.openFirsts);
    const pending = pendingEvents(store, accountId, firstOpen, lane.cancelBelow);
    return [{ accountId, isFailing: lane.isFailing, pending }];
  });
}
