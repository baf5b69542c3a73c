/**
 * The chunks that make the history of an epoch, from the first fact on: those that its newest manifest lists, then what
 * came after it, first of `base`, then of `log`. An epoch without a manifest continues another one, from where its
 * first chunk begins; what that one had behind it belongs to a history that was left, and isn't taken.
 */
import { type ChunkHead, chunkName, parseChunkName, SERIES, type Series } from '../backup/chunk.ts';
import { type Manifest, type Run, runName, type StoredObject } from '../backup/target-layout.ts';
import { REMEDY } from './backup-source.ts';
import { ListedPart } from './listed-part.ts';
import { RestoreError } from './restore-error.ts';
import { SeriesIndex, SeriesPart } from './series-part.ts';
import type { ChunkPart, ChunkSource, PartThrough } from './source-chunk.ts';
import type { SourceListing } from './source-listing.ts';
import type { SourceRecords } from './source-records.ts';

export interface Lineage {
  readonly epoch: number;
  /** The parts, none of them empty. */
  readonly parts: readonly PartThrough[];
  /** The newest of this epoch, if it has any. */
  readonly manifest: Manifest | undefined;
}

/**
 * The lineage of the highest epoch that has anything but a run. `isWhole`: all of it is to be restored, so its end must
 * be there. Rejects with `RestoreError` and `TargetError`.
 */
export async function findLineage(
  chunks: ChunkSource,
  listing: SourceListing,
  records: SourceRecords,
  isWhole: boolean,
): Promise<Lineage> {
  const reader = new LineageReader(chunks, listing, records, isWhole);
  for (const epoch of listing.epochs.toReversed()) {
    if (await reader.hasFacts(epoch)) return reader.read(epoch);
  }
  throw new RestoreError(
    `the backup at ${chunks.source.url} was begun, and has no facts yet: take another one, or an older copy`,
  );
}

class LineageReader {
  readonly #chunks: ChunkSource;
  readonly #listing: SourceListing;
  readonly #records: SourceRecords;
  readonly #isWhole: boolean;

  constructor(chunks: ChunkSource, listing: SourceListing, records: SourceRecords, isWhole: boolean) {
    this.#isWhole = isWhole;
    this.#chunks = chunks;
    this.#listing = listing;
    this.#records = records;
  }

