/**
 * Packs full segments of the journal, the oldest first, part by part, in the thread that folds: their facts are folded, so
 * hardly anybody reads them any more.
 *
 * What always holds: a packed segment has its name when it is whole and durable, and each frame's checksum was right as it
 * was read. The file that it was made of goes later, when some more facts are folded: who was about to open it has done
 * so, and the database would make a new file of that name. So whatever is interrupted, one of the two is whole. A segment
 * that was moved to an archive meanwhile doesn't come back: what is packed of it is begun before the segment is opened,
 * and has lost its passing name (`removeOldestSegment`).
 *
 * Rejected: to pack each group of facts as it is written. It would take time from the purchase that waits for it, and from
 * each of the four who read it right afterwards; and a quiet shop's groups, of a fact or two, don't get smaller by it.
 */
import { existsSync, rmSync, statSync } from 'node:fs';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { keepRoomForJournal } from '../disk/disk-room.ts';
import { DamagedFileError } from '../lmdb/damaged-file.ts';
import { lockFileOf } from '../lmdb/lock-file.ts';
import type { StepDone } from '../runs/compaction.ts';
import { RunWriter } from '../runs/run-writer.ts';
import type { LogReader } from './frame-log.ts';
import { readHead } from './journal-frame.ts';
import {
  isPackedSegment,
  listSegments,
  packedFile,
  type SegmentFile,
  segmentFile,
} from './journal-segments.ts';
import { rowKey } from './segment-rows.ts';

/** Larger blocks pack faster and better; they are read one after the other. */
const BLOCK_BYTES = 64 * 1024;
/** Of frames that are read between two pauses. */
const STEP_BYTES = 4 * 1024 * 1024;

const PACKED = { isPacked: true, blockBytes: BLOCK_BYTES, isUnlisted: true };

/** A segment that is to be packed. */
interface Unpacked extends SegmentFile {
  readonly lastSequence: number;
}

interface Copy {
  readonly log: LogReader;
  readonly writer: RunWriter;
}

export class JournalPacking {
  readonly #folder: string;
  readonly #openLog: () => LogReader;
  readonly #stepBytes: number;
  #work: Iterator<undefined, void> | undefined;
  /** The one that was packed last, and up to where facts were folded then. */
  #latest: { readonly firstSequence: number; readonly folded: number } | undefined;
  /** They stay as they are. */
  readonly #damaged = new Set<number>();

  constructor(folder: string, openLog: () => LogReader, stepBytes = STEP_BYTES) {
    this.#folder = folder;
    this.#openLog = openLog;
    this.#stepBytes = stepBytes;
  }

  /**
   * Does a part of what is due when facts are folded up to `folded`; false when nothing is. Throws what the file system
   * does, and `DamagedFileError` for a segment that isn't sound, once: what was begun is given up then, and nothing has
   * changed.
   */
  step(folded: number): StepDone {
    this.#work ??= this.#begin(folded);
    if (this.#work === undefined) return false;
    // A generator that has thrown is done, too.
    const work = this.#work;
    this.#work = undefined;
    if (work.next().done !== true) this.#work = work;
    return 'rest';
  }

  #begin(folded: number): Iterator<undefined, void> | undefined {
    const segments = listSegments(this.#folder);
    for (const segment of segments) this.#removeUnpacked(segment, folded);
    for (const [index, segment] of segments.entries()) {
      const next = segments[index + 1];
      if (next === undefined || next.firstSequence > folded + 1) return undefined;
      if (isPackedSegment(segment.file) || this.#damaged.has(segment.firstSequence)) continue;
      return this.#pack({ ...segment, lastSequence: next.firstSequence - 1 }, folded);
    }
    return undefined;
  }

  #removeUnpacked({ file, firstSequence }: SegmentFile, folded: number): void {
    if (!isPackedSegment(file)) return;
    const latest = this.#latest;
    if (latest?.firstSequence === firstSequence && latest.folded === folded) return;
    const unpacked = segmentFile(this.#folder, firstSequence);
    for (const each of [unpacked, lockFileOf(unpacked)]) rmSync(each, { force: true });
  }

  *#pack(segment: Unpacked, folded: number): Generator<undefined, void> {
    const { file, firstSequence, lastSequence } = segment;
    let log: LogReader | undefined;
    let writer: RunWriter | undefined;
    let isWhole = false;
    try {
      keepRoomForJournal(this.#folder, statSync(file).size);
      writer = new RunWriter(packedFile(this.#folder, firstSequence), PACKED);
      log = this.#openLog();
      for (let next = firstSequence; next <= lastSequence; ) {
        next = this.#copyPart(segment, next, { log, writer });
        yield;
      }
      writer.finish();
      isWhole = true;
      this.#latest = { firstSequence, folded };
    } catch (error) {
      // Otherwise it was moved to an archive meanwhile.
      if (existsSync(file)) throw this.#explain(error, segment);
    } finally {
      if (!isWhole) writer?.abandon();
      void log?.close();
    }
  }

  /** From fact `from` on; gives the one behind. A reading of its own: what the database gives isn't valid beyond a pause. */
  #copyPart({ lastSequence }: Unpacked, from: number, { log, writer }: Copy): number {
    let next = from;
    let bytes = 0;
    for (const frame of log.read(from - 1)) {
      const { firstSequence, count } = readHead(frame);
      if (firstSequence !== next) break;
      writer.add(rowKey(frame), frame);
      next += count;
      bytes += frame.length;
      if (next > lastSequence || bytes >= this.#stepBytes) return next;
    }
    throw new DamagedDataError(`fact ${next} is missing`);
  }

  /** What the system says passes through; else the segment isn't what was written. */
  #explain(error: unknown, { file, firstSequence }: SegmentFile): unknown {
    if (!(error instanceof Error) || 'code' in error) return error;
    this.#damaged.add(firstSequence);
    const { message } = error.cause instanceof Error ? error.cause : error;
    return new DamagedFileError(file, `cannot be packed, since it is damaged: ${message}`, { cause: error });
  }
}
