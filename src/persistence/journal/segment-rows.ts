/** How a segment has its frames, in whichever file: by their first sequence. */
import { numberKey } from '../codec/number-key.ts';
import type { TableEntry } from '../lmdb/lmdb-table.ts';
import type { LogHead } from './frame-log.ts';
import { extentOf, frameHash } from './journal-frame.ts';

/** Rows in the order of their keys; with `reverse`, from `start` down. */
export type SegmentRows = (range: {
  readonly start?: Buffer;
  readonly reverse?: boolean;
}) => Iterable<TableEntry>;

export function rowKey(frame: Buffer): Buffer {
  return numberKey(extentOf(frame).first);
}

/** The frames from the one that holds fact `sequence` on, or from the next one. */
export function* framesFrom(rows: SegmentRows, sequence: number): IterableIterator<Buffer> {
  const before = firstOf(rows({ start: numberKey(sequence), reverse: true }));
  const isIn = before !== undefined && extentOf(before.value).last >= sequence;
  for (const { value } of rows({ start: isIn ? before.key : numberKey(sequence) })) yield value;
}

/** Where the frames end; undefined when there are none. */
export function headOf(rows: SegmentRows): LogHead | undefined {
  const last = firstOf(rows({ reverse: true }));
  return last && { position: extentOf(last.value).last, hash: frameHash(last.value) };
}

function firstOf(rows: Iterable<TableEntry>): TableEntry | undefined {
  for (const row of rows) return row;
  return undefined;
}