  async hasFacts(epoch: number): Promise<boolean> {
    if (this.#listing.manifests.has(epoch)) return true;
    for (const series of SERIES) {
      if ((await SeriesIndex.list(this.#chunks, series, epoch)).count > 0) return true;
    }
    return false;
  }

  async read(epoch: number): Promise<Lineage> {
    const manifest = await this.#manifest(epoch);
    const { base, log, missing } = await this.#indexes(epoch, manifest);
    const before = manifest === undefined ? await this.#before(epoch) : [];
    const own: ChunkPart[] = manifest === undefined ? [] : this.#listed(manifest, missing);
    const tail = this.#baseTail(base, manifest);
    if (tail.count > 0) own.push(tail);
    const listed = manifest?.epoch === epoch ? manifest.logThrough : 0;
    const logTail = await this.#logTail(log, own.at(-1), listed);
    if (tail.count === 0 && base.count > 0) await this.#expectNoGap(base, manifest, own.at(-1), logTail);
    if (logTail.count > 0) own.push(logTail);
    const parts = await bounded([...before.map(({ part }) => part), ...own]);
    return { epoch, parts, manifest };
  }

  async #manifest(epoch: number): Promise<Manifest | undefined> {
    const manifest = await this.#records.newest<Manifest>(this.#listing.manifests.get(epoch));
    const [newestRun = ''] = (manifest && this.#listing.runs.get(manifest.epoch)) ?? [];
    // Its run was there, and tells whether another one came behind it.
    if (this.#isWhole && manifest !== undefined && newestRun < runName(manifest)) {
      throw this.#missingObject(runName(manifest));
    }
    return manifest;
  }

  /**
   * The chunks of this epoch at the source, and the objects of any epoch that the manifest lists and that are missing
   * there.
   */
  async #indexes(
    epoch: number,
    manifest: Manifest | undefined,
  ): Promise<Record<Series, SeriesIndex> & { readonly missing: ReadonlyMap<string, unknown> }> {
    const wanted = new Map(manifest?.chunks.map((object) => [object.name, object]) ?? []);
    const onName = (name: string, sizeBytes: number) => {
      if (wanted.get(name)?.bytes === sizeBytes) wanted.delete(name);
    };
    const list = async (of: number) => ({
      base: await SeriesIndex.list(this.#chunks, 'base', of, onName),
      log: await SeriesIndex.list(this.#chunks, 'log', of, onName),
    });
    const own = await list(epoch);
    for (const other of new Set(manifest?.chunks.map(epochOf))) if (other !== epoch) await list(other);
    return { ...own, missing: wanted };
  }

  #listed({ chunks }: Manifest, missing: ReadonlyMap<string, unknown>): ListedPart[] {
    const parts: ListedPart[] = [];
    for (let from = 0; from < chunks.length; ) {
      const epoch = epochOf(chunks[from]);
      let to = from;
      while (to < chunks.length && epochOf(chunks[to]) === epoch) to += 1;
      parts.push(new ListedPart(this.#chunks, epoch, chunks.slice(from, to), missing));
      from = to;
    }
    return parts;
  }

  /** The parts of the epoch that this one continues. */
  async #before(epoch: number): Promise<readonly PartThrough[]> {
    const { fork } = await this.#run(epoch);
    return fork === null ? [] : (await this.read(fork.epoch)).parts;
  }

  /** All runs of an epoch tell of the same fork. */
  async #run(epoch: number): Promise<Run> {
    const names = this.#listing.runs.get(epoch) ?? [];
    const run = await this.#records.newest<Run>(names);
    if (run !== undefined) return run;
    const [newest] = names;
    throw newest === undefined
      ? this.#missingObject(runName({ epoch, run: 1 }))
      : this.#records.notWritten(newest);
  }

  #baseTail(base: SeriesIndex, manifest: Manifest | undefined): SeriesPart {
    const { last, hash } = lastListed(base, manifest);
    // One that is missing leaves its part empty; what was read of it may be in `log` as well.
    const from = base.indexFrom(last + 1);
    const isNext = from < base.count && base.numberAt(from) === last + 1;
    return new SeriesPart(this.#chunks, base, isNext ? from : base.count, hash);
  }

  /** Chunks of `base` that lie behind a missing one were there once: `log` must have facts behind `before`. */
  async #expectNoGap(
    base: SeriesIndex,
    manifest: Manifest | undefined,
    before: ChunkPart | undefined,
    log: ChunkPart,
  ): Promise<void> {
    const { last } = lastListed(base, manifest);
    if (!this.#isWhole || base.numberAt(base.count - 1) <= last) return;
    const from = before === undefined ? 0 : (await lastHead(before)).to.position;
    const to = log.count === 0 ? from : (await lastHead(log)).to.position;
    if (to === from) throw this.#missing(base, last + 1);
  }

  /**
   * The part from the chunk on that comes to the end of `before`: behind its last frame it may have what the next one
   * names, or queues that are newer. All of those before number `listed` are in `before`.
   */
  async #logTail(log: SeriesIndex, before: ChunkPart | undefined, listed: number): Promise<SeriesPart> {
    const first = log.indexFrom(listed);
    const all = new SeriesPart(this.#chunks, log, first);
    if (before === undefined) {
      if (log.count > 0 && log.numberAt(0) !== 1) throw this.#missing(log, 1);
      return new SeriesPart(this.#chunks, log, 0, '');
    }
    const end = await this.#endOf(before);
    if (end === undefined) return new SeriesPart(this.#chunks, log, log.count);
    const { position } = end.to;
    const from = first + (await firstChunk(all, ({ to }) => to.position >= position, false));
    if (from < log.count && (await all.read(from - first)).head.from.position > position) {
      throw this.#missing(log, log.numberAt(from) - 1);
    }
    return new SeriesPart(this.#chunks, log, from);
  }

  /** Undefined when it can't be read and need not be. */
  async #endOf(part: ChunkPart): Promise<ChunkHead | undefined> {
    try {
      return await lastHead(part);
    } catch (error) {
      if (this.#isWhole || !(error instanceof RestoreError)) throw error;
      return undefined;
    }
  }

  #missing({ series, epoch }: SeriesIndex, number: number): RestoreError {
    return this.#missingObject(chunkName({ series, epoch, number }, 1));
  }

  #missingObject(name: string): RestoreError {
    return new RestoreError(`${name} is missing at ${this.#chunks.source.url}: ${REMEDY}`);
  }
}

/**
 * The place of the first chunk whose head is as wanted, as those of all behind it are; `count` when there is none. One
 * that can't be read counts as wanted, unless `countsUnread` is false: so who wants what lies before it isn't held up.
 */
export async function firstChunk(
  part: ChunkPart,
  isWanted: (head: ChunkHead) => boolean,
  countsUnread = true,
): Promise<number> {
  let low = 0;
  let high = part.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (await isChunkWanted(part, middle, isWanted, countsUnread)) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function isChunkWanted(
  part: ChunkPart,
  index: number,
  isWanted: (head: ChunkHead) => boolean,
  countsUnread: boolean,
): Promise<boolean> {
  try {
    return isWanted((await part.read(index)).head);
  } catch (error) {
    if (error instanceof RestoreError) return countsUnread;
    throw error;
  }
}

export async function lastHead(part: ChunkPart) {
  return (await part.read(part.count - 1)).head;
}

/** The last chunk of the series that the manifest lists; number 0 when it lists none. */
function lastListed({ series, epoch }: SeriesIndex, manifest: Manifest | undefined) {
  let found = { last: 0, hash: '' };
  for (const { name, sha256 } of manifest?.chunks ?? []) {
    const chunk = parseChunkName(name);
    const isOfIt = chunk?.series === series && chunk.epoch === epoch;
    if (isOfIt && chunk.number > found.last) found = { last: chunk.number, hash: sha256 };
  }
  return found;
}

/** Each up to where the next epoch begins. */
async function bounded(parts: readonly ChunkPart[]): Promise<PartThrough[]> {
  const found: PartThrough[] = [];
  let through: PartThrough['through'];
  for (const [index, part] of parts.toReversed().entries()) {
    const next = parts[parts.length - index];
    if (next !== undefined && next.epoch !== part.epoch) through = (await next.read(0)).head.from;
    found.unshift({ part, ...(through === undefined ? {} : { through }) });
  }
  return found;
}

function epochOf(object: StoredObject | undefined): number {
  const parsed = parseChunkName(object?.name ?? '');
  if (parsed === undefined)
    throw new RestoreError(`a manifest lists ${object?.name}, which is no chunk: ${REMEDY}`);
  return parsed.epoch;
}
