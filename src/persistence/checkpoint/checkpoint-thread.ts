/**
 * The thread that folds. A thread, because folding costs as much as deciding and must not delay purchases;
 * it reads the journal itself, so nothing but positions crosses between the threads.
 */
import { serve, threadStart } from '../../threads/thread-server.ts';
import { RoomForWrite } from '../disk/disk-room.ts';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { segmentProof } from '../folder/folder-check.ts';
import { JournalPacking } from '../journal/journal-packing.ts';
import { openLogReaders } from '../journal/open-log.ts';
import { DamagedFileError, RefusedFileError } from '../lmdb/damaged-file.ts';
import { isOutOfDescriptors } from '../lmdb/lmdb-environment.ts';
import { type CompactionPart, compactionPart } from '../runs/compacting.ts';
import type { CompactionLimits, StepDone } from '../runs/compaction.ts';
import { checkpointIn } from './checkpoint.ts';
import { CheckpointFold } from './checkpoint-fold.ts';

/** Why a fold failed; nothing of it counts. */
export interface FoldTrouble {
  readonly reason: string;
  /** `no-room`: there was none on the disk, or no file descriptor. `damage`, `refusal`: of a file that it needs. */
  readonly kind: 'no-room' | 'damage' | 'refusal' | 'other';
}

/** A failed fold may have wanted as much, with long keys. */
const ROOM_BYTES = 32 * 1024 * 1024;

export interface CheckpointThreadData {
  readonly folder: string;
  readonly compaction: Partial<CompactionLimits>;
}

const {
  data: { folder, compaction },
  gate,
} = threadStart<CheckpointThreadData>();
const openLog = openLogReaders(folder, segmentProof(folder), gate);
const packing = new JournalPacking(folder, openLog, compaction.stepBytes);
const { stepBytes } = compaction;
const limits = stepBytes === undefined ? {} : { stepBytes };
let fold: CheckpointFold | undefined;

const calls = {
  /** Returns the position that the checkpoint reflects. */
  fold: (through: number): number | FoldTrouble =>
    attempt(
      () => {
        fold ??= new CheckpointFold(checkpointIn(folder), openLog(), limits);
        if (fold.position < through) fold.foldThrough(through);
        return fold.position;
      },
      () => {
        // Its state may be ahead of the files now: the next call starts from them again.
        void fold?.close();
        fold = undefined;
      },
    ),
  /**
   * A part of the work that keeps files few and small; whether there is more to do. Without room it is left to the one
   * after the next fold.
   */
  compact: (): CompactionPart => {
    const done = attempt(() => compactionPart(() => (fold === undefined ? false : compact(fold))));
    if (typeof done !== 'object' || 'damage' in done) return done;
    if (done.kind !== 'no-room') throw new Error(`files could not be compacted: ${done.reason}`);
    return false;
  },
};
export type CheckpointCalls = typeof calls;

/** Merges files, and packs the journal: neither waits until all of the other is done. */
function compact(fold: CheckpointFold): StepDone {
  const isMerging = fold.mergePart();
  if (isMerging && fold.hasManyFiles) return 'hurry';
  return packing.step(fold.position) || (isMerging && 'rest');
}

const NO_ROOM = Object.assign(new Error('no room'), { code: 'ENOSPC' });

function attempt<Result>(work: () => Result, onFailure = () => {}): Result | FoldTrouble {
  const room = new RoomForWrite(folder, ROOM_BYTES);
  try {
    return work();
  } catch (error) {
    const isFull = room.isWantedBy(error);
    const isShort = isFull || isOutOfDescriptors(error);
    const isRefusal = error instanceof RefusedFileError;
    const isDamage = error instanceof DamagedFileError;
    onFailure();
    // LMDB calls a write that a full disk has cut short an I/O error.
    const reason = folderTrouble(isFull ? NO_ROOM : error);
    return { reason, kind: isShort ? 'no-room' : isRefusal ? 'refusal' : isDamage ? 'damage' : 'other' };
  }
}

serve(calls);
