/**
 * A full segment of the journal as it is kept: a packed run file (`../runs/run-format.ts`) of the same rows. Facts of one
 * shop look alike, so they take a fifth or less. To read it takes no database: nothing is written beside it.
 */
import { RunFile } from '../runs/run-file.ts';
import { FrameChain } from './frame-chain.ts';
import type { LogHead } from './frame-log.ts';
import { packedFile, type Segment } from './journal-segments.ts';
import { framesFrom, headOf, type SegmentRows } from './segment-rows.ts';

export class PackedSegment implements Segment {
  readonly file: string;
  readonly firstSequence: number;
  readonly #run: RunFile;
  readonly #rows: SegmentRows;

  /** Throws `DamagedFileError`, or the file system's error. */
  constructor(folder: string, firstSequence: number) {
    this.file = packedFile(folder, firstSequence);
    this.firstSequence = firstSequence;
    this.#run = new RunFile(this.file);
    this.#rows = (range) => this.#run.range(range);
  }

  /** Throws `DamagedFileError`. */
  framesFrom(sequence: number): IterableIterator<Buffer> {
    return framesFrom(this.#rows, sequence);
  }

  head(): LogHead | undefined {
    return headOf(this.#rows);
  }

  async close(): Promise<void> {
    this.#run.close();
  }
}

/** Reads all of it; gives the number of its frames. Throws `DamagedFileError` and `DamagedDataError`. */
export function checkPackedSegment(file: string): number {
  const run = new RunFile(file);
  const chain = new FrameChain();
  try {
    run.check((_key, frame) => void chain.add(frame));
    return run.rows;
  } finally {
    run.close();
  }
}
