/**
 * The journal's files. A segment is one LMDB environment, named by the first sequence it holds, so that an
 * old one can be archived or unlinked as a whole and never row by row.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  createEnvironment,
  type Environment,
  type LmdbTable,
  numberKey,
  openEnvironment,
} from '../lmdb/lmdb-environment.ts';
import { removeLmdbFile, removeStrayLocks } from '../lmdb/lock-file.ts';
import type { LogHead } from './frame-log.ts';
import { extentOf, frameHash } from './journal-frame.ts';

const SEGMENT_NAME = /^journal-(\d{16})\.mdb$/;
/** The one table of a segment: frames by their first sequence. */
export const FRAMES = 'frames';

export interface SegmentFile {
  readonly file: string;
  readonly firstSequence: number;
}

export interface Segment extends SegmentFile {
  readonly environment: Environment;
  readonly frames: LmdbTable;
}

/** Oldest first. */
export function listSegments(folder: string): SegmentFile[] {
  const segments: SegmentFile[] = [];
  for (const name of readdirSync(folder)) {
    const firstSequence = sequenceOf(name);
    if (firstSequence !== undefined) segments.push({ file: join(folder, name), firstSequence });
  }
  return segments.sort((a, b) => a.firstSequence - b.firstSequence);
}

/**
 * Removes the oldest file when all its facts are at `position` or before. False: there is none such, or it is the newest,
 * which stays. Who has it open goes on reading it.
 */
export async function removeOldestSegment(folder: string, position: number): Promise<boolean> {
  const [oldest, next] = listSegments(folder);
  if (oldest !== undefined && next !== undefined && next.firstSequence <= position + 1) {
    await removeLmdbFile(oldest.file);
    return true;
  }
  await removeStrayLocks(folder, (file) => (sequenceOf(file) ?? Infinity) <= position);
  return false;
}

/** Undefined when the file is none of the journal's. */
function sequenceOf(file: string): number | undefined {
  const text = SEGMENT_NAME.exec(basename(file))?.[1];
  return text === undefined ? undefined : Number(text);
}

/** Takes no file descriptor. */
export function hasSegmentFrom(folder: string, firstSequence: number): boolean {
  return existsSync(segmentFile(folder, firstSequence));
}

export async function createSegment(folder: string, firstSequence: number): Promise<void> {
  await createEnvironment(segmentFile(folder, firstSequence), [FRAMES]);
}

/** Opens a segment that is there. `leavesWrites`: see `openEnvironment`. */
export function openSegment(
  folder: string,
  firstSequence: number,
  options?: { readonly leavesWrites: boolean },
): Segment {
  const file = segmentFile(folder, firstSequence);
  const environment = openEnvironment(file, options);
  return { file, firstSequence, environment, frames: environment.table(FRAMES) };
}

/** The frames from the one that holds fact `sequence` on, or from the next one. Valid until the next is asked for. */
export function* framesFrom({ environment, frames }: Segment, sequence: number): IterableIterator<Buffer> {
  environment.resetReadTxn();
  const [before] = frames.getRange({ start: numberKey(sequence), reverse: true, limit: 1 });
  const start =
    before !== undefined && extentOf(before.value).last >= sequence ? before.key : numberKey(sequence);
  for (const { value } of frames.getRange({ start })) yield value;
}

/** Where the segment's frames end; undefined when it has none yet. */
export function segmentHead({ environment, frames }: Segment): LogHead | undefined {
  environment.resetReadTxn();
  const [last] = frames.getRange({ reverse: true, limit: 1 });
  return last && { position: extentOf(last.value).last, hash: frameHash(last.value) };
}

function segmentFile(folder: string, firstSequence: number): string {
  return join(folder, `journal-${String(firstSequence).padStart(16, '0')}.mdb`);
}
