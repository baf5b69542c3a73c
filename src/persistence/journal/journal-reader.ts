/**
 * Reads frames in order, across segments, and proves the chain as it goes: each must continue the sequence
 * and name the hash of the one before. What fails is a `DamagedDataError`.
 */
import { DamagedDataError } from '../codec/byte-reader.ts';
import { numberKey } from '../lmdb/lmdb-environment.ts';
import {
  decodeFrame,
  type FactVisitor,
  type Frame,
  type FrameHead,
  frameHash,
  GENESIS_HASH,
  readHead,
  visitFacts,
} from './journal-frame.ts';
import { hasSegmentFrom, listSegments, openSegment, type Segment } from './journal-segments.ts';
import type { JournalHead } from './lmdb-journal.ts';

/** Looks at a segment's file before LMDB opens it; throws when it is damaged. */
export type ProveSegment = (file: string) => void;

export class JournalReader {
  readonly #folder: string;
  readonly #prove: ProveSegment;
  #head: JournalHead;
  #segment: Segment | undefined;

  /** Starts after `head`, which the caller knows to be sound. By default all segments are proved already. */
  constructor(folder: string, head: JournalHead, prove: ProveSegment = () => {}) {
    this.#folder = folder;
    this.#head = head;
    this.#prove = prove;
  }

  /**
   * Starts with the frame that holds the first fact after `position`, or the one at it when there is none yet; what
   * came before is taken at that frame's word. Undefined when the journal lacks it.
   */
  static at(folder: string, position: number, prove: ProveSegment): JournalReader | undefined {
    const segments = listSegments(folder).filter(({ firstSequence }) => firstSequence <= position + 1);
    for (const { file, firstSequence } of segments.reverse()) {
      prove(file);
      const segment = openSegment(folder, firstSequence);
      const [last] = segment.frames.getRange({
        start: numberKey(position + 1),
        reverse: true,
        limit: 1,
      });
      const frame = last && decodeFrame(Buffer.from(last.value));
      void segment.environment.close();
      // A segment is made before its first frame is written.
      if (frame === undefined) continue;
      if (frame.firstSequence + frame.facts.length - 1 < position) return undefined;
      return new JournalReader(
        folder,
        { position: frame.firstSequence - 1, hash: frame.previousHash },
        prove,
      );
    }
    const isBeginning = position === 0 && segments.length > 0;
    return isBeginning ? new JournalReader(folder, { position: 0, hash: GENESIS_HASH }, prove) : undefined;
  }

  /** The last frame read. */
  get head(): JournalHead {
    return this.#head;
  }

  /** Frames after the last one read, up to and including the one that ends at `through`. */
  *read(through: number = Number.POSITIVE_INFINITY): IterableIterator<Frame> {
    for (const bytes of this.#frames(through)) {
      const frame = decodeFrame(bytes);
      this.#accept(frame, frame.facts.length, frame.hash);
      yield frame;
    }
  }

  /**
   * The same for facts that nobody keeps: each is handed on as it is decoded, and dies young. Gives the position after
   * each frame. Of a frame that doesn't fit or is damaged, some facts may have been handed on before it throws.
   */
  *visit(through: number, visitor: FactVisitor): IterableIterator<number> {
    for (const bytes of this.#frames(through)) {
      const head = readHead(bytes);
      this.#accept(head, head.count, frameHash(bytes));
      visitFacts(bytes, head, visitor);
      yield this.#head.position;
    }
  }

  /** Each must be accepted before the next one is asked for. */
  *#frames(through: number): IterableIterator<Buffer> {
    while (this.#head.position < through) {
      const before = this.#head.position;
      const segment = this.#segmentOf(before + 1);
      if (segment === undefined) return;
      segment.environment.resetReadTxn();
      for (const { value } of segment.frames.getRange({ start: numberKey(before + 1) })) {
        yield value;
        if (this.#head.position >= through) return;
      }
      if (this.#head.position === before) return;
    }
  }

  /**
   * Throws unless the journal holds the frame that ends at `head`, which `whose` names: without it,
   * facts may be lost.
   */
  checkHead(whose = 'the checkpoint goes'): void {
    const { position, hash } = this.#head;
    if (position === 0) return;
    const frames = this.#segmentOf(position)?.frames;
    const [last] = frames?.getRange({ start: numberKey(position), reverse: true, limit: 1 }) ?? [];
    if (last === undefined || !decodeFrame(Buffer.from(last.value)).hash.equals(hash)) {
      throw new DamagedDataError(
        `${whose} up to fact ${position}, and the journal doesn't hold that fact as it was`,
      );
    }
  }

  async close(): Promise<void> {
    await this.#segment?.environment.close();
    this.#segment = undefined;
  }

  #accept(link: FrameLink, count: number, hash: Buffer): void {
    checkLink(this.#head, link);
    this.#head = { position: link.firstSequence + count - 1, hash };
  }

  /** `sequence` is the next one, or the head's while no segment is open. */
  #segmentOf(sequence: number): Segment | undefined {
    // Whoever follows a journal that grows mustn't need a file descriptor each time.
    const open = this.#segment;
    if (open?.firstSequence === sequence) return open;
    if (open !== undefined && !hasSegmentFrom(this.#folder, sequence)) return open;
    const file = listSegments(this.#folder).findLast((segment) => segment.firstSequence <= sequence);
    if (file === undefined) return undefined;
    if (this.#segment?.firstSequence !== file.firstSequence) {
      this.#prove(file.file);
      const next = openSegment(this.#folder, file.firstSequence);
      this.#segment?.environment.close();
      this.#segment = next;
    }
    return this.#segment;
  }
}

/** What ties a frame to the one before. */
type FrameLink = Pick<FrameHead, 'firstSequence' | 'previousHash'>;

/** Throws unless `frame` is the one that follows `head`. */
export function checkLink(head: JournalHead, frame: FrameLink): void {
  if (frame.firstSequence !== head.position + 1) {
    throw new DamagedDataError(
      `the journal goes from ${head.position} to ${frame.firstSequence}: facts between them are missing`,
    );
  }
  if (!frame.previousHash.equals(head.hash)) {
    throw new DamagedDataError(`the journal frame at ${frame.firstSequence} doesn't continue the one before`);
  }
}
