/**
 * The segments that one thread reads: one handle to each, however many readers it has.
 *
 * One, because a thread that waits for a file to be let go of can't ask another handle of its own (`lmdb-renewal.ts`),
 * and because a reader of the feed more should not take more file descriptors.
 *
 * To open a file is a write transaction of the library's, so it passes the thread's gate: the process must not exit in
 * the middle. An opening that fails because a commit of the journal fails at that moment is repeated (`lmdb-renewal.ts`).
 */
import { existsSync } from 'node:fs';
import { WriteGate } from '../../threads/write-gate.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { listSegments, packedFile, type Segment, type SegmentFile, segmentFile } from './journal-segments.ts';
import { LmdbSegment } from './lmdb-segment.ts';
import { PackedSegment } from './packed-segment.ts';

/** Looks at a segment's file before LMDB opens it; throws when it is damaged. A packed one is looked at as it is read. */
export type ProveSegment = (file: string) => void;

export class OpenSegments {
  readonly folder: string;
  readonly #prove: ProveSegment;
  readonly #gate: Pick<WriteGate, 'pass'>;
  readonly #open = new Map<number, { readonly segment: Segment; readers: number }>();

  constructor(folder: string, prove: ProveSegment, gate: Pick<WriteGate, 'pass'> = new WriteGate()) {
    this.folder = folder;
    this.#prove = prove;
    this.#gate = gate;
  }

  /** The segment files there are, oldest first. */
  list(): SegmentFile[] {
    return listSegments(this.folder);
  }

  take({ firstSequence }: SegmentFile): Segment {
    let open = this.#open.get(firstSequence);
    if (open === undefined) {
      open = { segment: this.#openFile(firstSequence), readers: 0 };
      this.#open.set(firstSequence, open);
    }
    open.readers += 1;
    return open.segment;
  }

  /** Either file of it: it may have been packed since it was listed, or is while the other one is opened. */
  #openFile(firstSequence: number): Segment {
    const packed = packedFile(this.folder, firstSequence);
    try {
      const segment = existsSync(packed) ? undefined : this.#openUnpacked(firstSequence, packed);
      // If the file went a moment ago, the library has made an empty one: that is removed when it is packed again.
      if (segment !== undefined && !existsSync(packed)) return segment;
      void segment?.close();
    } catch (error) {
      if (!existsSync(packed)) throw error;
    }
    return new PackedSegment(this.folder, firstSequence);
  }

  #openUnpacked(firstSequence: number, packed: string): LmdbSegment | undefined {
    const file = segmentFile(this.folder, firstSequence);
    expectFile(file);
    this.#prove(file);
    return this.#gate.pass(() => {
      // A proof takes a while.
      if (existsSync(packed)) return undefined;
      expectFile(file);
      return new LmdbSegment(this.folder, firstSequence);
    });
  }

  async giveBack({ firstSequence }: SegmentFile): Promise<void> {
    const open = this.#open.get(firstSequence);
    if (open === undefined) return;
    open.readers -= 1;
    if (open.readers > 0) return;
    this.#open.delete(firstSequence);
    await open.segment.close();
  }
}

/** The library would make one that is missing. */
function expectFile(file: string): void {
  if (!existsSync(file)) throw new DamagedDataError(`${file} is not there any more`);
}
