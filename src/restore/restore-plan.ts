/**
 * What a restore would do, found out without making anything: which history, up to which fact, of which chunks; and what
 * may have been lost behind it.
 */
import { readEntries } from '../backup/chunk-entries.ts';
import { type Manifest, runName } from '../backup/target-layout.ts';
import type { LogHead } from '../persistence/journal/frame-log.ts';
import { decodeFacts, extentOf, frameHash, readHead } from '../persistence/journal/journal-frame.ts';
import type { BackupSource } from './backup-source.ts';
import { cutFrame } from './cut-frame.ts';
import { findLineage, firstChunk, lastHead } from './lineage.ts';
import { RestoreError } from './restore-error.ts';
import { ChunkSource, type PartThrough, type SourceChunk } from './source-chunk.ts';
import { type GivenKey, openKeys, type SourceKeys } from './source-keys.ts';
import { listSource } from './source-listing.ts';

/** Facts up to this one, or those that happened at this moment or before, in Unix milliseconds. */
export type RestorePoint = { readonly seq: number } | { readonly atMs: number };

export interface RestorePlan {
  /** Without secrets. */
  readonly source: string;
  readonly keys: SourceKeys;
  /** The one that is restored, and the one that begins with it. */
  readonly epoch: number;
  readonly nextEpoch: number;
  /** In order; of the last one facts up to `position` count. */
  readonly parts: readonly PartThrough[];
  /** The last fact that is restored, … */
  readonly position: LogHead;
  /** … and when it happened, in Unix milliseconds. */
  readonly lastAtMs: number;
  /** The last fact that the source has. */
  readonly end: number;
  /** To be fetched. */
  readonly chunks: number;
  readonly bytes: number;
  /** The node had stopped, and all that it had is restored: nothing can have been lost. */
  readonly isCleanEnd: boolean;
  readonly manifest: Manifest | undefined;
  /** Up to which fact a signed head of this epoch speaks; undefined without one. */
  readonly signedHead: number | undefined;
}

/** Rejects with `RestoreError` and `TargetError`. The master key is looked at before any chunk. */
export async function planRestore(
  source: BackupSource,
  given: GivenKey,
  point?: RestorePoint,
): Promise<RestorePlan> {
  const listing = await listSource(source);
  const keys = await openKeys(source, listing.keys, given);
  const chunks = new ChunkSource(source, keys);
  const { epoch, parts, manifest } = await findLineage(chunks, listing, keys.shop);
  const last = parts.at(-1);
  if (last === undefined) throw new RestoreError(`the manifest of the backup at ${source.url} lists no chunk`);
  const head = await lastHead(last.part);
  expectManifest(manifest, head.to, source.url);
  const cut = point === undefined ? undefined : await cutAt(parts, point, head.to.position, source.url);
  const signedHead = listing.signedHeads.get(epoch);
  if (point === undefined && signedHead !== undefined && signedHead > head.to.position) {
    throw new RestoreError(
      `the signed head at ${source.url} speaks of fact ${signedHead}, and its chunks end at fact ${head.to.position}: ` +
        `put back what is missing, or restore what is there with --at ${head.to.position}`,
    );
  }
  const { position, lastAtMs } = cut ?? { position: head.to, lastAtMs: head.lastAtMs };
  const taken = cut?.parts ?? parts;
  const counts = taken.map(({ part }, index) => (index === taken.length - 1 ? (cut?.count ?? part.count) : part.count));
  const isStopped = manifest?.isCleanEnd === true && runName(manifest) === listing.newestRun;
  return {
    source: source.url,
    keys,
    epoch,
    nextEpoch: Math.max(...listing.epochs) + 1,
    parts: taken.map(({ part }, index) => {
      const through = index === taken.length - 1 ? position : taken[index]?.through;
      return { part, ...(through === undefined ? {} : { through }) };
    }),
    position,
    lastAtMs,
    end: head.to.position,
    chunks: counts.reduce((sum, count) => sum + count, 0),
    bytes: taken.reduce((sum, { part }, index) => sum + part.bytesOf(counts[index] ?? 0), 0),
    isCleanEnd: isStopped && position.position === manifest.position.seq && head.to.position === position.position,
    manifest,
    signedHead,
  };
}

interface Cut {
  readonly parts: readonly PartThrough[];
  /** Chunks of the last part that are needed. */
  readonly count: number;
  readonly position: LogHead;
  readonly lastAtMs: number;
}

/** Undefined when all of it is before the point. */
async function cutAt(
  parts: readonly PartThrough[],
  point: RestorePoint,
  end: number,
  url: string,
): Promise<Cut | undefined> {
  if ('seq' in point && point.seq > end) {
    throw new RestoreError(`the backup at ${url} ends at fact ${end}, before --at ${point.seq}`);
  }
  const isFactWanted = (seq: number, atMs: number) => ('seq' in point ? seq <= point.seq : atMs <= point.atMs);
  for (const [index, { part, through }] of parts.entries()) {
    const found = await firstChunk(part, ({ to, lastAtMs }) =>
      'seq' in point ? to.position >= point.seq : lastAtMs > point.atMs,
    );
    if (found === part.count) continue;
    const place = lastFact(await part.read(found), isFactWanted);
    // The rest of this part belongs to a history that was left.
    if (through !== undefined && place.position.position >= through.position && index < parts.length - 1) continue;
    if (place.position.position === 0) throw new RestoreError(`the backup at ${url} has no fact as early as --at`);
    return { parts: parts.slice(0, index + 1), count: found + 1, ...place };
  }
  return undefined;
}

/** The last fact that is wanted, of a chunk whose first facts are; where it begins, when none is. */
function lastFact(
  { head, body }: SourceChunk,
  isWanted: (seq: number, atMs: number) => boolean,
): { position: LogHead; lastAtMs: number } {
  let found = { position: head.from, lastAtMs: 0 };
  for (const entry of readEntries(body)) {
    if (entry.kind !== 'frame') continue;
    const { first, last } = extentOf(entry.frame);
    const facts = decodeFacts(entry.frame, readHead(entry.frame));
    const count = facts.findIndex(({ atMs }, index) => !isWanted(first + index, atMs));
    const wanted = count === -1 ? facts.length : count;
    if (wanted === 0) return found;
    const frame = cutFrame(entry.frame, first + wanted - 1);
    const lastAtMs = facts[wanted - 1]?.atMs ?? 0;
    found = { position: { position: first + wanted - 1, hash: frameHash(frame) }, lastAtMs };
    if (first + wanted - 1 < last) return found;
  }
  return found;
}

/** The chunks that it lists go as far as it says. */
function expectManifest(manifest: Manifest | undefined, end: LogHead, url: string): void {
  if (manifest === undefined) return;
  const { seq, hash } = manifest.position;
  const isThere = end.position > seq || (end.position === seq && end.hash.toString('hex') === hash);
  if (!isThere) {
    throw new RestoreError(
      `the newest manifest at ${url} speaks of fact ${seq}, and its chunks end at fact ${end.position}, or are another history's: put back another copy`,
    );
  }
}
