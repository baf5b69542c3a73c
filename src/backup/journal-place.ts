/** Places that a target has and the journal doesn't reach back to. All other places are `isPlaceOf`'s. */
import type { Runner } from './runs.ts';

/**
 * Whether a place that is in an archive is of this node's history, by its epoch: of its own, or of the one before, up
 * to the fork. A backup never goes on at such a place (`Shipment.begin`), so its epoch is all that has to be known.
 */
export function isBeforeJournal({ epoch, fork }: Runner, position: number, epochOfPlace: number): boolean {
  if (fork === null) return epochOfPlace === epoch;
  if (epochOfPlace === epoch) return position > fork.position.seq;
  return epochOfPlace === fork.epoch && position <= fork.position.seq;
}
