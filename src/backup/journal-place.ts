/** Whether a place that somebody names is one of our journal: the proof that what a target has is our history. */
import { GENESIS, type LogHead, type LogReader } from '../persistence/journal/frame-log.ts';
import { extentOf, frameHash, readHead } from '../persistence/journal/journal-frame.ts';
import type { Runner } from './runs.ts';

/** Whether a frame ends there, and has this hash; undefined when the journal begins behind it, and can't tell. */
export function isPlaceOf(log: LogReader, { position, hash }: LogHead): boolean | undefined {
  if (position === 0) return hash.equals(GENESIS.hash);
  for (const frame of log.read(position - 1)) {
    const { first, last } = extentOf(frame);
    // The frame that ends there is in an archive, and the next one names it.
    if (first === position + 1) return readHead(frame).previousHash.equals(hash);
    return first > position ? undefined : last === position && frameHash(frame).equals(hash);
  }
  return false;
}

/**
 * Whether a place that is in an archive is of this node's history, by its epoch: of its own, or of the one before, up to the
 * fork. It is never where a backup goes on (`Shipment.begin`), so that is all that has to be known.
 */
export function isBeforeJournal({ epoch, fork }: Runner, position: number, epochOfPlace: number): boolean {
  if (fork === null) return epochOfPlace === epoch;
  if (epochOfPlace === epoch) return position > fork.position.seq;
  return epochOfPlace === fork.epoch && position <= fork.position.seq;
}
