/**
 * The journal's files. A segment is one LMDB environment, named by the first sequence it holds, so that an
 * old one can be archived or unlinked as a whole and never row by row.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  createEnvironment,
  type Environment,
  openEnvironment,
  type Table,
} from '../lmdb/lmdb-environment.ts';

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

/** The segment that goes on after a place where facts are missing. */
export function nextSegmentAfter(folder: string, position: number): SegmentFile | undefined {
  return listSegments(folder).find(({ firstSequence }) => firstSequence > position);
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

function segmentFile(folder: string, firstSequence: number): string {
  return join(folder, `journal-${String(firstSequence).padStart(16, '0')}.mdb`);
}
