/**
 * A folder of links to the database files of a data folder, for a caller that only reads them.
 *
 * LMDB writes to a lock file beside each file that it opens, also when it only reads. Here these lie beside the links,
 * so that in the data folder no file is made, written or touched. LMDB can do without lock files, but the library
 * prints a warning then.
 *
 * Rejected: to put lock files back as they were, which a killed process doesn't.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { checkpointIn } from '../checkpoint/checkpoint.ts';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { isPackedSegment, packedLogFiles } from '../journal/open-log.ts';
import { makeLockFile } from '../lmdb/lock-file.ts';
import { runFilesIn } from '../runs/run-list.ts';
import { dataFiles } from './data-folder.ts';
import { DataFolderError } from './data-folder-error.ts';

/**
 * Runs `read` with a view of `folder`, which is gone afterwards. The view lies in the system's folder for temporary
 * files. Rejects with `DataFolderError` when it can't be made there; messages of `read` name the folder, not the view.
 */
export async function inView<Result>(
  folder: string,
  read: (view: string) => Promise<Result>,
): Promise<Result> {
  const view = makeView(folder);
  try {
    return await read(view);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes(view)) throw error;
    throw new DataFolderError(error.message.replaceAll(view, folder), { cause: error });
  } finally {
    remove(view);
  }
}

function makeView(folder: string): string {
  let view: string | undefined;
  try {
    view = mkdtempSync(join(tmpdir(), 'purser-view-'));
    for (const file of dataFiles(folder).filter((each) => !isPackedSegment(each))) {
      const link = join(view, basename(file));
      symlinkSync(resolve(file), link);
      makeLockFile(link);
    }
    symlinkSync(resolve(checkpointIn(folder)), checkpointIn(view));
    // A segment may be packed while the view is read: then the link leads somewhere, and the other one doesn't.
    for (const file of [...runFilesIn(folder), ...packedLogFiles(folder)])
      symlinkSync(resolve(file), join(view, basename(file)));
    return view;
  } catch (error) {
    if (view !== undefined) remove(view);
    const reason = folderTrouble(error);
    const message = `cannot make lock files in ${tmpdir()}: ${reason}; TMPDIR may name another place`;
    throw new DataFolderError(message, { reason: 'view', cause: error });
  }
}

function remove(view: string): void {
  rmSync(view, { recursive: true, force: true });
}
