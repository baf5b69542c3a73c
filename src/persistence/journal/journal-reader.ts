/**
 * Reads the log as facts, in order, and proves its chain as it goes (`FrameChain`). A failed proof is a
 * `DamagedDataError`, or a `DamagedFileError` for a packed segment.
 */
import type { Fact } from '../../engine/fact.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { FrameChain } from './frame-chain.ts';
import { GENESIS, type LogHead, type LogReader } from './frame-log.ts';
import { decodeFacts, extentOf, type FactVisitor, frameHash, readHead, visitFacts } from './journal-frame.ts';

/** The facts of one frame. */
export interface FactGroup {
  readonly firstSequence: number;
  readonly facts: readonly Fact[];
}

export class JournalReader {
  readonly #log: LogReader;
  readonly #chain: FrameChain;

  /** Starts behind `head`, which the caller knows to be sound. `close` closes the log's reader, too. */
  constructor(log: LogReader, head: LogHead) {
    this.#log = log;
    this.#chain = new FrameChain(head);
  }

  /**
   * Starts with a frame, and takes its word for what came before: the one that holds the first fact behind `position`; at
   * the end of the log, the last one. Throws when there is none of these.
   */
  static at(log: LogReader, position: number): JournalReader {
    if (position === 0) return new JournalReader(log, GENESIS);
    const first = firstOf(log.read(position)) ?? firstOf(log.read(position - 1));
    const head = first && readHead(first);
    if (head === undefined || head.firstSequence > position + 1)
      throw new DamagedDataError(`the journal's facts behind ${position} are missing`);
    const { firstSequence, previousHash } = head;
    return new JournalReader(log, { position: firstSequence - 1, hash: previousHash });
  }

  /** The place behind the last frame read. */
  get head(): LogHead {
    return this.#chain.head;
  }

  /** Groups behind the last one read, up to and including the one that ends at `through`. */
  *read(through: number = Number.POSITIVE_INFINITY): IterableIterator<FactGroup> {
    for (const frame of this.#frames(through)) {
      const head = this.#chain.add(frame);
      yield { firstSequence: head.firstSequence, facts: decodeFacts(frame, head) };
    }
  }

  /**
   * Reads facts that nobody keeps: each is handed on as it is decoded, and dies young. Gives the position behind each
   * frame. Some facts of a damaged frame may have been handed on before it throws.
   */
  *visit(through: number, visitor: FactVisitor): IterableIterator<number> {
    for (const frame of this.#frames(through)) {
      visitFacts(frame, this.#chain.add(frame), visitor);
      yield this.head.position;
    }
  }

  /** Each must be proved before the next one is asked for. */
  *#frames(through: number): IterableIterator<Buffer> {
    if (this.head.position >= through) return;
    for (const frame of this.#log.read(this.head.position)) {
      yield frame;
      if (this.head.position >= through) return;
    }
  }

  /**
   * Throws unless the log holds the frame that ends at `head`, which `whose` names: else facts may be lost.
   */
  checkHead(whose = 'the checkpoint goes'): void {
    if (isPlaceOf(this.#log, this.head)) return;
    throw new DamagedDataError(
      `${whose} up to fact ${this.head.position}, but in the journal that fact is missing or different`,
    );
  }

  /** Throws unless all has been read, up to where the log ends. */
  expectEnd({ position, hash }: LogHead): void {
    if (this.head.hash.equals(hash)) return;
    throw new DamagedDataError(
      `the journal ends at fact ${position}, but can be read up to fact ${this.head.position} only: facts between them are missing`,
    );
  }

  async close(): Promise<void> {
    await this.#log.close();
  }
}

/** Whether a frame ends there, and has this hash. */
export function isPlaceOf(log: LogReader, { position, hash }: LogHead): boolean {
  if (position === 0) return hash.equals(GENESIS.hash);
  for (const frame of log.read(position - 1))
    return extentOf(frame).last === position && frameHash(frame).equals(hash);
  return false;
}

/** A copy of the first frame's bytes, if there is one. */
function firstOf(frames: IterableIterator<Buffer>): Buffer | undefined {
  for (const frame of frames) return Buffer.from(frame);
  return undefined;
}
