/**
 * `purser restore import`: the folder that was lost has turned up after a restore, so nothing is lost at all.
 *
 * The restored folder knows the old one's facts up to the fork. The old one has them, too, and all that came behind: so
 * the shop goes on with the old one. It is backed up and restored, with all the proofs of both, into a folder that begins
 * the next epoch without a gap, and that one takes the restored folder's place, which is kept (`folder-swap.ts`).
 *
 * What always holds: nothing was sold between the restore and this. What else was entered since the restore is not in the
 * old folder; unless that may be dropped, the import is refused and says what it is. Orders that receipts proved are in the
 * old folder anyway.
 *
 * Rejected: to take the old facts in one by one behind those of the new epoch. Their numbers, their items and their
 * balances are those of a shop in which the restore never happened.
 */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Retrying } from '../backup/retrying.ts';
import { backUpFolder } from '../backup/single-backup.ts';
import { FolderTarget } from '../backup/target/folder-target.ts';
import type { Fact, FactKind, FactOf } from '../engine/fact.ts';
import { syncAll } from '../persistence/disk/durable-folder.ts';
import { ADDRESS_FILE, checkFormat, TOKEN_FILE } from '../persistence/folder/data-folder.ts';
import { FORMAT_VERSION } from '../persistence/folder/folder-format.ts';
import { lockFolder } from '../persistence/folder/folder-lock.ts';
import { GENESIS, type LogHead } from '../persistence/journal/frame-log.ts';
import { extentOf, frameHash } from '../persistence/journal/journal-frame.ts';
import { JournalReader } from '../persistence/journal/journal-reader.ts';
import { openLogReader } from '../persistence/journal/open-log.ts';
import { keptFolder, removeWork, swapFolders, workFolder } from '../persistence/migration/folder-swap.ts';
import { BackupSource } from './backup-source.ts';
import { cutFrame } from './cut-frame.ts';
import { makeFolderOf } from './folder-making.ts';
import { RestoreError } from './restore-error.ts';
import { planRestore } from './restore-plan.ts';
import type { GivenMasterKey } from './restored-keys.ts';

/** What may be recorded between a restore and an import without being lost: it tells nothing of the shop, or is proved there. */
const HARMLESS: ReadonlySet<FactKind> = new Set([
  'EpochBegun',
  'OrderRecovered',
  'OrderAmended',
  'DebitSettled',
  'ItemsQuarantined',
  'QuarantineEnded',
  'OperatorActed',
  'ItemTextsShown',
  'ItemsSearched',
  'EventGroupClosed',
  'SupplierStockChanged',
  'WebhookResealed',
  'SupplierResealed',
] satisfies FactKind[]);
/** These were answered to buyers: an import would take them back. */
const SALES: ReadonlySet<FactKind> = new Set([
  'SalesOpened',
  'OrderPlaced',
  'OrderPaid',
  'HoldPlaced',
] satisfies FactKind[]);

export interface ImportOptions {
  /** The restored folder, which no node has. */
  readonly folder: string;
  /** The one that has turned up. */
  readonly from: string;
  /** Opens both. */
  readonly key: GivenMasterKey;
  /** Whether what was entered since the restore may be lost. */
  readonly discards: boolean;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** What is under way, for a person. */
  readonly say: (line: string) => void;
}

export interface Imported {
  readonly epoch: number;
  /** How many orders the shop has now. */
  readonly orders: number;
  /** Facts of the old folder that were not in the restored one. */
  readonly facts: number;
  /** Where the folder is that was restored. */
  readonly kept: string;
}

/** Rejects with `RestoreError`, `FolderInUseError`, `DataFolderError`, `MasterKeyError`: the folder is as it was. */
export async function importFolder({
  folder,
  from,
  key,
  discards,
  nowMs,
  say,
}: ImportOptions): Promise<Imported> {
  checkFormat(folder);
  const lock = await lockFolder(folder);
  try {
    const begun = await lastEpoch(folder);
    await expectNothingSince(folder, begun, discards);
    const kept = keptFolder(folder, FORMAT_VERSION);
    if (existsSync(kept))
      throw new RestoreError(`${kept} is there from an earlier import: move it away first`);
    removeWork(folder);
    const made = await make({ folder, from, key, begun, nowMs, say }).catch((error: unknown) => {
      removeWork(folder);
      throw error;
    });
    // From here on there is only the way forward: what an interruption leaves, the next start completes.
    swapFolders(folder, FORMAT_VERSION, FORMAT_VERSION);
    return { ...made, kept };
  } finally {
    await lock.release();
  }
}

