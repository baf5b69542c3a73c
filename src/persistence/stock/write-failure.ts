/**
 * The failure of a write, as its caller sees it: a full disk, a file that may not grow, or his own mistake. Anything
 * else, a disk that failed among it, leaves unknown what the file is like, and must end the thread.
 */
import { dirname } from 'node:path';
import { RoomForWrite } from '../disk/disk-room.ts';
import type { StockFile } from './file/stock-file.ts';
import { StockError } from './stock-errors.ts';

/** About what one batch writes. */
const BATCH_ROOM_BYTES = 64 * 1024 * 1024;
const EFBIG = 27;

function writeFailure(room: RoomForWrite, error: unknown): unknown {
  if (room.isWantedBy(error)) return new StockError('full');
  const { code } = error as { code?: unknown };
  return code === EFBIG
    ? new StockError('limited', `stock.mdb may not grow: ${(error as Error).message}`)
    : error;
}

/** Throws the `writeFailure` of what `work` throws. */
export function tryToWrite<Result>(file: StockFile, work: () => Result): Result {
  const room = new RoomForWrite(dirname(file.environment.file), BATCH_ROOM_BYTES);
  try {
    return work();
  } catch (error) {
    throw writeFailure(room, error);
  }
}
