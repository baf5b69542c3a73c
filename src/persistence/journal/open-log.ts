/** The kind of log that a data folder has: the one place that knows. Everybody else has the port (`frame-log.ts`). */
import type { WriteGate } from '../../threads/write-gate.ts';
import { FolderLogReader } from './folder-log-reader.ts';
import type { FolderLog, LogReader } from './frame-log.ts';
import { isPackedSegment, listSegments, packedFile, type SegmentFile } from './journal-segments.ts';
import { LmdbLog, type LmdbLogOptions } from './lmdb-log.ts';
import { createSegment, FRAMES } from './lmdb-segment.ts';
import { LogBuilder } from './log-builder.ts';
import { OpenSegments, type ProveSegment } from './open-segments.ts';
import { checkPackedSegment, PackedSegment } from './packed-segment.ts';

export {
  checkPackedSegment,
  isPackedSegment,
  PackedSegment,
  type ProveSegment,
  packedFile,
  type SegmentFile,
};

const FIRST_SEQUENCE = 1;

/** Gives a new folder an empty log, unless it has one. */
export async function createLog(folder: string): Promise<void> {
  if (logFiles(folder).length === 0) await createSegment(folder, FIRST_SEQUENCE);
}

/** Gives a folder that nobody uses a log, to be written from its first frame. */
export function buildLog(folder: string, options?: { readonly segmentBytes?: number }): Promise<LogBuilder> {
  return LogBuilder.create(folder, FIRST_SEQUENCE, options);
}

/** The log for its one writer. All files that a start proves must have been proved. */
export function openLog(folder: string, options?: LmdbLogOptions): FolderLog {
  return LmdbLog.open(folder, options);
}

/** For a thread with one reader. All files must have been proved. `gate`: the thread's, unless it holds that already. */
export function openLogReader(folder: string, gate?: Pick<WriteGate, 'pass'>): LogReader {
  return openLogReaders(folder, () => {}, gate)();
}

/** For a thread with several: each call gives another one. `prove` looks at a file of the log before it is opened. */
export function openLogReaders(
  folder: string,
  prove: ProveSegment,
  gate?: Pick<WriteGate, 'pass'>,
): () => LogReader {
  const segments = new OpenSegments(folder, prove, gate);
  return () => new FolderLogReader(segments);
}

/** The tables that each of the log's files has that isn't packed. */
export const LOG_TABLES: readonly string[] = [FRAMES];

/** The log's files, each with its first fact, oldest first. The newest may have none yet. */
export function logExtents(folder: string): readonly SegmentFile[] {
  return listSegments(folder);
}

/** The log's files, oldest first. */
export function logFiles(folder: string): string[] {
  return listSegments(folder).map(({ file }) => file);
}

/** Where each of them is, or will be, when it is packed. */
export function packedLogFiles(folder: string): string[] {
  return listSegments(folder).map(({ firstSequence }) => packedFile(folder, firstSequence));
}
