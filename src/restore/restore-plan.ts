/**
 * The plan of a restore, made without making anything: the history, the last fact, and the chunks that it needs; and
 * what may have been lost behind that fact.
 */
import { readEntries } from '../backup/chunk-entries.ts';
import { type Manifest, type Run, runName } from '../backup/target-layout.ts';
import { MAX_EPOCH } from '../engine/limits.ts';
import type { LogHead } from '../persistence/journal/frame-log.ts';
import { decodeFacts, extentOf, frameHash, readHead } from '../persistence/journal/journal-frame.ts';
import type { BackupSource } from './backup-source.ts';
import { cutFrame } from './cut-frame.ts';
import { findLineage, firstChunk, lastHead } from './lineage.ts';
import { RestoreError } from './restore-error.ts';
import { type ChunkPart, ChunkSource, type PartThrough, type SourceChunk } from './source-chunk.ts';
import { type GivenKey, openKeys, type SourceKeys } from './source-keys.ts';
import { listSource } from './source-listing.ts';
import { SourceRecords } from './source-records.ts';

/**
 * The last fact of a restore: the one of this number, or the last that happened at this moment or before, in Unix
 * milliseconds.
 */
export type RestorePoint = { readonly seq: number } | { readonly atMs: number };

/**
 * A part of which the first `count` chunks are needed, and of their facts those up to `through`; all, when that isn't
 * there.
 */
export interface PlannedPart {
  readonly part: ChunkPart;
  readonly count: number;
  readonly through: LogHead | undefined;
}

/** A part whose chunks from `from` on may have facts behind those that are restored, up to `through`. */
export interface LaterPart {
  readonly part: ChunkPart;
  readonly from: number;
  readonly through: LogHead | undefined;
}

export interface RestorePlan {
  /** The address of the source, without secrets. */
  readonly source: string;
  readonly keys: SourceKeys;
  /** The epoch that is restored, and the one that begins with the restore. */
  readonly epoch: number;
  readonly nextEpoch: number;
  /** The parts, in their order. */
  readonly parts: readonly PlannedPart[];
  /** Parts behind those, in order. Empty when all of the source is restored. */
  readonly later: readonly LaterPart[];
  /** The last fact that is restored, … */
  readonly position: LogHead;
  /** … and its time, in Unix milliseconds. */
  readonly lastAtMs: number;
  /** The chunks to be fetched, and their bytes. */
  readonly chunks: number;
  readonly bytes: number;
  /**
   * The node had stopped, and all that it had is restored: nothing can have been lost. Never with a higher epoch than the
   * next one: then another folder has gone on from here.
   */
  readonly isCleanEnd: boolean;
  readonly manifest: Manifest | undefined;
  /** Names of objects that should be runs or manifests, and are not what the shop wrote: they prove nothing. */
  readonly passedOver: readonly string[];
}

/**
 * `begins` is the epoch that the folder is to begin; the next one that the source doesn't have, when it isn't said.
 * Rejects with `RestoreError` and `TargetError`. The master key is looked at before any chunk.
 */
export async function planRestore(
  source: BackupSource,
  given: GivenKey,
  point?: RestorePoint,
  begins?: number,
): Promise<RestorePlan> {
  const listing = await listSource(source);
  const keys = await openKeys(source, listing.keys, given);
  const highest = Math.max(...listing.epochs);
  const nextEpoch = epochToBegin(highest, begins, source.url);
  const chunks = new ChunkSource(source, keys);
  const isAll = point === undefined;
  const records = new SourceRecords(source, keys.recordKey, isAll);
  const newestRun = await records.newest<Run>(listing.runs.get(Math.max(...listing.runs.keys())));
  const { epoch, parts, manifest } = await findLineage(chunks, listing, records, isAll);
  const cut = point === undefined ? await wholeOf(parts, source.url) : await cutAt(parts, point, source.url);
  for (const { part, count } of cut.parts) part.expectThere(count);
  const { position } = cut.position;
  if (point === undefined) expectManifest(manifest, cut.position, source.url);
  const isStopped =
    manifest?.isCleanEnd === true && newestRun !== undefined && runName(manifest) === runName(newestRun);
  // What is passed over may have been later.
  const isNewest = records.passedOver.length === 0;
  return {
    source: source.url,
    keys,
    epoch,
    nextEpoch,
    ...cut,
    chunks: cut.parts.reduce((sum, { count }) => sum + count, 0),
    bytes: cut.parts.reduce((sum, { part, count }) => sum + part.bytesOf(count), 0),
    isCleanEnd:
      isStopped && isNewest && cut.isWhole && position === manifest.position.seq && nextEpoch === highest + 1,
    manifest,
    passedOver: records.passedOver,
  };
}

function epochToBegin(highest: number, begins: number | undefined, url: string): number {
  if (begins === undefined || (begins > highest && begins <= MAX_EPOCH)) return begins ?? highest + 1;
  throw new RestoreError(
    `--epoch ${begins} cannot be begun: the backup at ${url} has epoch ${highest}, so choose one from ${highest + 1} to ${MAX_EPOCH}`,
  );
}

