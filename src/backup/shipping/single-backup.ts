/**
 * A single backup: the base up to now, and a manifest. Run again at the same target, it goes on where it ended.
 *
 * A single backup never goes where `--backup` ships to: its run would fence the node, and take back a clean end of
 * which the node's folder still says that it is there. The `log` of that place tells it from all others, whoever asks.
 */
import { CleanEndMark } from '../clean-end/clean-end-mark.ts';
import { type BackupTarget, TargetError } from '../target/backup-target.ts';
import type { Manifest } from '../target-layout.ts';
import { Shipment, type ShipmentOptions } from './shipment.ts';
import { withStoppedFolder } from './shipped-folder.ts';

export interface SingleBackupOptions extends ShipmentOptions {
  /** The last fact to ship; undefined: all that the journal has. */
  readonly through?: number | undefined;
}

/**
 * Resolves when the backup is complete. Rejects with `fenced`, with `TargetError` when the patience ends, and with
 * what is wrong with the folder.
 */
export async function backUp(options: SingleBackupOptions): Promise<Manifest> {
  await options.retrying.until((signal) => expectNoLog(options.target, signal));
  const shipment = await Shipment.begin(options);
  try {
    const { folder, through = Number.POSITIVE_INFINITY } = options;
    const { queues } = folder.parts;
    const ofNow = queues.all();
    // No queue is ahead of the facts.
    await shipment.shipBase(Math.max(through, queues.position), ofNow);
    await options.retrying.until((signal) => shipment.expectNewest(signal));
    const manifest = await shipment.writeManifest(0);
    await shipment.removeProgress();
    return manifest;
  } finally {
    await shipment.close();
  }
}

async function expectNoLog(target: BackupTarget, signal: AbortSignal): Promise<void> {
  for await (const _ of target.list('log/', { signal })) {
    throw usedByNode(target);
  }
}

function usedByNode({ url }: BackupTarget): TargetError {
  return new TargetError(
    'refused',
    `${url} is where --backup ships to all the time: choose another place for a single backup`,
  );
}

/** The reason of a failure, in one sentence. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The backup of a folder that no node has: complete when it resolves. Rejects as `backUp` and `withStoppedFolder` do.
 */
export async function backUpFolder(
  folder: string,
  masterKey: string | undefined,
  options: Omit<SingleBackupOptions, 'folder' | 'through'>,
): Promise<Manifest> {
  if (new CleanEndMark(folder).read()?.url === options.target.url) throw usedByNode(options.target);
  return await withStoppedFolder(folder, masterKey, (shipped) => backUp({ ...options, folder: shipped }));
}
