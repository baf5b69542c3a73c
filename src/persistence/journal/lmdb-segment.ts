/** A segment of the journal as it is written: an LMDB environment of one table. */
import {
  createEnvironment,
  type Environment,
  type LmdbTable,
  openEnvironment,
} from '../lmdb/lmdb-environment.ts';
import type { LogHead } from './frame-log.ts';
import { type Segment, segmentFile } from './journal-segments.ts';
import { framesFrom, headOf, type SegmentRows } from './segment-rows.ts';

/** The one table of a segment. */
export const FRAMES = 'frames';

export async function createSegment(folder: string, firstSequence: number): Promise<void> {
  await createEnvironment(segmentFile(folder, firstSequence), [FRAMES]);
}

export class LmdbSegment implements Segment {
  readonly file: string;
  readonly firstSequence: number;
  readonly environment: Environment;
  readonly frames: LmdbTable;
  readonly #rows: SegmentRows;

  /** One that is there. `leavesWrites`: see `openEnvironment`. */
  constructor(folder: string, firstSequence: number, options?: { readonly leavesWrites: boolean }) {
    this.file = segmentFile(folder, firstSequence);
    this.firstSequence = firstSequence;
    this.environment = openEnvironment(this.file, options);
    this.frames = this.environment.table(FRAMES);
    this.#rows = (range) => this.frames.getRange(range);
  }

  framesFrom(sequence: number): IterableIterator<Buffer> {
    this.environment.resetReadTxn();
    return framesFrom(this.#rows, sequence);
  }

  head(): LogHead | undefined {
    this.environment.resetReadTxn();
    return headOf(this.#rows);
  }

  close(): Promise<void> {
    return this.environment.close();
  }
}