interface Cut {
  readonly parts: readonly PlannedPart[];
  readonly later: readonly LaterPart[];
  readonly position: LogHead;
  readonly lastAtMs: number;
  /** Nothing that the source has lies behind it. */
  readonly isWhole: boolean;
}

async function wholeOf(parts: readonly PartThrough[], url: string): Promise<Cut> {
  const last = parts.at(-1);
  if (last === undefined)
    throw new RestoreError(`the newest manifest at ${url} lists no chunk: put back another copy`);
  const { to, lastAtMs } = await lastHead(last.part);
  return { parts: planned(parts, last.part.count, to), later: [], position: to, lastAtMs, isWhole: true };
}

async function cutAt(parts: readonly PartThrough[], point: RestorePoint, url: string): Promise<Cut> {
  const isFactWanted = (seq: number, atMs: number) =>
    'seq' in point ? seq <= point.seq : atMs <= point.atMs;
  for (const [index, { part, through }] of parts.entries()) {
    const found = await firstChunk(part, ({ to, lastAtMs }) =>
      'seq' in point ? to.position >= point.seq : lastAtMs > point.atMs,
    );
    if (found === part.count) continue;
    const place = lastFact(await part.read(found), isFactWanted);
    // The rest of this part belongs to a history that was left.
    const isLast = index === parts.length - 1;
    if (!isLast && through !== undefined && place.position.position >= through.position) continue;
    if (place.position.position === 0) throw await nothingSoEarly(parts, url);
    const lastAtMs = place.lastAtMs ?? (await part.read(Math.max(0, found - 1))).head.lastAtMs;
    if (isLast && (await hasNoFactBehind(part, found, place.position.position))) return wholeOf(parts, url);
    const taken = planned(parts.slice(0, index + 1), found + 1, place.position);
    const later = laterParts(parts.slice(index), found);
    return { parts: taken, later, position: place.position, lastAtMs, isWhole: false };
  }
  const whole = await wholeOf(parts, url);
  if (!('seq' in point) || whole.position.position === point.seq) return whole;
  throw new RestoreError(
    `the backup at ${url} ends at fact ${whole.position.position}, before --at ${point.seq}: choose an earlier one`,
  );
}

/** Names the first fact, whose frame is in the first chunk that has any. */
async function nothingSoEarly([first]: readonly PartThrough[], url: string): Promise<RestoreError> {
  for (let index = 0; first !== undefined && index < first.part.count; index += 1) {
    for (const entry of readEntries((await first.part.read(index)).body)) {
      if (entry.kind !== 'frame') continue;
      const atMs = decodeFacts(entry.frame, readHead(entry.frame))[0]?.atMs ?? 0;
      const since = new Date(atMs).toISOString();
      return new RestoreError(
        `the backup at ${url} has no fact as early as --at: its first one is of ${since}`,
      );
    }
  }
  return new RestoreError(`the backup at ${url} has no fact as early as --at`);
}

/** Whether all chunks from this one on can be read, and end with this fact. */
async function hasNoFactBehind(part: ChunkPart, from: number, position: number): Promise<boolean> {
  try {
    for (let index = from; index < part.count; index += 1) {
      if ((await part.read(index)).head.to.position > position) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof RestoreError) return false;
    throw error;
  }
}

/** The parts as they are needed: of the last one `count` chunks, and facts up to `end`. */
function planned(parts: readonly PartThrough[], count: number, end: LogHead): PlannedPart[] {
  return parts.map(({ part, through }, index) => {
    const isLast = index === parts.length - 1;
    return { part, count: isLast ? count : part.count, through: isLast ? end : through };
  });
}

/** The parts from the first one's chunk `from` on. */
function laterParts(parts: readonly PartThrough[], from: number): LaterPart[] {
  return parts.map(({ part, through }, index) => ({ part, from: index === 0 ? from : 0, through }));
}

/** The last fact that is wanted, of a chunk whose first facts are; where it begins, without a time, when none is. */
function lastFact(
  { head, body }: SourceChunk,
  isWanted: (seq: number, atMs: number) => boolean,
): { readonly position: LogHead; readonly lastAtMs: number | undefined } {
  let found: ReturnType<typeof lastFact> = { position: head.from, lastAtMs: undefined };
  for (const entry of readEntries(body)) {
    if (entry.kind !== 'frame') continue;
    const { first, last } = extentOf(entry.frame);
    const facts = decodeFacts(entry.frame, readHead(entry.frame));
    const count = facts.findIndex(({ atMs }, index) => !isWanted(first + index, atMs));
    const wanted = count === -1 ? facts.length : count;
    if (wanted === 0) return found;
    const frame = cutFrame(entry.frame, first + wanted - 1);
    const lastAtMs = facts[wanted - 1]?.atMs;
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
