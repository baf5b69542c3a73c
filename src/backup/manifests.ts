/**
 * Manifests at a target: what was complete, and when. Written last, and read back like everything.
 */
import type { KeyObject } from 'node:crypto';
import { parseChunkName, type Series } from './chunk.ts';
import { prove } from './proved-object.ts';
import { encodeRecord } from './record.ts';
import type { Retrying } from './retrying.ts';
import type { BackupTarget } from './target/backup-target.ts';
import { BACKUP_FORMAT, MANIFESTS, type Manifest, manifestName, type PROGRESS } from './target-layout.ts';

const NAME = /^(?:manifests|progress)\/(\d{6,})\/(\d{16,})-(\d{15,})\.json$/;

export interface ManifestName {
  readonly name: string;
  readonly epoch: number;
  readonly position: number;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Undefined when the name is no manifest's. */
export function parseManifestName(name: string): ManifestName | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  return { name, epoch: Number(match[1]), position: Number(match[2]), at: Number(match[3]) };
}

/** All of them, those of backups under way too; the newest first. */
export async function listManifests(
  target: BackupTarget,
  prefixes: readonly string[],
  signal: AbortSignal,
): Promise<ManifestName[]> {
  const names: ManifestName[] = [];
  for (const prefix of prefixes) {
    for await (const { name } of target.list(prefix, { signal })) {
      const parsed = parseManifestName(name);
      if (parsed !== undefined) names.push(parsed);
    }
  }
  return names.sort((a, b) => b.epoch - a.epoch || b.position - a.position || b.at - a.at);
}

/** Resolves when it is there: with the time `at`, or a later one when that name has been spoiled. */
export async function writeManifest(
  { target, recordKey }: { readonly target: BackupTarget; readonly recordKey: KeyObject },
  manifest: Omit<Manifest, 'format'>,
  retrying: Retrying,
  prefix: typeof MANIFESTS | typeof PROGRESS = MANIFESTS,
): Promise<Manifest> {
  for (let { at } = manifest, wrong = 1; ; at += 1, wrong += 1) {
    const written: Manifest = { format: BACKUP_FORMAT, ...manifest, at };
    const name = manifestName(written, prefix);
    const bytes = encodeRecord(name, written, recordKey);
    if ((await retrying.until((signal) => prove(target, name, bytes, signal))) === undefined) return written;
    await retrying.restAfterWrong(name, wrong);
  }
}

/** Whether all that it names is of this series. */
export function isOf(series: Series, { chunks }: Manifest): boolean {
  return chunks.every(({ name }) => parseChunkName(name)?.series === series);
}
