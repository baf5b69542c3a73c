/**
 * Reads the log of a data folder, across segments.
 *
 * One segment is open at a time. Whoever follows a log that grows needs no file descriptor for each look: the open
 * segment stays open, and whether the next one has begun is asked of the file system without opening anything.
 */
import type { LogReader } from './frame-log.ts';
import { extentOf } from './journal-frame.ts';
import { framesFrom, hasSegmentFrom, listSegments, openSegment, type Segment } from './journal-segments.ts';

/** Looks at a segment's file before LMDB opens it; throws when it is damaged. */
export type ProveSegment = (file: string) => void;

export class LmdbLogReader implements LogReader {
  readonly #folder: string;
  readonly #prove: ProveSegment;
  #segment: Segment | undefined;

  constructor(folder: string, prove: ProveSegment) {
    this.#folder = folder;
    this.#prove = prove;
  }

  *read(position: number): IterableIterator<Buffer> {
    let next = position + 1;
    let segment = this.#segmentOf(next);
    let isFirst = true;
    while (segment !== undefined) {
      const before = next;
      for (const frame of framesFrom(segment, next)) {
        next = extentOf(frame).last + 1;
        isFirst = false;
        yield frame;
      }
      if (isFirst) segment = this.#segmentBehind(segment);
      else if (next === before) return;
      else segment = this.#segmentOf(next);
    }
  }

  async close(): Promise<void> {
    await this.#segment?.environment.close();
    this.#segment = undefined;
  }

  /** The one that holds fact `sequence`, or would; the oldest when that one is gone. */
  #segmentOf(sequence: number): Segment | undefined {
    const open = this.#segment;
    if (open?.firstSequence === sequence) return open;
    if (open !== undefined && open.firstSequence < sequence && !hasSegmentFrom(this.#folder, sequence))
      return open;
    const segments = listSegments(this.#folder);
    const file = segments.findLast(({ firstSequence }) => firstSequence <= sequence) ?? segments[0];
    return file && this.#open(file.file, file.firstSequence);
  }

  /** Where frames are missing, or the segment has none yet. */
  #segmentBehind({ firstSequence }: Segment): Segment | undefined {
    const file = listSegments(this.#folder).find((segment) => segment.firstSequence > firstSequence);
    return file && this.#open(file.file, file.firstSequence);
  }

  #open(file: string, firstSequence: number): Segment {
    if (this.#segment?.firstSequence === firstSequence) return this.#segment;
    this.#prove(file);
    const next = openSegment(this.#folder, firstSequence);
    this.#segment?.environment.close();
    this.#segment = next;
    return next;
  }
}
