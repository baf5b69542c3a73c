/**
 * Reads the log of a data folder, across segments.
 *
 * One segment is open at a time. Whoever follows a log that grows needs no file descriptor for each look: the open
 * segment stays open, and whether the next one has begun is asked of the file system without opening anything.
 */
import type { LogReader } from './frame-log.ts';
import { extentOf } from './journal-frame.ts';
import { hasSegmentFrom, type Segment, type SegmentFile } from './journal-segments.ts';
import type { OpenSegments } from './open-segments.ts';

export class FolderLogReader implements LogReader {
  readonly #segments: OpenSegments;
  #segment: Segment | undefined;

  constructor(segments: OpenSegments) {
    this.#segments = segments;
  }

  *read(position: number): IterableIterator<Buffer> {
    let next = position + 1;
    let segment = this.#segmentOf(next);
    while (segment !== undefined) {
      for (const frame of segment.framesFrom(next)) {
        next = extentOf(frame).last + 1;
        yield frame;
      }
      if (next === position + 1) segment = this.#segmentBehind(segment);
      else if (next > segment.firstSequence && this.#hasSegmentFrom(next)) segment = this.#segmentOf(next);
      else return;
    }
  }

  async close(): Promise<void> {
    const segment = this.#segment;
    this.#segment = undefined;
    if (segment !== undefined) await this.#segments.giveBack(segment);
  }

  /** The one that holds fact `sequence`, or would; the oldest when that one is missing. */
  #segmentOf(sequence: number): Segment | undefined {
    const open = this.#segment;
    if (open?.firstSequence === sequence) return open;
    if (open !== undefined && open.firstSequence < sequence && !this.#hasSegmentFrom(sequence)) return open;
    const files = this.#segments.list();
    return this.#take(files.findLast(({ firstSequence }) => firstSequence <= sequence) ?? files[0]);
  }

  /** Where frames are missing, or the segment has none. At the end of the log there is none. */
  #segmentBehind({ firstSequence }: Segment): Segment | undefined {
    return this.#take(this.#segments.list().find((file) => file.firstSequence > firstSequence));
  }

  #hasSegmentFrom(sequence: number): boolean {
    return hasSegmentFrom(this.#segments.folder, sequence);
  }

  #take(file: SegmentFile | undefined): Segment | undefined {
    if (file === undefined) return undefined;
    const before = this.#segment;
    if (before?.firstSequence === file.firstSequence) return before;
    this.#segment = this.#segments.take(file);
    if (before !== undefined) void this.#segments.giveBack(before);
    return this.#segment;
  }
}
