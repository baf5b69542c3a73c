/**
 * The embedded journal: a group of facts is one frame, a frame is one LMDB commit, flushed before it is seen.
 *
 * It follows the contract of `engine/journal.ts`. After a commit that failed for want of room, the segment is opened
 * anew if need be, before anybody reads it or writes to it. Any other failure is fatal, for nobody knows what was
 * written; and so is a commit that never settles.
 */
import { statSync } from 'node:fs';
import type { Fact } from '../../engine/fact.ts';
import { type Journal, JournalFullError } from '../../engine/journal.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { isWantOfRoom } from '../folder/disk-room.ts';
import { numberKey } from '../lmdb/lmdb-environment.ts';
import { hasSpareDescriptors } from '../lmdb/spare-descriptors.ts';
import { encodeFrame, frameHash } from './journal-frame.ts';
import { createSegment, openSegment, type Segment } from './journal-segments.ts';

/** A new segment starts after this many bytes of frames. */
const SEGMENT_BYTES = 512 * 1024 * 1024;
/** A commit that takes longer will never settle. */
const COMMIT_TIMEOUT_MS = 60_000;

/** More than an empty segment takes. */
const NEW_SEGMENT_BYTES = 64 * 1024;

const WRITTEN = { leavesWrites: true };

/** Sorts before every frame's key, which has eight bytes. */
const NO_ROW = Buffer.of(0);

/** Nobody knows whether the commit will still land: fatal, whatever the disk says. */
class CommitTimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`a journal commit did not settle within ${timeoutMs} ms`);
    this.name = 'CommitTimeoutError';
  }
}

/** Where the chain ends: the last sequence, and the hash of the last frame. */
export interface JournalHead {
  readonly position: number;
  readonly hash: Buffer;
}

export interface LmdbJournalOptions {
  readonly folder: string;
  readonly head: JournalHead;
  /** The first sequence of the segment that is written to. */
  readonly segmentFirstSequence: number;
  readonly segmentBytes?: number;
  readonly commitTimeoutMs?: number;
}

export class LmdbJournal implements Journal {
  readonly #folder: string;
  readonly #segmentBytes: number;
  readonly #commitTimeoutMs: number;
  readonly #scratch = new ByteWriter();
  #head: JournalHead;
  #segment: Segment;
  #bytesInSegment = 0;

  private constructor(options: LmdbJournalOptions) {
    this.#folder = options.folder;
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.#commitTimeoutMs = options.commitTimeoutMs ?? COMMIT_TIMEOUT_MS;
    this.#head = options.head;
    this.#segment = openSegment(options.folder, options.segmentFirstSequence, WRITTEN);
    this.#bytesInSegment = statSync(this.#segment.file).size;
  }

  static open(options: LmdbJournalOptions): LmdbJournal {
    return new LmdbJournal(options);
  }

  get head(): JournalHead {
    return this.#head;
  }

  /** Takes the head that recovery found on disk, after a group was refused for want of room. */
  rewind(head: JournalHead): void {
    this.#head = head;
  }

  async append(firstSequence: number, facts: readonly Fact[]): Promise<void> {
    if (firstSequence !== this.#head.position + 1) {
      throw new Error(`facts from ${firstSequence} don't follow the journal's last, ${this.#head.position}`);
    }
    // Without file descriptors for another one, the segment just gets longer.
    const isFull = this.#bytesInSegment >= this.#segmentBytes;
    if (isFull && hasSpareDescriptors()) await this.#startSegment(firstSequence);
    const frame = encodeFrame(this.#scratch, firstSequence, facts, this.#head.hash);
    await this.#commit(firstSequence, frame);
    this.#bytesInSegment += frame.length;
    this.#head = { position: firstSequence + facts.length - 1, hash: frameHash(frame) };
  }

  async close(): Promise<void> {
    await this.#segment.environment.close();
  }

  async #startSegment(firstSequence: number): Promise<void> {
    try {
      await createSegment(this.#folder, firstSequence);
    } catch (error) {
      throw await this.#explain(error, NEW_SEGMENT_BYTES);
    }
    await this.#segment.environment.close();
    this.#segment = openSegment(this.#folder, firstSequence, WRITTEN);
    this.#bytesInSegment = 0;
  }

  async #commit(firstSequence: number, frame: Buffer): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new CommitTimeoutError(this.#commitTimeoutMs)), this.#commitTimeoutMs);
    });
    try {
      const isAppended = await Promise.race([append(this.#segment, firstSequence, frame), tooLate]);
      if (!isAppended) throw new Error(`the journal already holds facts after ${firstSequence - 1}`);
    } catch (error) {
      throw error instanceof CommitTimeoutError ? error : await this.#explain(error, frame.length);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Why a commit failed: `JournalFullError` when the folder had no room for the frame; the journal can then be used. */
  async #explain(error: unknown, frameBytes: number): Promise<unknown> {
    const cause: unknown = await commitErrorOf(error);
    if (!isWantOfRoom(cause, this.#folder, frameBytes)) return new Error('the journal failed', { cause });
    await this.#segment.environment.renew();
    return new JournalFullError({ cause });
  }
}

/**
 * lmdb-js begins to write when this turn of the event loop is over, and by then a group's replies and the next
 * requests have had theirs: a millisecond in which the disk rests. It begins at once with a second operation
 * (`txnStartThreshold`), so there is one that does nothing: no row has the empty key's successor.
 */
function append(segment: Segment, firstSequence: number, frame: Buffer): Promise<boolean> {
  const appended = segment.frames.put(numberKey(firstSequence), frame, { append: true });
  segment.frames.remove(NO_ROW).catch(() => undefined);
  return appended;
}

/** What lmdb-js hides behind `commitError`, itself a promise that rejects. */
async function commitErrorOf(error: unknown): Promise<unknown> {
  const hidden = (error as { commitError?: unknown } | null)?.commitError;
  if (!(hidden instanceof Promise)) return error;
  return hidden.then(
    () => error,
    (reason: unknown) => reason,
  );
}
