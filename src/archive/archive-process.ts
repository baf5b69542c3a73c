/**
 * The process of an archive, beside the node: it reads old segments, puts them at the target, and replays their facts, which
 * takes a processor and memory for as long as `purser verify` would. It removes nothing.
 *
 * Old segments are written to by nobody. It opens links to them, with lock files of their own, so nothing of the database is
 * shared with the node's threads.
 */
import { Retrying } from '../backup/retrying.ts';
import { openTarget } from '../backup/target/open-target.ts';
import { KeyRing } from '../persistence/disk/key-ring.ts';
import { RowCipher } from '../persistence/disk/row-cipher.ts';
import { inView } from '../persistence/folder/folder-view.ts';
import { giveWay } from '../restore/low-priority.ts';
import { type Archived, makeArchive } from './archive-making.ts';
import type { ArchiveReport, ArchiveRequest } from './archive-messages.ts';
import { ArchiveStore } from './archive-store.ts';

/** It gives up when the target has not worked for so long. */
const PATIENCE_MS = 60_000;

/** Throws an error of one line. */
async function archive({ target: text, masterKey, folder, ...request }: ArchiveRequest): Promise<Archived> {
  const { shop, allKeys } = KeyRing.read(folder, masterKey);
  const target = openTarget(text, process.env, { makesFolder: true, dataFolder: folder });
  try {
    const retrying = new Retrying({
      signal: new AbortController().signal,
      patienceMs: PATIENCE_MS,
      onTrouble: (error) => {
        if (error !== undefined) report({ kind: 'waits', line: error.message });
      },
    });
    const store = new ArchiveStore({ target, shop, cipher: new RowCipher(allKeys), retrying });
    const onProgress = () => report({ kind: 'goesOn' });
    return await inView(folder, (view) => makeArchive({ folder, view, store, onProgress, ...request }));
  } finally {
    await target.close();
  }
}

function report(what: ArchiveReport): void {
  process.send?.(what);
}

giveWay();
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
