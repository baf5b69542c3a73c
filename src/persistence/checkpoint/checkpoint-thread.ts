/**
 * The thread that folds. A thread, because folding costs as much as deciding and must not delay purchases;
 * it reads the journal itself, so nothing but positions crosses between the threads.
 */
import { serve, threadStart } from '../../threads/thread-server.ts';
import { isWantOfRoom } from '../disk/disk-room.ts';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { openLogReader } from '../journal/open-log.ts';
import { isOutOfDescriptors } from '../lmdb/lmdb-environment.ts';
import { CheckpointFold } from './checkpoint-fold.ts';
import { openCheckpoint } from './checkpoint-tables.ts';
import { FoldError } from './fold-error.ts';

/** A failed fold may have wanted as much, with long keys. */
const ROOM_BYTES = 32 * 1024 * 1024;

const { data: folder, gate } = threadStart<string>();
// To open a table is a transaction.
const tables = gate.pass(() => openCheckpoint(folder));
let fold: CheckpointFold | undefined;

const calls = {
  /** Returns the position that the checkpoint reflects. Throws `FoldError`. */
  fold: (through: number): number =>
    attempt(() => {
      fold ??= new CheckpointFold(tables, openLogReader(folder), gate);
      if (fold.position < through) fold.foldThrough(through);
      return fold.position;
    }),
  /** Without room it is left to the merge after the next fold. */
  mergeKeys: (): void => {
    try {
      attempt(() => fold?.mergeKeys());
    } catch (error) {
      if (error instanceof FoldError && error.isTransient) return;
      throw new Error(`keys could not be merged: ${(error as Error).message}`);
    }
  },
};
export type CheckpointCalls = typeof calls;

function attempt<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    // Asked at once: later the disk may have room again.
    const isTransient = isOutOfDescriptors(error) || isWantOfRoom(error, folder, ROOM_BYTES);
    // The fold's state may be ahead of the file now: the next call starts from the file again.
    void fold?.close();
    fold = undefined;
    throw new FoldError(folderTrouble(error), isTransient);
  }
}

serve(calls, [FoldError]);
