/**
 * The process of an archive, beside the node: it reads old segments, puts them at the target, and replays their facts, which
 * takes a processor and memory for as long as `purser verify` would. It removes nothing.
 *
 * Old segments are written to by nobody. It opens links to them, with lock files of their own, so nothing of the database is
 * shared with the node's threads.
 */
import { inView } from '../persistence/folder/folder-view.ts';
import { giveWayWhole } from '../threads/give-way.ts';
import { type Archived, makeArchive } from './archive-making.ts';
import type { ArchiveReport, ArchiveRequest } from './archive-messages.ts';
import { openArchive } from './open-archive.ts';

/** Throws an error of one line. */
async function archive({ target, masterKey, folder, ...request }: ArchiveRequest): Promise<Archived> {
  const opened = openArchive({
    folder,
    target,
    env: { ...process.env, PURSER_MASTER_KEY: masterKey },
    makesFolder: true,
    onTrouble: (line) => report({ kind: 'waits', line }),
  });
  try {
    const store = opened.store();
    const onProgress = () => report({ kind: 'goesOn' });
    return await inView(folder, (view) => makeArchive({ folder, view, store, onProgress, ...request }));
  } finally {
    await opened.close();
  }
}

function report(what: ArchiveReport): void {
  process.send?.(what);
}

giveWayWhole();
process.on('disconnect', () => process.exit(1));
process.once('message', (request: ArchiveRequest) => {
  archive(request).then(
    (archived) => report({ kind: 'ended', archived }),
    (error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      report({ kind: 'ended', error: text.split('\n')[0] ?? '' });
    },
  );
});
