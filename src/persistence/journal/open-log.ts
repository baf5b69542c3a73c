/**
 * Which log a data folder has: the one place that knows. Everybody else has the port (`frame-log.ts`).
 */
import type { FrameLog, LogReader } from './frame-log.ts';
import { createSegment, FRAMES, listSegments } from './journal-segments.ts';
import { LmdbLog, type LmdbLogOptions } from './lmdb-log.ts';
import { LmdbLogReader, type ProveSegment } from './lmdb-log-reader.ts';

const FIRST_SEQUENCE = 1;

/** Gives a new folder an empty log, unless it has one. */
export async function createLog(folder: string): Promise<void> {
  if (logFiles(folder).length === 0) await createSegment(folder, FIRST_SEQUENCE);
}

/** For its one writer. The files that a start proves must have been proved. */
export function openLog(folder: string, options?: LmdbLogOptions): FrameLog {
  return LmdbLog.open(folder, options);
}

/** For one who reads. `prove` looks at a file of the log before it is opened; by default all are proved already. */
export function openLogReader(folder: string, prove: ProveSegment = () => {}): LogReader {
  return new LmdbLogReader(folder, prove);
}

/** The tables that each of the log's files has. */
export const LOG_TABLES: readonly string[] = [FRAMES];

/** The log's files, oldest first. */
export function logFiles(folder: string): string[] {
  return listSegments(folder).map(({ file }) => file);
}
