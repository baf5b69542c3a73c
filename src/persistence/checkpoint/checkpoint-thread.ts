/**
 * The thread that folds. A thread, because folding costs as much as deciding and must not delay purchases;
 * it reads the journal itself, so nothing but positions crosses between the threads.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { isWantOfRoom } from '../disk/disk-room.ts';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { openLogReader } from '../journal/open-log.ts';
import { giveWay } from '../lmdb/background-thread.ts';
import { isOutOfDescriptors } from '../lmdb/lmdb-environment.ts';
import { WriteGate } from '../lmdb/write-gate.ts';
import { CheckpointFold } from './checkpoint-fold.ts';
import { openCheckpoint } from './checkpoint-tables.ts';

export interface FoldThreadData {
  readonly folder: string;
  /** Of the `WriteGate`. */
  readonly gate: SharedArrayBuffer;
}

export interface FoldRequest {
  readonly through: number;
  /** The last one: nothing is written after its answer. */
  readonly isLast: boolean;
}

interface FoldFailure {
  readonly failed: string;
  /** There was no room on the disk, or no file descriptor. */
  readonly isTransient: boolean;
}

export type FoldAnswer = { readonly folded: number } | FoldFailure;

/** A failed fold may have wanted as much, with long keys. */
const ROOM_BYTES = 32 * 1024 * 1024;

const port = parentPort;
if (port === null) throw new Error('checkpoint-thread is a worker thread');
const { folder, gate } = workerData as FoldThreadData;
const tables = openCheckpoint(folder);
giveWay();
let fold: CheckpointFold | undefined;

port.on('message', (request: FoldRequest) => {
  port.postMessage(answerTo(request.through));
  if (request.isLast) return;
  // The facts are folded, so the node may forget them meanwhile.
  const failure = attempt(() => fold?.mergeKeys());
  // A merge has no request that could be told of its failure. Without room it is left to the one after the next fold.
  if (failure?.isTransient === false) throw new Error(`keys could not be merged: ${failure.failed}`);
});

function answerTo(through: number): FoldAnswer {
  let folded = 0;
  const failure = attempt(() => {
    fold ??= new CheckpointFold(tables, openLogReader(folder), new WriteGate(gate));
    if (fold.position < through) fold.foldThrough(through);
    folded = fold.position;
  });
  return failure ?? { folded };
}

function attempt(work: () => void): FoldFailure | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    // The fold's state may be ahead of the file now: the next request starts from the file again.
    void fold?.close();
    fold = undefined;
    return failureOf(error);
  }
}

/** Asked at once: later the disk may have room again. */
function failureOf(error: unknown): FoldFailure {
  const isTransient = isOutOfDescriptors(error) || isWantOfRoom(error, folder, ROOM_BYTES);
  return { failed: folderTrouble(error), isTransient };
}
