/**
 * The journal's files. A segment is one LMDB environment, named by the first sequence it holds, so that an
 * old one can be archived or unlinked as a whole and never row by row.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolderOf } from '../disk/durable-file.ts';
import {
  createEnvironment,
  type Environment,
  numberKey,
  openEnvironment,
  type Table,
} from '../lmdb/lmdb-environment.ts';
import { lockFileOf } from '../lmdb/lock-file.ts';
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
  readonly frames: Table;
}

/** Oldest first. */
export function listSegments(folder: string): SegmentFile[] {
  const segments: SegmentFile[] = [];
  for (const name of readdirSync(folder)) {
    const match = SEGMENT_NAME.exec(name);
    if (match?.[1] !== undefined)
      segments.push({ file: join(folder, name), firstSequence: Number(match[1]) });
  }
  return segments.sort((a, b) => a.firstSequence - b.firstSequence);
}

/**
 * Removes the files of which all facts are at `position` or before, the oldest first; the newest file stays. Who has one
 * open goes on reading it. Gives their number.
 */
export function removeSegmentsThrough(folder: string, position: number): number {
  const segments = listSegments(folder);
  let removed = 0;
  for (const [index, { file }] of segments.entries()) {
    const next = segments[index + 1];
    if (next === undefined || next.firstSequence > position + 1) break;
    rmSync(file, { force: true });
    rmSync(lockFileOf(file), { force: true });
    syncFolderOf(file);
    removed += 1;
  }
  return removed;
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
