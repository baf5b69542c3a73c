/**
 * The objects of a source, by names alone: its epochs, and the runs, manifests and key rings of each that may count.
 *
 * Lists that grow for ever (runs, manifests) are kept by their ends only.
 */
import { parseManifestName } from '../backup/manifests.ts';
import { KEYS, MANIFESTS, parseKeysName, parseRunName, RUNS } from '../backup/target-layout.ts';
import type { BackupSource } from './backup-source.ts';
import { RestoreError } from './restore-error.ts';

/** The newest one may be damaged: then the one before may count. */
const KEPT_NAMES = 4;

export interface SourceListing {
  /** The newest first. */
  readonly keys: readonly string[];
  /** Names of runs by epoch, the newest first. */
  readonly runs: ReadonlyMap<number, readonly string[]>;
  readonly manifests: ReadonlyMap<number, readonly string[]>;
  /** Ascending; each has a run, a manifest or a key ring. */
  readonly epochs: readonly number[];
}

/** Rejects with `RestoreError` when there is no backup, and with `TargetError`. */
export async function listSource(source: BackupSource): Promise<SourceListing> {
  const epochs = new Set<number>();
  const keys = await newest(source, KEYS, parseKeysName, epochs);
  if (keys.size === 0) throw await noBackup(source);
  const runs = await newest(source, RUNS, parseRunName, epochs);
  const manifests = await newest(source, MANIFESTS, parseManifestName, epochs);
  const ascending = [...epochs].sort((a, b) => a - b);
  const newestFirst = [...keys].sort(([a], [b]) => b - a).flatMap(([, names]) => names);
  return {
    keys: newestFirst.slice(0, KEPT_NAMES),
    runs,
    manifests,
    epochs: ascending,
  };
}

/** The newest names by epoch, the newest first. */
async function newest(
  source: BackupSource,
  prefix: string,
  parse: (name: string) => { readonly epoch: number } | undefined,
  epochs: Set<number>,
): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  for await (const { name } of source.list(prefix)) {
    const epoch = parse(name)?.epoch;
    if (epoch === undefined) continue;
    epochs.add(epoch);
    const names = found.get(epoch) ?? [];
    found.set(epoch, names);
    names.unshift(name);
    if (names.length > KEPT_NAMES) names.pop();
  }
  return found;
}

async function noBackup(source: BackupSource): Promise<RestoreError> {
  for await (const { name } of source.list('')) {
    return new RestoreError(
      `${source.url} is no backup of Purser: it has ${JSON.stringify(name.slice(0, 100))} and no key ring (keys/…); name the place that \`purser backup\` or --backup wrote to`,
    );
  }
  return new RestoreError(
    `${source.url} is empty: name the place that \`purser backup\` or --backup wrote to`,
  );
}
