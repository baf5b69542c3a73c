/**
 * The progress of each account's webhook events, as the backup tells it on the way.
 *
 * Invariant: no event counts as told that nobody can have been told of. A lane may have come further than the facts
 * that are restored. Its progress counts up to these: behind them the same numbers are other events, with other ids.
 * Events that were cancelled since, because the webhook was removed, count as told.
 */
import type { LaneProgress } from '../backup/chunk-entries.ts';
import { eventNumber } from '../persistence/webhooks/event-row.ts';

/** The lowest number of an event. */
export const LOWEST_NUMBER = 1;

export class RestoredLanes {
  readonly #lanes = new Map<number, { readonly firstOpen: number; readonly pending: ReadonlySet<number> }>();

  /** Takes the progress of accounts, which replaces earlier progress of the same ones. */
  take(lanes: readonly LaneProgress[]): void {
    for (const { accountId, firstOpen, pending } of lanes) {
      this.#lanes.set(accountId, { firstOpen, pending: new Set(pending) });
    }
  }

  /** The history of `epoch` is left behind the fact at `position`. */
  fork(position: number, epoch: number): void {
    // A group that was open there closes at the fork, with fewer products than in the history that was left.
    const untold = eventNumber(position, 'catalog.updated', epoch);
    for (const [accountId, { firstOpen, pending }] of this.#lanes) {
      if (firstOpen > untold) this.#lanes.set(accountId, { firstOpen: untold, pending });
    }
  }

  /** Whether the event must be delivered. */
  isOpen(accountId: number, number: number): boolean {
    const lane = this.#lanes.get(accountId);
    return lane === undefined || number >= lane.firstOpen || lane.pending.has(number);
  }

  /** No lower one must be. */
  lowestOpen(accountId: number): number {
    const lane = this.#lanes.get(accountId);
    if (lane === undefined) return LOWEST_NUMBER;
    let lowest = lane.firstOpen;
    for (const number of lane.pending) lowest = Math.min(lowest, number);
    return Math.max(LOWEST_NUMBER, lowest);
  }
}