interface Making extends Pick<ImportOptions, 'folder' | 'from' | 'key' | 'nowMs' | 'say'> {
  readonly begun: FactOf<'EpochBegun'>;
}

async function make({ folder, from, key, begun, nowMs, say }: Making): Promise<Omit<Imported, 'kept'>> {
  const { fork } = begun;
  await expectFork(from, fork);
  const work = workFolder(folder, FORMAT_VERSION);
  mkdirSync(work, { recursive: true, mode: 0o700 });
  const target = new FolderTarget(join(work, '..', 'source'), { makesFolder: true });
  try {
    say(`reading ${from}`);
    const signal = new AbortController().signal;
    const retrying = new Retrying({ signal, patienceMs: 0, onTrouble: () => {} });
    await backUpFolder(from, key.fromEnvironment, { target, retrying, rest: 0, clock: () => nowMs });
    const plan = await planRestore(new BackupSource(target), key);
    if (plan.position.position < fork.position)
      throw new RestoreError(`${from} ends before the restored folder does`);
    say(`making a folder of its ${plan.position.position} facts`);
    // The old node has stopped for good, and this is all that it had.
    const whole = { ...plan, isCleanEnd: true, nextEpoch: begun.epoch + 1 };
    const made = await makeFolderOf(whole, work, { key, beginsEpoch: true, nowMs });
    for (const name of [TOKEN_FILE, ADDRESS_FILE]) {
      if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(work, name));
    }
    syncAll(work);
    return { epoch: made.epoch, orders: made.orders, facts: plan.position.position - fork.position };
  } finally {
    await target.close();
  }
}

/** With which the restored folder began. */
async function lastEpoch(folder: string): Promise<FactOf<'EpochBegun'>> {
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
  if (begun?.gap == null) {
    throw new RestoreError(
      `${folder} was not restored with a gap: there is nothing that another folder could close`,
    );
  }
  return begun;
}

async function expectNothingSince(
  folder: string,
  { epoch, fork }: FactOf<'EpochBegun'>,
  discards: boolean,
): Promise<void> {
  const log = openLogReader(folder);
  const journal = JournalReader.at(log, fork.position);
  if (journal === undefined) throw new RestoreError(`the journal of ${folder} does not reach epoch ${epoch}`);
  try {
    for (const { facts, firstSequence } of journal.read()) {
      for (const [index, { kind }] of facts.entries()) {
        if (firstSequence + index <= fork.position || HARMLESS.has(kind)) continue;
        const what = `${kind} (fact ${firstSequence + index})`;
        if (SALES.has(kind)) {
          throw new RestoreError(
            `the shop has sold since the restore, ${what}: an import would take that back`,
          );
        }
        if (discards) continue;
        throw new RestoreError(
          `since the restore something was entered that the old folder does not have, ${what}: an import drops it; ` +
            'add --discard, and enter it again afterwards',
        );
      }
    }
  } finally {
    await journal.close();
  }
}

/** The old folder is of the same shop, and has the facts that were restored. */
async function expectFork(from: string, { position, hash }: FactOf<'EpochBegun'>['fork']): Promise<void> {
  if (position === 0) return;
  checkFormat(from);
  const log = openLogReader(from);
  try {
    const found = headAt(log.read(position - 1), position);
    if (found?.hash.toString('hex') === hash) return;
    throw new RestoreError(
      `${from} is not the folder that was lost: its fact ${position} is ${found === undefined ? 'missing' : 'another one'}`,
    );
  } finally {
    await log.close();
  }
}

/** Where a journal would end with this fact. */
function headAt(frames: Iterable<Buffer>, position: number): LogHead | undefined {
  for (const frame of frames) {
    const { first, last } = extentOf(frame);
    if (first > position || last < position) return undefined;
    return { position, hash: frameHash(cutFrame(frame, position)) };
  }
  return undefined;
}
