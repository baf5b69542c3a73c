/**
 * How far each account's webhook events had come, as the backup tells on the way.
 *
 * What always holds: of events that nobody can have been told of, none counts as told. A lane may have come further than
 * the facts that are restored. It counts up to these: behind them the same numbers are other events, with other ids. What
 * was cancelled since, because the webhook was removed, counts as told.
 */
import type { LaneProgress } from '../backup/chunk-entries.ts';
import { eventNumber } from '../persistence/webhooks/event-row.ts';

/** Of an event. */
export const LOWEST_NUMBER = 1;

export class RestoredLanes {
  readonly #lanes = new Map<number, { readonly firstOpen: number; readonly pending: ReadonlySet<number> }>();

  /** What was told before of the same accounts is forgotten. */
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
