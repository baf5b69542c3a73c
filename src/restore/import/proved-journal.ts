/** The journal of a folder that no start has proved: each of its files is looked at as bytes before the database opens it. */
import { checkSegment } from '../../persistence/folder/folder-check.ts';
import type { LogReader } from '../../persistence/journal/frame-log.ts';
import { openLogReaders } from '../../persistence/journal/open-log.ts';

/** `work` with it. Rejects with `DataFolderError`, one line, when a file is damaged or can't be opened. */
export async function withJournal<Result>(
  folder: string,
  work: (log: LogReader) => Promise<Result> | Result,
): Promise<Result> {
  const log = openLogReaders(folder, checkSegment)();
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}
