/**
 * Packs full segments of the journal, the oldest first, part by part, in the thread that folds: their facts are folded,
 * so hardly anybody reads them any more.
 *
 * Invariant: a packed segment has its name when it is whole and durable, and each frame's checksum was right as it was
 * read. Only then the file goes that it was made of. So whatever is interrupted, one of the two is whole; a reader that
 * opens the other one just then looks again (`open-segments.ts`).
 *
 * Rejected: to pack each group of facts as it is written. Packing would take time from the purchase that waits for the
 * group, and from each of the four readers right afterwards; and a quiet shop's groups, of a fact or two, don't get
 * smaller by it.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { withCauses } from '../../shared/error-code.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { isOutOfSpace, keepRoomForJournal } from '../disk/disk-room.ts';
import { DamagedFileError } from '../lmdb/damaged-file.ts';
import { isOutOfDescriptors } from '../lmdb/lmdb-environment.ts';
import { lockFileOf } from '../lmdb/lock-file.ts';
import type { StepDone } from '../runs/compaction.ts';
import { RunWriter } from '../runs/run-writer.ts';
import type { LogReader } from './frame-log.ts';
import { extentOf, readHead } from './journal-frame.ts';
import {
  isPackedSegment,
  listSegments,
  packedFile,
  type SegmentFile,
  segmentFile,
} from './journal-segments.ts';
import { checkPackedSegment } from './packed-segment.ts';
import { rowKey } from './segment-rows.ts';

/** Larger blocks pack faster and better; they are read one after the other. */
const BLOCK_BYTES = 64 * 1024;
const PACKED = { isPacked: true, blockBytes: BLOCK_BYTES, isUnlisted: true };
/** The room for a packed segment, as a share of the segment: more than the packed one takes. */
const ROOM_SHARE = 1 / 3;
/** Bytes of frames that are read between two pauses. */
const STEP_BYTES = 4 * 1024 * 1024;

/** A segment that is to be packed. */
interface Unpacked extends SegmentFile {
  readonly lastSequence: number;
}

export class JournalPacking {
  readonly #folder: string;
  readonly #openLog: () => LogReader;
  readonly #stepBytes: number;
  #work: Iterator<undefined, void> | undefined;
  /** Damaged segments, by their first facts: they stay as they are. */
  readonly #damaged = new Set<number>();

  constructor(folder: string, openLog: () => LogReader, stepBytes = STEP_BYTES) {
    this.#folder = folder;
    this.#openLog = openLog;
    this.#stepBytes = stepBytes;
  }

  /**
   * Does a part of what is due when facts are folded up to `folded`; false when nothing is, or when there is no room
   * for it, or no file descriptor. Throws what else the file system does, and `DamagedFileError` for a segment that
   * isn't sound, once. The segment that was begun is given up then, and nothing has changed.
   */
  step(folded: number): StepDone {
    this.#work ??= this.#begin(folded);
    if (this.#work === undefined) return false;
    // A generator that has thrown is done, too.
    const work = this.#work;
    this.#work = undefined;
    try {
      if (work.next().done !== true) this.#work = work;
    } catch (error) {
      if (wantsRoom(error)) return false;
      throw error;
    }
    return 'rest';
  }

  #begin(folded: number): Iterator<undefined, void> | undefined {
    const segments = listSegments(this.#folder);
    this.#tidy(segments);
    for (const [index, segment] of segments.entries()) {
      const next = segments[index + 1];
      if (next === undefined || next.firstSequence > folded + 1) return undefined;
      if (isPackedSegment(segment.file) || this.#damaged.has(segment.firstSequence)) continue;
      return this.#pack({ ...segment, lastSequence: next.firstSequence - 1 });
    }
    return undefined;
  }

  /**
   * Removes files that an interruption left, or somebody who opened a file that was just removed. The file beside a
   * packed one that is damaged stays: it may be the last that is whole.
   */
  #tidy(segments: readonly SegmentFile[]): void {
    const names = new Set(readdirSync(this.#folder));
    for (const { file, firstSequence } of segments) {
      if (!isPackedSegment(file) || this.#damaged.has(firstSequence)) continue;
      const left = this.#filesBefore(firstSequence).filter((each) => names.has(basename(each)));
      if (left.length > 0 && !isSound(file)) this.#damaged.add(firstSequence);
      else for (const each of left) rmSync(each);
    }
  }

  /** The segment's files of before it was packed. */
  #filesBefore(firstSequence: number): string[] {
    const file = segmentFile(this.#folder, firstSequence);
    return [file, lockFileOf(file)];
  }

  *#pack(segment: Unpacked): Generator<undefined, void> {
    const { file, firstSequence, lastSequence } = segment;
    let log: LogReader | undefined;
    let writer: RunWriter | undefined;
    let isWhole = false;
    try {
      keepRoomForJournal(this.#folder, statSync(file).size * ROOM_SHARE);
      writer = new RunWriter(packedFile(this.#folder, firstSequence), PACKED);
      log = this.#openLog();
      for (let next = firstSequence; next <= lastSequence; ) {
        next = this.#copyPart(segment, next, log, writer);
        yield;
      }
      writer.finish();
      isWhole = true;
    } finally {
      if (!isWhole) writer?.abandon();
      void log?.close();
    }
    if (isWhole) for (const each of this.#filesBefore(firstSequence)) rmSync(each, { force: true });
  }

  /**
   * Copies frames from fact `from` on; gives the fact behind. A reading of its own: frames of the database aren't valid
   * beyond a pause.
   */
  #copyPart(segment: Unpacked, from: number, log: LogReader, writer: RunWriter): number {
    let next = from;
    let bytes = 0;
    for (const frame of this.#soundFrames(segment, from, log)) {
      writer.add(rowKey(frame), frame);
      next = extentOf(frame).last + 1;
      bytes += frame.length;
      if (next > segment.lastSequence || bytes >= this.#stepBytes) break;
    }
    return next;
  }

  /** Frames from fact `from` on, one behind the other, for a caller that takes no more than there must be. */
  *#soundFrames({ file, firstSequence: segment }: Unpacked, from: number, log: LogReader) {
    try {
      let next = from;
      for (const frame of log.read(from - 1)) {
        const { firstSequence, count } = readHead(frame);
        if (firstSequence !== next) break;
        next += count;
        yield frame;
      }
      throw new DamagedDataError(`fact ${next} is missing`);
    } catch (error) {
      if (wantsRoom(error)) throw error;
      this.#damaged.add(segment);
      const { message } = [...withCauses(error)].at(-1) as Error;
      throw new DamagedFileError(file, `cannot be packed: ${message}`, { cause: error });
    }
  }
}

function isSound(file: string): boolean {
  try {
    checkPackedSegment(file);
    return true;
  } catch {
    return false;
  }
}

/** Whether room was wanting, or file descriptors: both come again. */
function wantsRoom(error: unknown): boolean {
  return isOutOfSpace(error) || isOutOfDescriptors(error);
}
