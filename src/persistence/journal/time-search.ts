/**
 * Finds facts by their time, which never goes back from fact to fact: a binary search over the log, of some thirty frames
 * however long it is. Rejected: a table of times, which every group would have to write.
 */
import { DamagedDataError } from '../codec/byte-reader.ts';
import type { LogReader } from './frame-log.ts';
import { decodeFacts, readHead } from './journal-frame.ts';

/** The position of the last fact before `ms`, 0 when there is none, of the facts up to `through`, which are in the log. */
export function lastFactBefore(log: LogReader, through: number, ms: number): number {
  let low = 0;
  let high = through;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { firstSequence, times } = frameTimes(log, middle + 1);
    const last = firstSequence + times.length - 1;
    if ((times.at(-1) ?? 0) < ms) low = Math.min(last, high);
    else if ((times[0] ?? 0) < ms) return firstSequence + times.findIndex((atMs) => atMs >= ms) - 1;
    else high = firstSequence - 1;
  }
  return low;
}

/** When the facts of the frame happened that has this one. */
function frameTimes(
  log: LogReader,
  sequence: number,
): { readonly firstSequence: number; readonly times: readonly number[] } {
  for (const frame of log.read(sequence - 1)) {
    const head = readHead(frame);
    if (head.firstSequence > sequence) break;
    return { firstSequence: head.firstSequence, times: decodeFacts(frame, head).map(({ atMs }) => atMs) };
  }
  throw new DamagedDataError(`the journal's fact ${sequence} is missing`);
}
