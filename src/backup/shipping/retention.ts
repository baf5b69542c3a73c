/**
 * Removes what nobody needs any more: chunks of `log` that the base has, once they are older than `--backup-keep`, and
 * the manifests before. The base stays: it is the history, and any point in time can be restored from it.
 *
 * How old something is, a manifest tells: what the base had when the manifest was written is as old as that. Manifests
 * go first, so that none is left that names what is gone. A target that refuses to remove is asked again another time.
 */
import type { KeyObject } from 'node:crypto';
import { parseChunkName, seriesPrefix } from '../chunk.ts';
import { listManifests } from '../manifests.ts';
import { readRecord } from '../record.ts';
import type { BackupTarget } from '../target/backup-target.ts';
import { MANIFESTS, type Manifest } from '../target-layout.ts';

export interface RetentionOptions {
  readonly target: BackupTarget;
  readonly recordKey: KeyObject;
  /** The node's epoch. Objects of higher epochs are another node's. */
  readonly epoch: number;
  /** The time before which objects are old, Unix milliseconds. */
  readonly olderThanMs: number;
  readonly signal: AbortSignal;
}

/** Rejects with `TargetError`. */
export async function removeOld(options: RetentionOptions): Promise<void> {
  const { target, recordKey, epoch, olderThanMs, signal } = options;
  const manifests = await listManifests(target, [MANIFESTS], signal);
  const epochs = new Set(manifests.map((manifest) => manifest.epoch).filter((other) => other <= epoch));
  for (const each of epochs) {
    const ofEpoch = manifests.filter((manifest) => manifest.epoch === each);
    const newestOld = ofEpoch.findIndex(({ at }) => at < olderThanMs);
    const kept = ofEpoch[newestOld];
    if (kept === undefined) continue;
    const manifest = await readRecord<Manifest>(kept.name, recordKey, (name) =>
      target.read(name, { signal }),
    );
    // It is not what the shop wrote: nothing is removed on its word.
    if (manifest === undefined) continue;
    for (const { name } of ofEpoch.slice(newestOld + 1)) await target.remove(name, { signal });
    await removeLog({ target, signal }, each, manifest.logThrough);
  }
}

/** Chunks before this number; it stays, so that the series' end is found. */
async function removeLog(
  { target, signal }: Pick<RetentionOptions, 'target' | 'signal'>,
  epoch: number,
  before: number,
): Promise<void> {
  for await (const { name } of target.list(seriesPrefix('log', epoch), { signal })) {
    if ((parseChunkName(name)?.number ?? before) >= before) return;
    await target.remove(name, { signal });
  }
}
