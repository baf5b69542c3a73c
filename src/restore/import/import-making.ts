/**
 * The folder that takes a restored one's place, made of the one that was lost, beside the restored one's files: backed up
 * and restored, with all the proofs of both.
 *
 * What always holds: the folder that was lost is only read, and the restored one is not touched; so a node may run on it.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { Retrying } from '../../backup/retrying.ts';
import { backUpFolder } from '../../backup/single-backup.ts';
import { FolderTarget } from '../../backup/target/folder-target.ts';
import type { Origin } from '../../engine/origin.ts';
import { folderTrouble } from '../../persistence/disk/disk-trouble.ts';
import { syncAll } from '../../persistence/disk/durable-folder.ts';
import { KeyRing } from '../../persistence/disk/key-ring.ts';
import { keyFileOf } from '../../persistence/disk/master-key.ts';
import { checkFormat, isReplaced } from '../../persistence/folder/data-folder.ts';
import { FORMAT_VERSION } from '../../persistence/folder/folder-format.ts';
import { lockForReading } from '../../persistence/folder/folder-lock.ts';
import type { LogHead } from '../../persistence/journal/frame-log.ts';
import { extentOf, frameHash } from '../../persistence/journal/journal-frame.ts';
import { keptFolder, workFolder } from '../../persistence/migration/folder-swap.ts';
import { BackupSource } from '../backup-source.ts';
import { cutFrame } from '../cut-frame.ts';
import { makeFolderOf } from '../folder-making.ts';
import { RestoreError } from '../restore-error.ts';
import { planRestore } from '../restore-plan.ts';
import { type GivenMasterKey, givenMasterKey } from '../restored-keys.ts';
import type { BegunEpoch } from './entered-since.ts';
import { withJournal } from './proved-journal.ts';

/** `du` counts in these. */
const BLOCK_BYTES = 512;

export interface Importable {
  /** The restored folder. */
  readonly folder: string;
  /** The one that was lost. */
  readonly from: string;
  /** Opens `from`. */
  readonly key: GivenMasterKey;
  readonly begun: BegunEpoch;
}

export interface Making extends Importable {
  /** Whether nothing was sold behind the last fact of `from`: it is the folder that the node used last, and no earlier copy. */
  readonly isComplete: boolean;
  /** Who imports, and why. */
  readonly origin: Origin;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** What is under way, for a person. */
  readonly say?: (line: string) => void;
  /** It goes on. */
  readonly onProgress?: () => void;
}

export interface MadeFolder {
  /** Which it begins. */
  readonly epoch: number;
  /** How many orders the shop has now. */
  readonly orders: number;
  /** Facts of the old folder that were not in the restored one. */
  readonly facts: number;
  readonly sales: 'open' | 'closed';
}

/** From the environment (`PURSER_MASTER_KEY`), or the key file of the folder that was lost. */
export function keyOf(from: string, fromEnvironment: string | undefined): GivenMasterKey {
  if (fromEnvironment !== undefined) return givenMasterKey(fromEnvironment, 'PURSER_MASTER_KEY');
  const file = keyFileOf(from);
  if (!existsSync(file)) {
    throw new RestoreError(
      `there is no ${file}: name the data folder that was lost, and set PURSER_MASTER_KEY if the shop had its master key from there`,
    );
  }
  try {
    return givenMasterKey(readFileSync(file, 'utf8'), { file });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new RestoreError(`cannot read ${file}: ${folderTrouble(error)}`, { cause: error });
  }
}

/**
 * All that can be said before anything is made. Rejects with `RestoreError`, `FolderInUseError`, `DataFolderError`,
 * `MasterKeyError` and `KeyRingError`.
 */
export async function expectImportable({ folder, from, key, begun }: Importable): Promise<void> {
  checkFormat(from);
  if (realpathSync(from) === realpathSync(folder))
    throw new RestoreError(`${from} is the restored folder itself: name the one that was lost`);
  const kept = keptFolder(folder, FORMAT_VERSION, FORMAT_VERSION);
  if (existsSync(kept)) throw new RestoreError(`${kept} is there from an earlier import: move it away first`);
  await (await lockForReading(from)).release();
  KeyRing.read(from, key.fromEnvironment);
  await expectFork(from, begun);
  expectRoom(folder, from);
}

/** Rejects as `expectImportable`, and as a backup and a restore do; what was made is left for `removeWork`. */
export async function makeImported(making: Making): Promise<MadeFolder> {
  const {
    folder,
    from,
    key,
    begun,
    isComplete,
    origin,
    nowMs,
    say = () => {},
    onProgress = () => {},
  } = making;
  await expectImportable(making);
  const work = workFolder(folder, FORMAT_VERSION);
  mkdirSync(work, { recursive: true, mode: 0o700 });
  const target = new FolderTarget(join(work, '..', 'source'), { makesFolder: true });
  try {
    say(`reading ${from}`);
    const signal = new AbortController().signal;
    const retrying = new Retrying({ signal, patienceMs: 0, onTrouble: () => {} });
    const clock = () => nowMs;
    await backUpFolder(from, key.fromEnvironment, { target, retrying, rest: 0, clock, onProgress });
    const plan = await planRestore(new BackupSource(target), key);
    const { position } = plan.position;
    if (position < begun.position) throw new RestoreError(`${from} ends before the restored folder does`);
    say(`making a folder of its ${position} facts`);
    const nextEpoch = Math.max(plan.nextEpoch, begun.epoch + 1);
    const whole = { ...plan, isCleanEnd: isComplete, nextEpoch };
    const displaced = { epoch: begun.epoch, position: begun.position };
    const made = await makeFolderOf(whole, work, {
      key,
      beginsEpoch: true,
      imported: { displaced, origin },
      nowMs,
      onProgress,
      print: onProgress,
    });
    syncAll(work);
    const sales = made.gap !== null ? 'closed' : 'open';
    return { epoch: made.epoch, orders: made.orders, facts: position - begun.position, sales };
  } finally {
    await target.close();
  }
}

/** The old folder is of the same shop, and has the facts that were restored. */
async function expectFork(from: string, { position, hash }: BegunEpoch): Promise<void> {
  if (position === 0) return;
  const found = await withJournal(from, (log) => headAt(log.read(position - 1), position));
  if (found?.hash.toString('hex') === hash) return;
  throw new RestoreError(
    `${from} is not the folder that was lost: its fact ${position} is ${found === undefined ? 'missing' : 'another one'}`,
  );
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

/** For the folder that is made, and for the chunks in between. */
function expectRoom(folder: string, from: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const [free, needed] = [bavail * bsize, 2 * usedBytes(from)];
  if (free >= needed) return;
  const megabytes = (bytes: number) => Math.ceil(bytes / 1e6);
  throw new RestoreError(
    `an import needs about ${megabytes(needed)} MB on the disk of ${folder}, which has ${megabytes(free)} MB free: make room`,
  );
}

/** Of the files of a node. */
function usedBytes(folder: string): number {
  let blocks = 0;
  for (const name of readdirSync(folder).filter(isReplaced)) {
    const path = join(folder, name);
    const inside = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' })
      : [];
    for (const file of ['', ...inside]) blocks += statSync(join(path, file)).blocks;
  }
  return blocks * BLOCK_BYTES;
}
