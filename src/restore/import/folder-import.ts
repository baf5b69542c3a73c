/**
 * `purser restore import` on a folder that no node has: the folder that was lost has turned up after a restore.
 *
 * The restored folder knows the old one's facts up to the fork. The old one has them, too, and all that came behind: so
 * the shop goes on with the old one. A folder is made of it (`import-making.ts`) that begins the next epoch and knows which
 * one it displaces, and that takes the restored folder's place, which is kept. Its sales are closed, unless the operator
 * says that the old folder is complete: a copy of an earlier moment looks the same.
 *
 * What always holds: nothing was sold between the restore and this, and the old folder has all that receipts proved since.
 * What else was entered since the restore is not in it; unless that may be dropped, the import is refused and says what it is.
 *
 * Rejected: to take the old facts in one by one behind those of the new epoch. Their numbers, their items and their
 * balances are those of a shop in which the restore never happened.
 */
import type { Epoch } from '../../engine/epochs.ts';
import type { Fact } from '../../engine/fact.ts';
import { checkFormat } from '../../persistence/folder/data-folder.ts';
import { lockFolder } from '../../persistence/folder/folder-lock.ts';
import { GENESIS, type LogReader } from '../../persistence/journal/frame-log.ts';
import { JournalReader } from '../../persistence/journal/journal-reader.ts';
import { removeWork } from '../../persistence/migration/folder-swap.ts';
import type { GivenMasterKey } from '../restored-keys.ts';
import { type BegunEpoch, begunEpoch, expectNothingSince } from './entered-since.ts';
import { type MadeFolder, type Making, makeImported } from './import-making.ts';
import { withJournal } from './proved-journal.ts';
import { cleanEndOf, takePlace, withMade } from './taking-place.ts';

export interface ImportOptions extends Omit<Making, 'begun' | 'key'> {
  /** Opens `from`; asked for when no node has the folder. */
  readonly key: () => GivenMasterKey;
  /** Whether what was entered since the restore may be lost. */
  readonly discards: boolean;
}

export interface Imported extends MadeFolder {
  /** Where the folder is that was restored. */
  readonly kept: string;
}

/** Rejects with `RestoreError`, `FolderInUseError`, `DataFolderError`, `MasterKeyError`: the folder is as it was. */
export async function importFolder({ discards, ...options }: ImportOptions): Promise<Imported> {
  const { folder, from } = options;
  checkFormat(folder);
  const lock = await lockFolder(folder);
  try {
    const key = options.key();
    const begun = await withJournal(folder, (log) => begunIn(folder, log));
    await withJournal(folder, (log) => expectNothingSince(log, begun, { discards }));
    cleanEndOf(folder, from);
    removeWork(folder);
    try {
      const made = await makeImported({ ...options, key, begun });
      await withMade(folder, (find) =>
        withJournal(folder, (log) => expectNothingSince(log, begun, { discards, find })),
      );
      return { ...made, kept: await takePlace(folder, from, begun.position + made.facts) };
    } catch (error) {
      removeWork(folder);
      throw error;
    }
  } finally {
    await lock.release();
  }
}

/** As `begunEpoch`, of a whole journal. */
function begunIn(folder: string, log: LogReader): BegunEpoch {
  const epochs: Pick<Epoch, 'epoch' | 'position' | 'hash' | 'leap'>[] = [];
  const fact = (fact: Fact) => {
    if (fact.kind === 'EpochBegun') epochs.push({ epoch: fact.epoch, ...fact.fork, leap: fact.gap });
  };
  const journal = new JournalReader(log, GENESIS);
  for (const _ of journal.visit(Number.POSITIVE_INFINITY, { fact, skipsPurchases: true }));
  return begunEpoch(folder, epochs);
}
