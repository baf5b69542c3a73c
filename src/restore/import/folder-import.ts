/**
 * `purser restore import` on a folder that no node has: the folder that was lost has turned up after a restore, so nothing
 * is lost at all.
 *
 * The restored folder knows the old one's facts up to the fork. The old one has them, too, and all that came behind: so
 * the shop goes on with the old one. A folder is made of it (`import-making.ts`) that begins the next epoch without a gap
 * and knows which one it displaces, and that takes the restored folder's place, which is kept.
 *
 * What always holds: nothing was sold between the restore and this. What else was entered since the restore is not in the
 * old folder; unless that may be dropped, the import is refused and says what it is. Orders that receipts proved are in the
 * old folder anyway.
 *
 * Rejected: to take the old facts in one by one behind those of the new epoch. Their numbers, their items and their
 * balances are those of a shop in which the restore never happened.
 */
import type { Fact, FactOf } from '../../engine/fact.ts';
import { checkFormat } from '../../persistence/folder/data-folder.ts';
import { lockFolder } from '../../persistence/folder/folder-lock.ts';
import { GENESIS } from '../../persistence/journal/frame-log.ts';
import { JournalReader } from '../../persistence/journal/journal-reader.ts';
import { openLogReader } from '../../persistence/journal/open-log.ts';
import { removeWork } from '../../persistence/migration/folder-swap.ts';
import { type BegunEpoch, expectNothingSince, notRestored } from './entered-since.ts';
import { type MadeFolder, type Making, makeImported } from './import-making.ts';
import { cleanEndOf, takePlace } from './taking-place.ts';

export interface ImportOptions extends Omit<Making, 'begun'> {
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
    const begun = await lastEpoch(folder);
    await nothingSince(folder, begun, discards);
    cleanEndOf(folder, from);
    removeWork(folder);
    const made = await makeImported({ ...options, begun }).catch((error: unknown) => {
      removeWork(folder);
      throw error;
    });
    return { ...made, kept: takePlace(folder, from) };
  } finally {
    await lock.release();
  }
}

async function nothingSince(folder: string, begun: BegunEpoch, discards: boolean): Promise<void> {
  const log = openLogReader(folder);
  try {
    await expectNothingSince(log, begun, discards);
  } finally {
    await log.close();
  }
}

/** With which the restored folder began. */
async function lastEpoch(folder: string): Promise<BegunEpoch> {
  let begun: FactOf<'EpochBegun'> | undefined;
  const journal = new JournalReader(openLogReader(folder), GENESIS);
  try {
    const fact = (fact: Fact) => {
      if (fact.kind === 'EpochBegun') begun = fact;
    };
    for (const _ of journal.visit(Number.POSITIVE_INFINITY, { fact, skipsPurchases: true }));
  } finally {
    await journal.close();
  }
  if (begun?.gap == null) throw notRestored(folder);
  return { epoch: begun.epoch, ...begun.fork };
}
