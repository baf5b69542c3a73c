/** How many events of an account wait for an attempt: counted from rows, up to a bound, since nobody keeps the number. */
import type { OutboxStore } from './outbox-store.ts';

export const MOST_PENDING = 100;
/** Rows behind a first attempt that takes long may have been delivered. */
const MOST_LOOKS = 1_000;

/**
 * How many events are pending, with those whose attempt is under way. All below `firstOpen` were attempted before, and
 * of such there is an index; those below `cancelBelow` are cancelled, whatever their rows say.
 */
export function pendingEvents(
  store: Pick<OutboxStore, 'due' | 'events'>,
  accountId: number,
  firstOpen: number,
  cancelBelow: number,
): number {
  let pending = 0;
  for (const { number } of store.due(accountId)) {
    if (number >= cancelBelow) pending += 1;
    if (pending === MOST_PENDING) return pending;
  }
  let looks = 0;
  for (const { status, loggedAttempts } of store.events(accountId, Math.max(firstOpen, cancelBelow))) {
    if (status === 'pending' && loggedAttempts === 0) pending += 1;
    looks += 1;
    if (pending === MOST_PENDING || looks === MOST_LOOKS) return pending;
  }
  return pending;
}
