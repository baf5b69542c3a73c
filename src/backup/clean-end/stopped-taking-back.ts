/**
 * Takes a clean end back for a folder that no node has: the next run is written as a start would write it, and nothing is
 * shipped. A folder that becomes the first of a cluster needs that, because no node of a cluster waits for a target.
 */
import { resolve } from 'node:path';
import { BackupError } from '../backup-error.ts';
import { Retrying } from '../retrying.ts';
import { ContinuousShipping } from '../shipping/continuous-shipping.ts';
import { type ShippedFolder, withLockedFolder } from '../shipping/shipped-folder.ts';
import { type BackupTarget, TargetError } from '../target/backup-target.ts';
import { openTarget } from '../target/open-target.ts';
import type { Environment } from '../target/s3-settings.ts';
import { CleanEndMark } from './clean-end-mark.ts';

/** Somebody waits for the command. */
const PATIENCE_MS = 10_000;

export interface TakingBackOptions {
  /** The value of PURSER_MASTER_KEY. */
  readonly masterKey: string | undefined;
  readonly env: Environment;
  readonly print: (line: string) => void;
  /** The target holds a thread, so the process can't exit by itself. */
  readonly onHeld?: (() => void) | undefined;
}

/**
 * Resolves at once when the folder, which is locked, has no mark. Rejects with a `TargetError` when the target doesn't let
 * it be taken back, or another node went on from there; and with what is wrong with the folder.
 */
export async function takeCleanEndBack(
  folder: string,
  { masterKey, env, print, onHeld }: TakingBackOptions,
): Promise<void> {
  const mark = new CleanEndMark(folder);
  const url = mark.read()?.url;
  if (url === undefined) return;
  try {
    const target = openTarget(url, env, { makesFolder: false, dataFolder: resolve(folder) });
    try {
      await withLockedFolder(folder, masterKey, (shipped) => beginOnce(shipped, target, mark, print));
    } finally {
      await target.close();
      if (target.holdsThread) onHeld?.();
    }
  } catch (error) {
    if (BackupError.is(error, 'fenced') && error.goneOn !== undefined) {
      throw new TargetError('refused', mark.refusal(url, error.goneOn), { cause: error });
    }
    if (!(BackupError.is(error, 'fenced') || error instanceof TargetError)) throw error;
    throw new TargetError('refused', mark.notTakenBack(url, error.message), { cause: error });
  }
  print(`took back the clean end of the backup at ${url}`);
}

async function beginOnce(
  folder: ShippedFolder,
  target: BackupTarget,
  mark: CleanEndMark,
  print: (line: string) => void,
): Promise<void> {
  const { signal } = new AbortController();
  const retrying = new Retrying({ signal, patienceMs: PATIENCE_MS, onTrouble: () => {} });
  const shipping = await ContinuousShipping.begin({
    folder,
    target,
    retrying: { base: retrying, log: retrying },
    // Nothing is shipped.
    intervalMs: 0,
    baseMs: 0,
    keepMs: 0,
    clock: Date.now,
    mark,
    onShipped: () => {},
    onAltered: (name) =>
      print(`${name} at ${target.url} is not what this shop wrote, and counts for nothing`),
  });
  await shipping.close();
}
