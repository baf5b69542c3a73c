/** Whether a place that somebody names is one of our journal: the proof that what a target has is our history. */
import { GENESIS, type LogHead, type LogReader } from '../persistence/journal/frame-log.ts';
import { extentOf, frameHash } from '../persistence/journal/journal-frame.ts';

/** Whether a frame ends there, and has this hash. */
export function isPlaceOf(log: LogReader, { position, hash }: LogHead): boolean {
  if (position === 0) return hash.equals(GENESIS.hash);
  for (const frame of log.read(position - 1)) {
    return extentOf(frame).last === position && frameHash(frame).equals(hash);
  }
  return false;
}
