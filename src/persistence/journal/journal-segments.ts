/**
 * The journal's files. A segment is one file, named by the first sequence it holds, and no row of one is ever removed.
 * A segment is written as a database (`lmdb-segment.ts`); a full one is packed later (`packed-segment.ts`).
 *
 * Invariant: while both files of a segment are there, they hold the same, and the packed one counts.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { LogHead } from './frame-log.ts';

export interface SegmentFile {
  readonly file: string;
  readonly firstSequence: number;
}

/** An open one. */
export interface Segment extends SegmentFile {
  /** The frames from the one that holds fact `sequence` on, or from the next one. Valid until the next is asked for. */
  framesFrom(sequence: number): IterableIterator<Buffer>;
  /** Where its frames end; undefined when it has none yet. */
  head(): LogHead | undefined;
  close(): Promise<void>;
}

const SEGMENT_NAME = /^journal-(\d{16})\.(?:mdb|run)$/;
const PACKED = '.run';

/** Oldest first. */
export function listSegments(folder: string): SegmentFile[] {
  const segments = new Map<number, SegmentFile>();
  for (const name of readdirSync(folder).sort()) {
    const firstSequence = sequenceOf(name);
    const file = join(folder, name);
    // Behind the one that isn't packed. A folder of links has one to it before it is there (`folder-view.ts`).
    if (firstSequence !== undefined && (!isPackedSegment(name) || existsSync(file)))
      segments.set(firstSequence, { file, firstSequence });
  }
  return [...segments.values()];
}

/** Whether a file of a data folder is one. */
export function isPackedSegment(file: string): boolean {
  return file.endsWith(PACKED) && sequenceOf(file) !== undefined;
}

/** Undefined when the file is none of the journal's. */
function sequenceOf(file: string): number | undefined {
  const text = SEGMENT_NAME.exec(basename(file))?.[1];
  return text === undefined ? undefined : Number(text);
}

/** Takes no file descriptor. */
export function hasSegmentFrom(folder: string, firstSequence: number): boolean {
  return existsSync(segmentFile(folder, firstSequence)) || existsSync(packedFile(folder, firstSequence));
}

/** The file of a segment as it is written. */
export function segmentFile(folder: string, firstSequence: number): string {
  return join(folder, `journal-${String(firstSequence).padStart(16, '0')}.mdb`);
}

/** The file of a segment as it is kept, packed. */
export function packedFile(folder: string, firstSequence: number): string {
  return segmentFile(folder, firstSequence).replace(/\.mdb$/, PACKED);
}
