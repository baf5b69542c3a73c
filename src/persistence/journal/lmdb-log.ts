/**
 * The embedded log: what is appended at a time is one LMDB commit, flushed before it is seen.
 *
 * After a commit that failed for want of room, the segment is opened anew if need be, before anybody reads it or writes
 * to it. Any other failure is fatal, for nobody knows what was written; and so is a commit that never ends.
 */
import { statSync } from 'node:fs';
import { JournalFullError } from '../../engine/loop/journal.ts';
import { RoomForWrite } from '../disk/disk-room.ts';
import { NO_KEY } from '../lmdb/lmdb-table.ts';
import { hasSpareDescriptors } from '../lmdb/spare-descriptors.ts';
import { FolderLogReader } from './folder-log-reader.ts';
import { type FolderLog, GENESIS, type LogHead } from './frame-log.ts';
import { frameHash, lastBehind } from './journal-frame.ts';
import { listSegments } from './journal-segments.ts';
import { createSegment, LmdbSegment } from './lmdb-segment.ts';
import { OpenSegments, type ProveSegment } from './open-segments.ts';
import { rowKey } from './segment-rows.ts';

/** A new segment starts after this many bytes of frames: a start proves the newest one. */
export const SEGMENT_BYTES = 32 * 1024 * 1024;
/** A commit that takes longer will never end. */
const COMMIT_TIMEOUT_MS = 60_000;

/** More than an empty segment takes. */
const NEW_SEGMENT_BYTES = 64 * 1024;

const WRITTEN = { leavesWrites: true };
const ALL_PROVED: ProveSegment = () => {};

/** Nobody knows whether the commit will still land: fatal, whatever the disk says. */
class CommitTimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`a journal commit did not end within ${timeoutMs} ms`);
    this.name = 'CommitTimeoutError';
  }
}

export interface LmdbLogOptions {
  /** Default: `SEGMENT_BYTES`. */
  readonly segmentBytes?: number | undefined;
  /** Default: `COMMIT_TIMEOUT_MS`. */
  readonly commitTimeoutMs?: number | undefined;
  /** Looks at each segment but the newest before it is read; default: all have been proved. */
  readonly prove?: ProveSegment;
}

export class LmdbLog implements FolderLog {
  readonly #folder: string;
  readonly #segmentBytes: number;
  readonly #commitTimeoutMs: number;
  readonly #prove: ProveSegment;
  #segment: LmdbSegment;
  #bytesInSegment: number;
  #head: LogHead;

  private constructor(folder: string, segment: LmdbSegment, head: LogHead, options: LmdbLogOptions) {
    this.#folder = folder;
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.#commitTimeoutMs = options.commitTimeoutMs ?? COMMIT_TIMEOUT_MS;
    this.#prove = options.prove ?? ALL_PROVED;
    this.#segment = segment;
    this.#bytesInSegment = statSync(segment.file).size;
    this.#head = head;
  }

  /** Opens the log of a folder that has one; its newest file must have been proved. */
  static open(folder: string, options: LmdbLogOptions = {}): LmdbLog {
    const newest = listSegments(folder).at(-1);
    if (newest === undefined) throw new Error(`the journal of ${folder} is missing`);
    const segment = new LmdbSegment(folder, newest.firstSequence, WRITTEN);
    return new LmdbLog(folder, segment, headOf(folder, segment, options.prove), options);
  }

  get head(): LogHead {
    return this.#head;
  }

  async append(...frames: readonly Buffer[]): Promise<void> {
    const { position } = this.#head;
    const last = lastBehind(position, frames);
    const newest = frames.at(-1);
    if (newest === undefined) return;
    // Without file descriptors for another one, the segment just gets longer.
    const isFull = this.#bytesInSegment >= this.#segmentBytes;
    if (isFull && hasSpareDescriptors()) await this.#startSegment(position + 1);
    const bytes = frames.reduce((sum, { length }) => sum + length, 0);
    const committed = this.#commit(position, frames, bytes);
    // While the disk works.
    const hash = frameHash(newest);
    try {
      await committed;
    } catch (error) {
      if (error instanceof JournalFullError) this.#head = headOf(this.#folder, this.#segment, this.#prove);
      throw error;
    }
    this.#bytesInSegment += bytes;
    this.#head = { position: last, hash };
  }

  *read(position: number): IterableIterator<Buffer> {
    const reader = new FolderLogReader(new OpenSegments(this.#folder, this.#prove));
    try {
      yield* reader.read(position);
    } finally {
      void reader.close();
    }
  }

  async close(): Promise<void> {
    await this.#segment.close();
  }

  async #startSegment(firstSequence: number): Promise<void> {
    const room = new RoomForWrite(this.#folder, NEW_SEGMENT_BYTES);
    try {
      await createSegment(this.#folder, firstSequence);
      const full = this.#segment;
      this.#segment = new LmdbSegment(this.#folder, firstSequence, WRITTEN);
      this.#bytesInSegment = 0;
      await full.close();
    } catch (error) {
      throw await this.#explain(error, room);
    }
  }

  async #commit(position: number, frames: readonly Buffer[], bytes: number): Promise<void> {
    const room = new RoomForWrite(this.#folder, bytes);
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new CommitTimeoutError(this.#commitTimeoutMs)), this.#commitTimeoutMs);
    });
    try {
      const isAppended = await Promise.race([append(this.#segment, frames), tooLate]);
      if (!isAppended) throw new Error(`the journal already holds facts after ${position}`);
    } catch (error) {
      throw error instanceof CommitTimeoutError ? error : await this.#explain(error, room);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Why a commit failed: `JournalFullError` when the folder had no room for the frames; the journal can then be used. */
  async #explain(error: unknown, room: RoomForWrite): Promise<unknown> {
    const cause: unknown = await commitErrorOf(error);
    if (!room.isWantedBy(cause)) return new Error('the journal failed', { cause });
    await this.#segment.environment.renew();
    return new JournalFullError({ cause });
  }
}

/** The newest segment may have no frame yet: it is made before its first one is written. */
function headOf(folder: string, newest: LmdbSegment, prove = ALL_PROVED): LogHead {
  const head = newest.head();
  if (head !== undefined) return head;
  const before = listSegments(folder).at(-2);
  if (before === undefined) return GENESIS;
  const segments = new OpenSegments(folder, prove);
  const segment = segments.take(before);
  try {
    return segment.head() ?? GENESIS;
  } finally {
    void segments.giveBack(segment);
  }
}

/**
 * lmdb-js begins to write when this tick of the event loop is over, and by then a group's replies and the next requests
 * have had theirs: a millisecond in which the disk rests. Writing begins at once with a second operation
 * (`txnStartThreshold`), so there is one that does nothing. Operations outside a batch may be committed in several
 * pieces.
 *
 * False when the segment has a frame at or behind one of these.
 */
async function append({ frames: table }: LmdbSegment, frames: readonly Buffer[]): Promise<boolean> {
  const added: Promise<boolean>[] = [];
  const batch = table.batch(() => {
    for (const frame of frames) {
      added.push(table.put(rowKey(frame), frame, { append: true }));
    }
  });
  table.remove(NO_KEY).catch(() => undefined);
  const outcomes = await Promise.all([batch, ...added]);
  return outcomes.every((isAdded) => isAdded);
}

/** The error that lmdb-js hides behind `commitError`, itself a promise that rejects. */
async function commitErrorOf(error: unknown): Promise<unknown> {
  const hidden = (error as { commitError?: unknown } | null)?.commitError;
  if (!(hidden instanceof Promise)) return error;
  return hidden.then(
    () => error,
    (reason: unknown) => reason,
  );
}
