/**
 * What a failed write is to the one who asked for it: a full disk, a disk that failed, or his own mistake.
 * Anything else is a fault of the program or leaves unknown what the file is like, and must end the thread.
 */
import { dirname } from 'node:path';
import { hasRoom } from '../folder/disk-room.ts';
import { isOutOfSpace } from '../lmdb/lmdb-environment.ts';
import { packError, type SentError, StockFullError, StockWriteError } from './stock-errors.ts';
import type { StockFile } from './stock-file.ts';

/** About what one batch writes. */
const BATCH_ROOM_BYTES = 64 * 1024 * 1024;
const EIO = 5;
const EFBIG = 27;

/** Throws the error itself when it is none of these. */
export function sentFailure(file: StockFile, error: unknown): SentError {
  const sent = packError(withReason(file, error));
  if (sent === undefined) throw error;
  return sent;
}

function withReason(file: StockFile, error: unknown): unknown {
  if (isOutOfSpace(error)) return new StockFullError();
  const { code } = error as { code?: unknown };
  if (code !== EIO && code !== EFBIG) return error;
  // LMDB takes a short write, which is how a disk fills up, for an I/O error.
  if (!hasRoom(dirname(file.environment.file), BATCH_ROOM_BYTES)) return new StockFullError();
  return new StockWriteError((error as Error).message);
}
